"""Stop, fence, link loss, emergency stop and standstill of a robot on the package."""

import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, List
from unittest import mock

from robot_case import RobotCase
from robot_rest.robot import Robot, Task, _log, _safety, _stopping
from robot_rest.robot._fence import MAX_FENCE, Fence
from robot_rest.robot._parts import Parts
from robot_rest.robot._takeovers import Takeovers


class Wheel:
    """Turns at the speed it was given last."""

    def __init__(self) -> None:
        self.speed = 0.0
        self.halts = 0

    def halt(self) -> None:
        self.speed, self.halts = 0.0, self.halts + 1


class SafetyTest(RobotCase):
    def setUp(self) -> None:
        self.wheel = Wheel()
        self.robot = self.make()
        self.let_go = threading.Event()
        self.addCleanup(self.let_go.set)

        @self.robot.on_stop
        def stop() -> bool:
            self.wheel.halt()
            return self.robot.standstill(lambda: self.wheel.speed, window=0.05)

        @self.robot.command(motion=True)
        def roll(task: Task) -> None:
            self.wheel.speed = 1.0
            task.cancelled.wait(30)

        @self.robot.command(motion=True)
        def stubborn(task: Task) -> None:
            task.progress(0)
            self.let_go.wait(30)  # does not look whether it was cancelled, and moves on
            self.wheel.speed = 1.0

        @self.robot.command(motion=True, on_lapse="finish")
        def dock(task: Task) -> None:
            task.cancelled.wait(30)

        @self.robot.command(motion=True)
        def nudge() -> str:
            self.wheel.speed = 1.0
            self.let_go.wait(30)
            return "nudged"

    def started(self, *commands: str) -> Parts:
        parts = self.begin(self.robot)
        for command in commands:
            self.assertIs(self.ask(parts, command)["result"]["called"], True)
        return parts

    def test_a_stop_is_confirmed_once_the_robot_stands(self) -> None:
        parts = self.started("roll")
        self.assertIsNone(self.stop(parts))
        self.assertEqual(self.wheel.speed, 0)

    def test_a_stop_is_not_confirmed_while_a_command_may_still_move_it(self) -> None:
        parts = self.started("stubborn")
        with mock.patch.object(_stopping, "STOP_SECONDS", 0.3):
            self.assertRegex(str(self.stop(parts)), "stubborn has not ended")
        self.assertEqual(self.ask(parts, "roll")["result"]["called"], True)

    def test_a_motion_that_began_during_the_stop_is_halted_too(self) -> None:
        parts = self.started("stubborn")
        outcome: List[Any] = []
        parts.safety.stop(lambda problem, _cancelled: outcome.append(problem))
        time.sleep(0.2)
        self.assertEqual(outcome, [])
        self.let_go.set()  # now it sets the wheel turning
        self.until(lambda: outcome == [None])
        self.assertEqual(self.wheel.speed, 0)

    def test_a_stop_that_fails_or_lies_is_not_confirmed(self) -> None:
        parts = self.started()
        with mock.patch.object(_stopping, "STOP_SECONDS", 0.2):
            for function, why in [
                (lambda: 1 / 0, "ZeroDivisionError"),
                (lambda: sys.exit("on a whim"), "SystemExit: on a whim"),
                (lambda: None, "not seen standing still"),
                (lambda: "yes", "not seen standing still"),
                (lambda: self.robot.standstill(lambda: 0.2, window=0.05), "still moving at 0.20"),
                (lambda: self.robot.standstill(lambda: float("nan"), window=0.05), "sensors cannot be read"),
                (lambda: self.robot.standstill(lambda: [], window=0.05), "sensors cannot be read"),
            ]:
                parts.safety.stopping.function = function
                with self.subTest(why):
                    self.assertRegex(str(self.stop(parts)), why)

    def test_a_stop_function_that_hangs_is_answered_for_and_called_again(self) -> None:
        parts = self.started()
        calls: List[int] = []

        def hang() -> bool:
            calls.append(1)
            return self.let_go.wait(30) if len(calls) == 1 else True

        parts.safety.stopping.function = hang
        with mock.patch.object(_stopping, "HUNG_SECONDS", 0.3):
            self.assertRegex(str(self.stop(parts)), "has not returned")
            self.assertIsNone(self.stop(parts))

    def test_a_stop_is_not_confirmed_while_the_robot_reports_that_it_moves(self) -> None:
        parts = self.started()
        self.robot.publish_state(moving=True)
        with mock.patch.object(_stopping, "STOP_SECONDS", 0.3):
            self.assertRegex(str(self.stop(parts)), r"publish_state\(moving=True\)")
        self.robot.publish_state(moving=False)
        self.assertIsNone(self.stop(parts))

    def test_a_stop_that_looks_at_two_parts_needs_both_after_the_last_command(self) -> None:
        parts = self.started()

        def base_and_arm() -> bool:
            base = self.robot.standstill(lambda: 0.0, window=0.05)
            parts.safety.last_end = time.monotonic()  # a command that could move the base has ended meanwhile
            return base and self.robot.standstill(lambda: [1.0, 2.0], window=0.05)

        parts.safety.stopping.function = base_and_arm
        with mock.patch.object(_stopping, "STOP_SECONDS", 0.3):
            self.assertRegex(str(self.stop(parts)), "since the last command ended")

    def test_what_was_sent_before_a_stop_does_not_move(self) -> None:
        parts = self.started()
        before = parts.safety.fence.number
        self.assertIsNone(self.stop(parts))
        late = self.ask(parts, "roll", fence=before)
        self.assertEqual((late["error"]["code"], late["error"]["ran"], self.wheel.speed), ("stopped", "no", 0))
        self.assertEqual(self.ask(parts, "roll", fence=before + 9)["ok"], True)
        self.assertEqual(parts.safety.fence.number, before + 9)

    def test_motion_is_refused_until_the_stop_is_confirmed(self) -> None:
        parts = self.started("stubborn")
        parts.safety.stop(lambda problem, cancelled: None)
        self.assertEqual(self.ask(parts, "roll")["error"]["code"], "not_ready")

    def test_a_plain_command_that_a_stop_interrupts_does_not_answer_success(self) -> None:
        parts = self.started()
        nudged = self.send(parts, "nudge")
        self.until(lambda: self.wheel.speed == 1)
        parts.safety.stop(lambda problem, cancelled: None)
        self.let_go.set()
        error = nudged.result(20)["error"]
        self.assertEqual((error["code"], error["ran"]), ("stopped", "maybe"))

    def test_a_lost_link_ends_all_but_what_is_to_finish(self) -> None:
        parts = self.started("roll")
        before = parts.safety.fence.number
        parts.safety._heard = time.monotonic() - 1
        self.until(lambda: self.wheel.halts > 0)
        self.until(lambda: parts.safety.fence.number == before + 1)
        self.assertEqual(self.ask(parts, "roll")["error"]["code"], "not_ready")
        parts.safety.heard(time.monotonic() + 3600)
        self.until(lambda: bool(self.ask(parts, "dock").get("ok")))
        halts = self.wheel.halts
        parts.safety._heard = time.monotonic() - 1
        self.until(lambda: parts.safety.fence.number == before + 2)
        time.sleep(0.3)
        self.assertEqual(self.wheel.halts, halts)
        self.assertEqual([task.name for task in parts.safety._tasks if task.refusal is None], ["dock"])

    def test_an_engaged_emergency_stop_ends_motion_and_is_named(self) -> None:
        parts = self.started("roll")
        self.robot.publish_state(estop="engaged")
        self.until(lambda: self.wheel.speed == 0)
        self.until(lambda: "engaged" in str(self.ask(parts, "roll")))
        self.assertEqual(self.ask(parts, "roll")["error"]["code"], "estop_engaged")
        self.assertIn("estop", self.robot._presence()["features"])

    def test_an_emergency_stop_of_which_nothing_is_known_counts_as_engaged(self) -> None:
        robot = Robot("robot-1", broker="mqtt://broker.invalid", estop=True)
        robot.on_stop(lambda: True)
        robot.command(motion=True, name="go")(lambda: None)
        with mock.patch.object(_safety, "ESTOP_SECONDS", 0), mock.patch.object(_log, "warning") as warning:
            parts = self.begin(robot)
            self.until(lambda: "publish_state(estop=…) has not told" in str(warning.call_args))
        self.assertRegex(self.ask(parts, "go")["error"]["detail"], "is unknown")
        robot.publish_state(estop=False)
        self.assertEqual(self.ask(parts, "go")["ok"], True)

    def test_a_master_elsewhere_keeps_the_robot(self) -> None:
        parts = self.started()
        self.robot.publish_state(driver="joystick")
        self.assertEqual(self.ask(parts, "roll")["error"]["code"], "driven_elsewhere")
        self.robot.publish_state(driver="")
        self.assertEqual(self.ask(parts, "roll")["ok"], True)


class StandstillTest(RobotCase):
    def stands(self, *seen: Any) -> bool:
        """Whether a robot stands that is seen so, and then for ever as at last."""
        left = list(seen)
        return self.make().standstill(lambda: left.pop(0) if len(left) > 1 else left[0], window=0.05)

    def test_judges_speeds_and_positions(self) -> None:
        self.assertTrue(self.stands(1.0, 0.5, 0.0))
        self.assertTrue(self.stands({"a": 1.0, "b": 2.0}))
        self.assertTrue(self.stands([1.0, 2.0], [1.5, 2.0], [1.6, 2.0]))
        self.assertFalse(self.stands(0.02))
        turning = iter(range(10_000))
        self.assertFalse(self.make().standstill(lambda: [next(turning) * 0.005], window=0.2))


class FenceTest(RobotCase):
    def test_is_kept_in_a_file_before_it_is_used(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(time, "time", lambda: 5.0):
            path = Path(folder, "fence")
            fence = Fence(path)
            self.assertEqual(fence.number, 5000)
            fence.raise_to(7_000_000)
            used = fence.number
            self.assertGreater(int(path.read_text()), used)
            self.assertGreater(Fence(path).number, used)

    def test_refuses_motion_where_it_cannot_be_kept(self) -> None:
        fence = Fence()
        fence._file, fence._reserved = Path("/proc/nowhere/fence"), 0
        fence.raise_to(MAX_FENCE)
        self.assertRegex(str(fence.problem), "cannot be kept")


class TakeoverTest(RobotCase):
    def test_three_foreign_sessions_are_another_program(self) -> None:
        takeovers = Takeovers()
        own = takeovers.new_session()
        self.assertEqual([takeovers.notice(each) for each in ("before", own, "a", "a", "b", "c")], [False] * 5 + [True])
