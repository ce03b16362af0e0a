"""What halts a robot on the package when a motion does not end by itself, and what is said then."""

import asyncio
import time
from typing import Any, Dict, List
from unittest import mock

from robot_case import RobotCase
from robot_rest.robot import Declined, Task, _parts, _stopping


class HaltingTest(RobotCase):
    """The handlers do not halt what they have set in motion."""

    def setUp(self) -> None:
        self.robot = robot = self.make()
        self.speed, self.halts, self.brake, self.let_go = 0.0, 0, True, False
        self.failure: BaseException = ValueError("Broken")

        @robot.on_stop
        def stop() -> bool:
            self.halts += 1
            if self.brake:
                self.speed = 0.0
            return robot.standstill(lambda: self.speed, window=0.05)

        @robot.command(motion=True)
        def go_to_relative(task: Task, x: float, y: float) -> None:
            task.check()
            self.speed = x
            task.sleep(30)

        @robot.command(motion=True)
        def stumble(task: Task) -> None:
            self.speed = 1.0
            task.progress(0)
            raise self.failure

        @robot.command(motion=True)
        def nudge() -> None:
            self.speed = 1.0
            raise self.failure

        @robot.command(motion=True)
        def blind() -> None:
            self.until(lambda: self.let_go)

        @robot.command(motion=True)
        def refuse() -> None:
            raise Declined("Not today.")

        @robot.command(motion=True)
        def wave(task: Task) -> None:
            task.sleep(30)

        @robot.command(motion=True, on_lapse="finish")
        def dock(task: Task) -> None:
            task.sleep(30)

        @robot.command(motion=True)
        def roll(task: Task) -> None:
            self.speed = 1.0

        self.parts = self.begin(robot)

    def start(self, command: str, *value: Any) -> str:
        return str(self.ask(self.parts, command, *value)["result"]["msg"])

    def events(self, mission: str) -> List[Dict[str, Any]]:
        taken = iter(self.parts.missions.take_event, None)
        return [event for event in taken if event and event["mission"] == mission]

    def how(self, mission: str) -> str:
        return str(self.ask(self.parts, "wait_for_skill", mission)["result"]["msg"])

    def test_a_cancelled_motion_is_halted_before_anybody_is_told(self) -> None:
        for command in ("cancel_skill", "cancel_and_wait_for_mission", "cancel_client_missions"):
            with self.subTest(command):
                mission = self.start("go_to_relative", {"x": 1, "y": 0})
                self.until(lambda: self.speed == 1)
                value = [] if command == "cancel_client_missions" else [mission]
                answer = self.ask(self.parts, command, *value)["result"]
                self.assertEqual((answer["cancelled"], self.speed), (True, 0))
                self.assertEqual(self.events(mission)[-1]["event"], "mission_cancelled")

    def test_a_motion_that_fails_is_halted_before_anybody_is_told(self) -> None:
        mission = self.start("stumble")
        self.assertEqual((self.how(mission), self.speed), ("Mission failed: Broken", 0))
        self.assertEqual(self.ask(self.parts, "nudge")["error"]["detail"], "ValueError: Broken")
        self.assertEqual(self.speed, 0)

    def test_what_would_end_a_thread_ends_the_command_alone(self) -> None:
        for failure, said in [(SystemExit(3), "SystemExit: 3"), (asyncio.CancelledError(), "CancelledError")]:
            with self.subTest(said), mock.patch.object(self, "failure", failure):
                mission = self.start("stumble")
                self.assertEqual((self.how(mission), self.speed), (f"Mission failed: {said}", 0))
                self.assertEqual(self.ask(self.parts, "nudge")["error"]["detail"], said)
                self.assertIsNone(self.stop(self.parts))

    def test_a_motion_that_cannot_be_halted_says_so(self) -> None:
        self.brake = False
        with mock.patch.object(_stopping, "STOP_SECONDS", 0.2):
            mission = self.start("stumble")
            self.assertRegex(self.how(mission), "^Mission failed: Broken. The robot is still moving at 1.00")
            self.assertRegex(self.events(mission)[-1]["message"], "still moving")
            mission = self.start("go_to_relative", {"x": 1, "y": 0})
            self.until(lambda: self.speed == 1)
            error = self.ask(self.parts, "cancel_skill", mission)["error"]
            self.assertEqual((error["code"], error["ran"]), ("robot_error", "maybe"))
            self.assertRegex(error["detail"], "^Mission cancelled. The robot is still moving")
            self.assertRegex(self.events(mission)[-1]["message"], "still moving")
            error = self.ask(self.parts, "nudge")["error"]
            self.assertRegex(error["detail"], "^ValueError: Broken. The robot is still moving at 1.00")

    def test_a_motion_that_has_ended_or_never_began_needs_no_halt(self) -> None:
        self.assertEqual(self.how(self.start("roll")), "Mission finished")
        self.assertEqual(self.ask(self.parts, "refuse")["declined"], "Not today.")
        self.assertEqual((self.speed, self.halts), (1, 0))

    def test_a_drive_begins_after_the_one_it_replaces_was_halted(self) -> None:
        self.start("go_to_relative", {"x": 1, "y": 0})
        self.until(lambda: self.speed == 1)
        self.assertTrue(self.ask(self.parts, "go_to_relative", {"x": 2, "y": 0})["replaced"])
        self.assertEqual((self.halts, self.speed), (1, 2))

    def test_other_motions_are_cancelled_as_the_whole_robot_is_halted(self) -> None:
        wave = self.start("wave")
        mission = self.start("go_to_relative", {"x": 1, "y": 0})
        self.assertTrue(self.ask(self.parts, "cancel_skill", mission)["result"]["cancelled"])
        self.assertEqual(self.how(wave), "The robot was halted, because the command go_to_relative was cancelled.")

    def test_a_motion_waits_while_another_is_halted(self) -> None:
        self.brake = False
        mission = self.start("go_to_relative", {"x": 1, "y": 0})
        self.until(lambda: self.speed == 1)
        cancelled = self.send(self.parts, "cancel_skill", mission)
        self.until(lambda: self.halts > 0)
        rolls = self.send(self.parts, "roll")
        time.sleep(0.1)
        self.assertFalse(rolls.done() or cancelled.done())
        self.brake = True
        self.assertTrue(cancelled.result(20)["result"]["cancelled"])
        self.assertTrue(rolls.result(20)["result"]["called"])
        self.until(lambda: self.speed == 1)

    def test_a_motion_without_a_task_that_outlives_a_stop_is_told_what_it_needs(self) -> None:
        blind = self.send(self.parts, "blind")
        self.until(lambda: any(task.runs for task in self.parts.safety._tasks))
        with mock.patch.object(_stopping, "STOP_SECONDS", 0.2):
            self.assertRegex(str(self.stop(self.parts)), "blind has not ended. It needs a first parameter task")
        self.let_go = True
        self.assertEqual(blind.result(20)["error"]["code"], "stopped")

    def test_a_motion_can_be_sent_as_soon_as_a_stop_is_confirmed(self) -> None:
        for _ in range(5):
            self.start("go_to_relative", {"x": 1, "y": 0})
            self.assertIsNone(self.stop(self.parts))
            self.assertEqual(self.speed, 0)

    def test_what_is_to_finish_without_the_link_is_not_halted_for_what_is_not(self) -> None:
        mission, dock = self.start("wave"), self.start("dock")
        self.parts.safety._heard = time.monotonic() - 1
        self.assertEqual(self.how(mission), "The robot lost the link to its broker.")
        self.parts.safety.heard(time.monotonic() + 3600)
        self.assertEqual((self.halts, self.events(dock)[-1]["event"]), (0, "mission_started"))


class StartTest(RobotCase):
    def test_the_robot_is_halted_before_it_is_online(self) -> None:
        robot, calls = self.make(), [0] * 20

        @robot.on_stop
        def stop() -> bool:
            return len(calls) == 1 or 1 / calls.pop() > 0

        with mock.patch.object(_parts, "Link") as link, mock.patch.object(_stopping, "STOP_SECONDS", 0.1):
            connector = _parts.Connector(robot._address, self.begin(robot), lambda: None)
            self.addCleanup(connector.leave, "")
            self.until(lambda: len(calls) < 20)
            self.assertFalse(link.called)
            self.until(lambda: bool(link.called))
            self.assertEqual(len(calls), 1)
