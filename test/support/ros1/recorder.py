"""Tells what is published around actions, and the velocities: recorder.py ACTION..., for instance /move_base.

Prints `ready`, then one JSON line a message: {"topic", "from", "at", "msg"}; `from` is the node that published it, `at`
is in ms since the epoch.
"""
import json
import sys
import threading
import time

import rospy
from actionlib_msgs.msg import GoalID, GoalStatusArray
from geometry_msgs.msg import Twist
from move_base_msgs.msg import MoveBaseActionGoal, MoveBaseActionResult
from ros_json import to_json


WRITING = threading.Lock()


def write(message, topic):
    line = {"topic": topic, "from": message._connection_header["callerid"], "at": int(time.time() * 1000)}
    text = json.dumps({**line, "msg": to_json(message)})
    with WRITING:
        print(text, flush=True)


def main():
    rospy.init_node("recorder")
    topics = {"/cmd_vel": Twist}
    for action in sys.argv[1:]:
        topics.update(
            {
                action + "/goal": MoveBaseActionGoal,
                action + "/cancel": GoalID,
                action + "/status": GoalStatusArray,
                action + "/result": MoveBaseActionResult,
            }
        )
    for topic, kind in topics.items():
        rospy.Subscriber(topic, kind, write, callback_args=topic)
    print("ready", flush=True)
    rospy.spin()


if __name__ == "__main__":
    main()
