"""A small robot behind an MQTT broker: ROBOT_BROKER=mqtts://robot-1:PASSWORD@broker.local python3 robot.py robot-1

It drives on paper at 0.5 m/s. Replace what moves `place` by your robot. pip install 'paho-mqtt>=2' ./clients/python
"""

import os
import sys
import threading
from typing import Dict

from robot_rest.robot import Declined, Robot, Task

place, speed = {"x": 0.0, "y": 0.0, "z": 0.0, "theta": 0.0}, threading.Event()
robot = Robot(sys.argv[1], broker=os.environ["ROBOT_BROKER"], stop_effect="hold")


@robot.on_stop
def stop() -> bool:
    speed.clear()  # halt, whoever moves it; then look at the sensors
    return robot.standstill(lambda: 0.5 if speed.is_set() else 0.0)


@robot.query()
def get_pose() -> Dict[str, float]:
    """Pose in metres and degrees"""
    return place


def reachable(x: float, y: float) -> None:
    if abs(x) > 10 or y != 0:
        raise Declined("The robot drives straight ahead, 10 m at most.")


@robot.command(motion=True, check=reachable)
def go_to_relative(task: Task, x: float, y: float) -> None:
    """Drive ahead"""
    try:
        for step in range(max(1, round(abs(x) / 0.01))):
            task.check()  # raises if it has to end: before every call that moves the robot
            speed.set()
            place["x"] += 0.01 if x > 0 else -0.01
            task.progress(step * 0.01 / (abs(x) or 1))
            task.sleep(0.02)  # raises as well
    finally:
        speed.clear()  # whatever ended it


@robot.every(0.1)
def report() -> None:
    robot.publish_state(pose=place, moving=speed.is_set(), battery=80)


robot.run()  # until SIGTERM or Ctrl-C; it stops the robot first
