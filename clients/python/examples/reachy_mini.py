"""A Reachy Mini, through its own daemon: ROBOT_BROKER=mqtts://reachy:PASSWORD@broker python3 reachy_mini.py reachy

The daemon (`reachy-mini-daemon`, of PyPI's reachy-mini) listens on REACHY_URL, by default http://127.0.0.1:8000.
"""

import json
import math
import os
import sys
from contextlib import suppress
from typing import Annotated, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from robot_rest.robot import Between, NotReady, Robot, Task

URL = os.environ.get("REACHY_URL", "http://127.0.0.1:8000") + "/api/"
JOINTS = ["yaw_body", *(f"stewart_{number}" for number in range(1, 7)), "right_antenna", "left_antenna"]
Degrees = Annotated[float, Between(-40, 40, "°")]
Turn = Annotated[float, Between(-175, 175, "°")]
Seconds = Annotated[float, Between(0.2, 10, "s")]
robot = Robot(sys.argv[1], broker=os.environ["ROBOT_BROKER"], stop_effect="hold")


def call(path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(URL + path, data, {"Content-Type": "application/json"}), timeout=2) as answer:
        return json.load(answer)


def joints() -> list[float]:
    state = call("state/full?with_head_joints=true")
    return [*state["head_joints"], *state["antennas_position"]]


@robot.on_stop  # also whenever a command below fails or is cancelled
def stop() -> bool:
    for move in call("move/running"):  # whoever started it
        with suppress(HTTPError):  # it has just ended by itself
            call("move/stop", move)
    return robot.standstill(joints) and call("move/running") == []


def play(task: Task, path: str, body: dict[str, Any]) -> None:
    task.check()
    move = call(path, body)
    while move in call("move/running"):
        task.sleep(0.05)


def awake(**_values: float) -> None:
    if call("motors/status")["mode"] != "enabled":
        raise NotReady("Its motors are off; call wake_up first.")


@robot.command(motion=True, replaces=True, check=awake, examples=[{"value": {"yaw": 30, "duration": 4}}])
def go_to(task: Task, roll: Degrees = 0.0, pitch: Degrees = 0.0, yaw: Degrees = 0.0, duration: Seconds = 1.0) -> None:
    """Turn the head"""
    angles = {"roll": math.radians(roll), "pitch": math.radians(pitch), "yaw": math.radians(yaw)}
    play(task, "move/goto", {"head_pose": {"x": 0, "y": 0, "z": 0, **angles}, "duration": duration})
    if abs(call("state/present_head_pose")["yaw"] - angles["yaw"]) > 0.1:
        raise RuntimeError("The head did not get there.")


@robot.command(motion=True, replaces=True, check=awake)
def antennas(task: Task, right: Turn, left: Turn) -> None:
    """Move the antennas"""
    play(task, "move/goto", {"antennas": [math.radians(right), math.radians(left)], "duration": 1})


@robot.command(motion=True, replaces=True)
def wake_up(task: Task) -> None:
    """Switch the motors on and wake up"""
    call("motors/set_mode/enabled", {})
    play(task, "move/play/wake_up", {})


@robot.command(motion=True, replaces=True)
def sleep(task: Task) -> None:
    """Go to sleep and switch the motors off"""
    play(task, "move/play/goto_sleep", {})
    task.check()
    call("motors/set_mode/disabled", {})


@robot.every(0.1)
def report() -> None:
    state = call("state/full")
    head = {name: value if name in "xyz" else math.degrees(value) for name, value in state["head_pose"].items()}
    power = {"enabled": "on", "disabled": "off", "gravity_compensation": "compliant"}.get(state["control_mode"], "unknown")
    robot.publish_state(pose={"head": head}, power=power, moving=bool(call("move/running")))
    robot.publish_joints(dict(zip(JOINTS, joints())))


robot.run()
