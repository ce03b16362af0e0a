"""A simulated base on wheels behind a broker, for tests: python3 simulated_robot.py HOST PORT ROBOT_ID

It has the commands of examples/robot-mqtt.py, and obeys the same environment: ROBOT_MQTT_PASSWORD; ROBOT_COAST_MS is how long
it takes to come to rest, ROBOT_PUSHED_MPS the speed at which something else drives it, ROBOT_PRINT_SPEED=1 prints its speed 50
times a second, and its emergency stop is engaged while the file ROBOT_ESTOP_FILE exists.
"""

import logging
import math
import os
import sys
import threading
import time
from typing import Annotated, Any, Dict, List

from robot_rest.robot import Between, Declined, Robot, Task

CALLED = {"called": True, "msg": "0b9b5c2e-6a52-4c9a-9d4d-1f3a2b8c7d10"}


class Base:
    """Drives at a velocity in its own frame until it is told another one."""

    SPEED, TURN = 0.5, 60.0  # m/s, degrees/s

    def __init__(self) -> None:
        self._coast = max(float(os.environ.get("ROBOT_COAST_MS", "100")) / 1000, 0.01)
        self._pushed = float(os.environ.get("ROBOT_PUSHED_MPS", "0"))
        self.x = self.y = self.theta = 0.0  # metres, degrees
        self.wheels = [0.0, 0.0]
        self._velocity, self._wanted = [0.0] * 3, [0.0] * 3
        self._lock = threading.Lock()
        threading.Thread(target=self._simulate, daemon=True).start()

    def move(self, vx: float, vy: float, turn: float) -> None:
        """m/s and degrees/s."""
        with self._lock:
            self._wanted = [vx, vy, turn]

    def speed(self) -> float:
        with self._lock:
            return math.hypot(*self._velocity[:2]) + abs(self._velocity[2]) / 90 + self._pushed

    def velocity(self) -> Dict[str, float]:
        with self._lock:
            return {"linear": round(math.hypot(*self._velocity[:2]), 4), "angular": round(self._velocity[2], 2)}

    def pose(self) -> Dict[str, float]:
        with self._lock:
            return {"x": round(self.x, 4), "y": round(self.y, 4), "z": 0.0, "theta": round(self.theta, 2)}

    def _simulate(self) -> None:
        printing, then, printed = os.environ.get("ROBOT_PRINT_SPEED") == "1", time.monotonic(), 0.0
        while True:
            time.sleep(0.01)
            now = time.monotonic()
            seconds, then = now - then, now
            with self._lock:
                for axis, top in enumerate((self.SPEED, self.SPEED, self.TURN)):
                    missing = self._wanted[axis] - self._velocity[axis]
                    slowest = top / self._coast * seconds
                    braking = abs(self._wanted[axis]) < abs(self._velocity[axis])
                    self._velocity[axis] += max(-slowest, min(slowest, missing)) if braking else missing
                vx, vy, turn = self._velocity
                turned = math.radians(self.theta)
                self.x += (vx * math.cos(turned) - vy * math.sin(turned)) * seconds
                self.y += (vx * math.sin(turned) + vy * math.cos(turned)) * seconds
                self.theta += turn * seconds
                for wheel, side in enumerate((-1, 1)):
                    self.wheels[wheel] += (vx + side * math.radians(turn) * 0.2) / 0.1 * seconds
            if printing and now - printed >= 0.02:
                printed = now
                logging.getLogger("robot").info("speed %.3f", self.speed())


base = Base()
ESTOP_FILE = os.environ.get("ROBOT_ESTOP_FILE", "")
if len(sys.argv) != 4:
    print(__doc__, file=sys.stderr)
    sys.exit(2)
robot = Robot(
    sys.argv[3],
    broker=f"mqtt://{sys.argv[3]}@{sys.argv[1]}:{sys.argv[2]}",
    link_loss_ms=1000,
    stop_effect="hold",
    estop=True,
)


@robot.on_stop
def stop() -> bool:
    base.move(0, 0, 0)
    return robot.standstill(base.speed)


@robot.on_jog(watchdog_ms=300, max_linear=0.5, max_angular=1.0)
def drive_by_hand(vx: float, vy: float, wz: float) -> None:
    base.move(vx, vy, math.degrees(wz))


@robot.every(0.05)
def report() -> None:
    engaged = bool(ESTOP_FILE) and os.path.exists(ESTOP_FILE)
    robot.publish_state(
        pose=base.pose(), velocity=base.velocity(), moving=base.speed() >= 0.01, power="on", estop=engaged
    )
    robot.publish_joints(dict(zip(("left_wheel", "right_wheel"), (round(each, 3) for each in base.wheels))))


def drive(task: Task, x: float, y: float, theta: float) -> None:
    """Drives along a straight line while it turns, and returns on arrival."""
    seconds = max(math.hypot(x, y) / Base.SPEED, abs(theta) / Base.TURN, 0.01)
    try:
        task.check()
        base.move(x / seconds, y / seconds, theta / seconds)
        task.sleep(seconds)
    finally:
        base.move(0, 0, 0)


@robot.query(examples=[{"result": "en"}])
def get_language() -> str:
    """Language"""
    return "en"


POSE = {"type": "object", "properties": {name: {"type": "number"} for name in ("x", "y", "z", "theta")}}


@robot.query(result=POSE, examples=[{"result": {"x": 1.0, "y": 0.5, "z": 0.0, "theta": 90.0, "moving": False}}])
def get_pose() -> Dict[str, Any]:
    """Pose in metres and degrees"""
    return {**base.pose(), "moving": base.speed() >= 0.01}


LEVEL = {"type": "object", "properties": {"sound_level": {"type": "integer"}}, "required": ["sound_level"]}


@robot.command(motion=False, result=LEVEL, examples=[{"value": 40, "result": {"sound_level": 40}}])
def sound_level(percent: Annotated[int, Between(0, 100, "%")]) -> Dict[str, int]:
    """Set the sound level"""
    return {"sound_level": percent}


@robot.command(motion=False, result={"type": "object"}, examples=[{"value": "Hello", "result": {"said": "Hello"}}])
def say(text: str) -> Dict[str, str]:
    """Say a text, at 15 characters a second"""
    time.sleep(len(text) / 15)
    return {"said": text}


def reachable(x: float, y: float, theta: float) -> None:
    if math.hypot(x, y) > 10:
        why = "The robot goes 10 m at most."
        raise Declined(why, {"called": False, "msg": why, "accepted": False})


@robot.command(motion=True, check=reachable, examples=[{"value": {"x": 1, "theta": 90}, "result": CALLED}])
def go_to_relative(task: Task, x: float, y: float, theta: float) -> None:
    """Move relative to the current pose"""
    drive(task, x, y, theta)


@robot.command(motion=True, on_lapse="finish", replaces=True, examples=[{"result": CALLED}])
def dock(task: Task) -> None:
    """Return to where it started, even if the link is lost"""
    turned = math.radians(base.theta)
    x = -base.x * math.cos(turned) - base.y * math.sin(turned)
    drive(task, x, base.x * math.sin(turned) - base.y * math.cos(turned), 0)


@robot.command(motion=True, replaces=True, examples=[{"value": {"metres": 1}, "result": CALLED}])
def patrol(task: Task, metres: Annotated[float, Between(0, 5, "m")] = 1.0) -> None:
    """Drive forth and back"""
    drive(task, metres, 0, 0)
    task.progress(0.5)
    drive(task, -metres, 0, 0)


@robot.command(motion=True, examples=[{"value": {"seconds": 1}, "result": CALLED}])
def wait(task: Task, seconds: Annotated[float, Between(0, 600, "s")] = 1.0) -> None:
    """Do nothing for a while"""
    task.sleep(seconds)


@robot.command(motion=True, examples=[{"result": CALLED}])
def wave(task: Task) -> None:
    """Wave a hand"""
    task.sleep(3)  # simulates a gesture that takes 3 s


lines: List[logging.Handler] = [logging.StreamHandler(sys.stdout)]
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", handlers=lines)
robot.run()
