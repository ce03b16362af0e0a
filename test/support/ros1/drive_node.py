"""A differential-drive base for tests: drives as /cmd_vel says and publishes /odom with its true speed.

It takes /cmd_vel_stamped as well, and ignores what is older than its watchdog there. The joints of its wheels and of its
head are published on /joint_states one apart from the other. Its emergency stop (/press_emergency_stop, reported on
/emergency_stop) keeps it from moving.

Each time it publishes /odom it also prints `motion SPEED TURN X Y YAW` (m/s, rad/s, m, m, rad), so that a test can
observe the base without going through ROS. No other line begins with `motion`.
"""
import argparse
import math
import threading
import time

import rospy
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Bool, Empty
from std_srvs.srv import SetBool, SetBoolResponse, Trigger, TriggerResponse

STEP_HZ = 50
ODOM_PERIOD_S = 1 / 20
BATTERY_PERIOD_S = 0.5
WHEEL_RADIUS = 0.07
ANGULAR_ACCELERATION = 10.0  # rad/s^2


def approach(value, target, step):
    return min(value + step, target) if target > value else max(value - step, target)


class Base:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.motors_on = True
        self.emergency = False
        self.rolled = 0.0
        self.commanded = (0.0, 0.0)
        self.commanded_at = 0.0
        self.speed = self.turn = 0.0
        self.x = self.y = self.yaw = 0.0

    def command(self, twist):
        with self.lock:
            self.commanded = (twist.linear.x, twist.angular.z)
            self.commanded_at = time.monotonic()

    def command_stamped(self, stamped):
        age = (rospy.Time.now() - stamped.header.stamp).to_sec()
        twist = stamped.twist
        if age <= self.options.watchdog / 1000 or (twist.linear.x, twist.angular.z) == (0.0, 0.0):
            self.command(twist)

    def press(self, request):
        with self.lock:
            self.emergency = request.data
            if request.data:
                self.brake()
        return SetBoolResponse(success=True, message="")

    def halt(self, _request):
        if self.options.halt == "refuse":
            return TriggerResponse(success=False, message="The brake is out of order")
        if self.options.halt == "lie":
            return TriggerResponse(success=True, message="")
        with self.lock:
            self.brake()
        return TriggerResponse(success=True, message="Halted")

    def switch_motors(self, request):
        time.sleep(self.options.motor_power_delay / 1000)
        with self.lock:
            self.motors_on = request.data
            if not request.data:
                self.brake()
        return SetBoolResponse(success=True, message="")

    def reset(self, _message):
        with self.lock:
            self.x = self.y = self.yaw = 0.0

    def brake(self):
        self.commanded = (0.0, 0.0)
        self.speed = self.turn = 0.0

    def step(self, seconds):
        with self.lock:
            watchdog = self.options.watchdog / 1000
            if watchdog and time.monotonic() - self.commanded_at > watchdog:
                self.commanded = (0.0, 0.0)
            speed, turn = self.commanded if self.motors_on and not self.emergency else (0.0, 0.0)
            self.speed = approach(self.speed, speed, self.options.acceleration * seconds)
            self.turn = approach(self.turn, turn, ANGULAR_ACCELERATION * seconds)
            self.rolled += self.speed * seconds / WHEEL_RADIUS
            self.x += self.speed * math.cos(self.yaw) * seconds
            self.y += self.speed * math.sin(self.yaw) * seconds
            self.yaw = math.remainder(self.yaw + self.turn * seconds, math.tau)

    def motion(self):
        with self.lock:
            return self.speed, self.turn, self.x, self.y, self.yaw


def joints(**positions):
    message = JointState(name=list(positions), position=list(positions.values()))
    message.header.stamp = rospy.Time.now()
    return message


def odometry(speed, turn, x, y, yaw):
    message = Odometry()
    message.header.stamp = rospy.Time.now()
    message.header.frame_id = "odom"
    message.child_frame_id = "base_link"
    message.pose.pose.position.x = x
    message.pose.pose.position.y = y
    message.pose.pose.orientation.z = math.sin(yaw / 2)
    message.pose.pose.orientation.w = math.cos(yaw / 2)
    message.twist.twist.linear.x = speed
    message.twist.twist.angular.z = turn
    return message


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchdog", type=int, default=0, metavar="MS", help="stop without a /cmd_vel for so long")
    parser.add_argument("--acceleration", type=float, default=2.5, metavar="M/S2")
    parser.add_argument("--halt", choices=["work", "refuse", "lie"], default="work", help="what /halt does")
    parser.add_argument("--motor-power-delay", type=int, default=0, metavar="MS", help="how long /motor_power takes")
    options = parser.parse_args()

    rospy.init_node("base")
    base = Base(options)
    odom = rospy.Publisher("/odom", Odometry, queue_size=5)
    battery = rospy.Publisher("/battery_state", BatteryState, queue_size=1)
    wheels = rospy.Publisher("/joint_states", JointState, queue_size=1)
    head = rospy.Publisher("/joint_states", JointState, queue_size=1)
    emergency = rospy.Publisher("/emergency_stop", Bool, queue_size=1)
    rospy.Subscriber("/cmd_vel", Twist, base.command)
    rospy.Subscriber("/cmd_vel_stamped", TwistStamped, base.command_stamped)
    rospy.Subscriber("/reset", Empty, base.reset)
    rospy.Service("/press_emergency_stop", SetBool, base.press)
    rospy.Service("/halt", Trigger, base.halt)
    rospy.Service("/motor_power", SetBool, base.switch_motors)

    rate = rospy.Rate(STEP_HZ)
    stepped_at = time.monotonic()
    odom_due = battery_due = stepped_at
    while not rospy.is_shutdown():
        now = time.monotonic()
        base.step(now - stepped_at)
        stepped_at = now
        if now >= odom_due:
            odom_due = max(odom_due + ODOM_PERIOD_S, now)
            motion = base.motion()
            odom.publish(odometry(*motion))
            wheels.publish(joints(left_wheel_joint=base.rolled, right_wheel_joint=base.rolled))
            emergency.publish(base.emergency)
            print("motion", *(f"{value:.4f}" for value in motion), flush=True)
        if now >= battery_due:
            battery_due = now + BATTERY_PERIOD_S
            discharging = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
            battery.publish(BatteryState(voltage=12.1, percentage=0.87, power_supply_status=discharging))
            head.publish(joints(head_pan=0.25))
        rate.sleep()


if __name__ == "__main__":
    try:
        main()
    except rospy.ROSInterruptException:
        pass
