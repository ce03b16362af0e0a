"""A differential-drive base for tests: drives as /cmd_vel says and publishes /odom with its true speed.

Each time it publishes /odom it also prints `motion SPEED TURN X Y YAW` (m/s, rad/s, m, m, rad), so that a test can
observe the base without going through ROS. No other line begins with `motion`.
"""
import argparse
import math
import threading
import time

import rospy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Empty
from std_srvs.srv import SetBool, SetBoolResponse, Trigger, TriggerResponse

STEP_HZ = 50
ODOM_PERIOD_S = 1 / 20
BATTERY_PERIOD_S = 0.5
ANGULAR_ACCELERATION = 10.0  # rad/s^2


def approach(value, target, step):
    return min(value + step, target) if target > value else max(value - step, target)


class Base:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.motors_on = True
        self.commanded = (0.0, 0.0)
        self.commanded_at = 0.0
        self.speed = self.turn = 0.0
        self.x = self.y = self.yaw = 0.0

    def command(self, twist):
        with self.lock:
            self.commanded = (twist.linear.x, twist.angular.z)
            self.commanded_at = time.monotonic()

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
            speed, turn = self.commanded if self.motors_on else (0.0, 0.0)
            self.speed = approach(self.speed, speed, self.options.acceleration * seconds)
            self.turn = approach(self.turn, turn, ANGULAR_ACCELERATION * seconds)
            self.x += self.speed * math.cos(self.yaw) * seconds
            self.y += self.speed * math.sin(self.yaw) * seconds
            self.yaw = math.remainder(self.yaw + self.turn * seconds, math.tau)

    def motion(self):
        with self.lock:
            return self.speed, self.turn, self.x, self.y, self.yaw


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
    rospy.Subscriber("/cmd_vel", Twist, base.command)
    rospy.Subscriber("/reset", Empty, base.reset)
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
            print("motion", *(f"{value:.4f}" for value in motion), flush=True)
        if now >= battery_due:
            battery_due = now + BATTERY_PERIOD_S
            battery.publish(BatteryState(voltage=12.1, percentage=0.87))
        rate.sleep()


if __name__ == "__main__":
    try:
        main()
    except rospy.ROSInterruptException:
        pass
