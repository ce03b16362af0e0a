"""An action server for tests (the SimpleActionServer of actionlib): drives the base towards the position of a goal.

It takes every frame for that of the odometry and pays no heed to the orientation of a goal. Prints `ready` once the
base listens to it.
"""
import argparse
import math
import threading
import time

import actionlib
import rospy
from geometry_msgs.msg import Twist
from move_base_msgs.msg import MoveBaseAction, MoveBaseFeedback, MoveBaseResult
from nav_msgs.msg import Odometry

CONTROL_HZ = 20
NEAR_M = 0.08


class MoveBase:
    def __init__(self, options):
        self.options = options
        self.located = threading.Event()
        self.pose = (0.0, 0.0, 0.0)
        self.cmd_vel = rospy.Publisher("/cmd_vel", Twist, queue_size=5)
        rospy.Subscriber("/odom", Odometry, self.locate)
        self.server = actionlib.SimpleActionServer(options.name, MoveBaseAction, self.execute, auto_start=False)
        self.server.start()

    def locate(self, odometry):
        position, orientation = odometry.pose.pose.position, odometry.pose.pose.orientation
        self.pose = (position.x, position.y, 2 * math.atan2(orientation.z, orientation.w))
        self.located.set()

    def execute(self, goal):
        if self.options.silent_after_accept:
            # The server still knows the goal and carries it out, but tells nobody.
            self.server.action_server.publish_status = lambda: None
            self.server.action_server.publish_result = lambda status, result: None
        if self.options.abort:
            self.server.set_aborted(MoveBaseResult(), "No plan leads there")
            return
        target = goal.target_pose.pose.position
        rate = rospy.Rate(CONTROL_HZ)
        give_way_at = None
        while not rospy.is_shutdown():
            if self.server.is_preempt_requested() and not self.options.ignore_cancel:
                give_way_at = give_way_at or time.monotonic() + self.options.cancel_delay / 1000
                if time.monotonic() >= give_way_at:
                    if not self.options.no_final_zero:
                        self.cmd_vel.publish(Twist())
                    self.server.set_preempted()
                    return
            x, y, yaw = self.pose
            ahead, aside = target.x - x, target.y - y
            if math.hypot(ahead, aside) < NEAR_M:
                self.cmd_vel.publish(Twist())
                self.server.set_succeeded(MoveBaseResult(), "Goal reached.")
                return
            self.cmd_vel.publish(self.steer(math.remainder(math.atan2(aside, ahead) - yaw, math.tau)))
            feedback = MoveBaseFeedback()
            feedback.base_position.header.frame_id = "odom"
            feedback.base_position.pose.position.x = x
            feedback.base_position.pose.position.y = y
            self.server.publish_feedback(feedback)
            rate.sleep()

    def steer(self, error):
        twist = Twist()
        twist.angular.z = max(-1.5, min(1.5, 3 * error))
        twist.linear.x = self.options.speed * max(0.0, math.cos(error))
        return twist


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="move_base", help="of the action, and of the node")
    parser.add_argument("--speed", type=float, default=0.5, metavar="M/S")
    parser.add_argument("--abort", action="store_true", help="abort every goal")
    parser.add_argument("--ignore-cancel", action="store_true", help="drive on to the end, whatever is cancelled")
    parser.add_argument("--cancel-delay", type=int, default=0, metavar="MS", help="drive on for so long when cancelled")
    parser.add_argument("--no-final-zero", action="store_true", help="leave the last velocity as it is when cancelled")
    parser.add_argument("--silent-after-accept", action="store_true", help="publish no status and no result of a goal")
    options = parser.parse_args()

    rospy.init_node(options.name)
    node = MoveBase(options)
    while not rospy.is_shutdown() and not (node.located.is_set() and node.cmd_vel.get_num_connections() > 0):
        time.sleep(0.01)
    print("ready", flush=True)
    rospy.spin()


if __name__ == "__main__":
    main()
