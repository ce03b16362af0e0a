"""Missions, waits, driving by hand and reports of a robot on the package."""

import json
import math
import threading
import time
from typing import Any, Callable, Dict, List, Tuple
from unittest import mock

from robot_case import RobotCase
from robot_rest.robot import Declined, Ends, NotReady, Task



class MissionTest(RobotCase):
    def setUp(self) -> None:
        self.robot = robot = self.make()
        self.robot.on_stop(lambda: True)
        self.go = threading.Event()
        self.addCleanup(self.go.set)
        self.seen: List[str] = []

        def check(x: float, y: float) -> None:
            if x > 10:
                raise Declined("Too far.")

        @robot.command(motion=True, check=check)
        def go_to_relative(task: Task, x: float, y: float) -> None:
            self.seen.append(f"begins {x}")
            try:
                while not task.cancelled.wait(0.01) and not self.go.is_set():
                    task.progress(0.5)
            finally:
                self.seen.append(f"ends {x}")

        @robot.command(motion=True)
        def wave(task: Task, times: int = 1) -> None:
            """Wave a hand"""
            if times > 3:
                raise NotReady("It is tired.")
            if times == 3:
                raise Declined("Not three times.")
            if times == 2:
                task.progress(0)
                raise ValueError("broken")

        @robot.command(motion=True)
        def nod(task: Task, times: int) -> None:
            self.seen.append(f"nods {times}")

        self.parts = self.begin(robot)

    def test_ends_are_awaited_even_if_they_come_before_the_id(self) -> None:
        mission = self.ask(self.parts, "wave", {})["result"]["msg"]
        answer = self.ask(self.parts, "wait_for_skill", mission)["result"]
        self.assertEqual((answer["awaited"], answer["msg"]), (True, "Mission finished"))
        self.assertEqual(self.events(), [("mission_started", mission), ("mission_finished", mission)])

    def test_skills_are_called_by_name(self) -> None:
        listed = self.ask(self.parts, "get_skills")["result"]
        nod = {"name": "nod", "title": "Nod", "takes": {"times": "integer"}}
        self.assertEqual(listed, [{"name": "wave", "title": "Wave a hand", "takes": {"times": "integer"}}, nod])
        self.assertTrue(self.ask(self.parts, "skill", {"name": "nod", "times": 2})["result"]["called"])
        self.until(lambda: "nods 2" in self.seen)
        self.assertTrue(self.ask(self.parts, "skill", {"name": "wave", "times": 1})["result"]["called"])
        unknown = self.ask(self.parts, "skill", {"name": "fly"})
        self.assertEqual((unknown["ok"], unknown["result"]["called"]), (True, False))
        wrong = self.ask(self.parts, "skill", {"name": "wave", "times": "x"})["error"]
        self.assertEqual(wrong["errors"][0]["pointer"], "/value/times")

    def test_what_is_refused_before_it_begins_is_no_mission(self) -> None:
        self.assertEqual(self.ask(self.parts, "wave", {"times": 4})["error"]["code"], "not_ready")
        declined = self.ask(self.parts, "wave", {"times": 3})
        self.assertEqual((declined["declined"], declined["result"]["called"]), ("Not three times.", False))
        self.assertEqual(self.events(), [])

    def test_a_mission_that_fails_says_why(self) -> None:
        mission = self.ask(self.parts, "wave", {"times": 2})["result"]["msg"]
        self.assertEqual(self.ask(self.parts, "wait_for_skill", mission)["result"]["msg"], "Mission failed: broken")

    def test_a_drive_replaces_the_one_under_way_after_its_end(self) -> None:
        first = self.ask(self.parts, "go_to_relative", {"x": 1, "y": 0})
        self.assertNotIn("replaced", first)
        declined = self.ask(self.parts, "go_to_relative", {"x": 11, "y": 0})
        self.assertEqual((declined["declined"], self.seen), ("Too far.", ["begins 1.0"]))
        second = self.ask(self.parts, "go_to_relative", {"x": 2, "y": 0})
        self.assertTrue(second["replaced"])
        self.assertEqual(self.seen, ["begins 1.0", "ends 1.0", "begins 2.0"])
        ended = self.ask(self.parts, "wait_for_skill", first["result"]["msg"])["result"]
        self.assertEqual((ended["awaited"], ended["msg"]), (False, "A newer command has taken the base."))

    def test_a_cancelled_mission_is_over_for_all_who_wait(self) -> None:
        mission = self.ask(self.parts, "go_to_relative", {"x": 1, "y": 0})["result"]["msg"]
        before = threading.active_count()
        waits = [self.send(self.parts, "wait_for_skill", mission) for _ in range(200)]
        self.until(lambda: threading.active_count() < before + 5)  # none keeps a thread
        self.assertEqual(self.ask(self.parts, "cancel_skill", mission)["result"]["cancelled"], True)
        self.assertEqual([each.result(20)["result"]["awaited"] for each in waits], [False] * 200)
        self.assertEqual(self.ask(self.parts, "cancel_skill", mission)["result"]["msg"], "Mission not found")

    def test_a_wait_ends_at_its_deadline(self) -> None:
        mission = self.ask(self.parts, "go_to_relative", {"x": 1, "y": 0})["result"]["msg"]
        error = self.ask(self.parts, "wait_for_skill", mission, deadline=int(time.time() * 1000) + 200)["error"]
        self.assertEqual((error["code"], error["ran"]), ("robot_timeout", "maybe"))

    def test_the_missions_of_a_client_are_cancelled_together(self) -> None:
        self.ask(self.parts, "go_to_relative", {"x": 1, "y": 0})
        none = self.ask(self.parts, "cancel_client_missions", sender={"client_id": "bob"})["result"]
        mine = self.ask(self.parts, "cancel_client_missions")["result"]
        self.assertEqual((none["cancelled_missions"], mine["cancelled_missions"]), (0, 1))

    def test_ends_reported_by_others_may_come_first(self) -> None:
        ends, task = Ends(), Task("move", "", motion=True, finishes=False, mission=True)
        ends.tell("a", "arrived")
        self.assertEqual(ends.wait(task, "a"), "arrived")
        threading.Timer(0.1, ends.tell, ("b",)).start()
        self.assertIsNone(ends.wait(task, "b", timeout=20))
        with self.assertRaises(TimeoutError):
            ends.wait(task, "c", timeout=0.05)

    def events(self) -> List[Tuple[str, str]]:
        taken = iter(self.parts.missions.take_event, None)
        return [(event["event"], event["mission"]) for event in taken if event]


class JogTest(RobotCase):
    def setUp(self) -> None:
        self.robot = self.make()
        self.robot.on_stop(lambda: True)
        self.driven: List[Tuple[float, float, float]] = []
        self.hold = threading.Event()
        self.hold.set()

        @self.robot.on_jog(watchdog_ms=300, max_linear=0.5, max_angular=1.0)
        def drive(vx: float, vy: float, wz: float) -> None:
            self.driven.append((vx, vy, wz))
            self.hold.wait(20)

        self.parts = self.begin(self.robot)
        self.seq = 0

    def frame(self, vx: float = 0.0, vy: float = 0.0, wz: float = 0.0, **more: Any) -> None:
        self.seq += 1
        frame: Dict[str, Any] = {"v": 1, "fence": self.parts.safety.fence.number, "seq": self.seq, "valid_ms": 300}
        hand: Any = self.parts.hand
        hand.handle(json.dumps({**frame, "vx": vx, "vy": vy, "wz": wz, **more}).encode())

    def free(self) -> None:
        """Lets the stick go for long enough."""
        self.frame()
        time.sleep(0.08)

    def test_a_function_that_fails_stops_the_robot_and_can_be_used_again(self) -> None:
        failures: List[BaseException] = [SystemExit("loose"), ValueError("loose")]
        drive = self.parts.hand._function  # type: ignore[union-attr]

        def fail(vx: float, vy: float, wz: float) -> None:
            if failures:
                raise failures.pop(0)
            drive(vx, vy, wz)

        before = self.parts.safety.fence.number
        with mock.patch.object(self.parts.hand, "_function", fail):
            self.free()
            self.frame(0.3)
            self.until(lambda: self.driven == [(0, 0, 0)])
            self.assertGreater(self.parts.safety.fence.number, before)
            self.until(lambda: not self.parts.safety._pending)
            self.free()
            self.frame(0.2)
            self.until(lambda: (0.2, 0, 0) in self.driven)

    def test_moves_only_after_the_stick_was_let_go(self) -> None:
        self.frame(0.2)
        self.free()
        self.frame(0.3)
        self.until(lambda: self.driven == [(0.3, 0, 0)])

    def test_stands_when_no_frame_comes(self) -> None:
        self.free()
        self.frame(0.3)
        self.until(lambda: self.driven == [(0.3, 0, 0), (0, 0, 0)])
        self.frame(0.3)  # the stick was not let go
        time.sleep(0.1)
        self.assertEqual(len(self.driven), 2)

    def test_keeps_the_direction_of_what_is_too_fast(self) -> None:
        self.free()
        self.frame(3.0, 4.0, -2.0)
        self.until(lambda: bool(self.driven))
        self.assertAlmostEqual(self.driven[0][0], 0.3)
        self.assertAlmostEqual(self.driven[0][1], 0.4)
        self.assertEqual(self.driven[0][2], -1.0)

    def test_old_and_unreadable_frames_do_not_move_it(self) -> None:
        self.free()
        self.frame(0.2, fence=self.parts.safety.fence.number - 1)
        self.frame(math.nan)  # counts as zero
        self.frame(0.2)
        time.sleep(0.1)
        self.assertEqual(self.driven, [])

    def test_a_stop_ends_it_and_what_hangs_is_not_confirmed(self) -> None:
        self.free()
        self.hold.clear()
        self.frame(0.2)
        self.until(lambda: self.driven == [(0.2, 0, 0)])
        outcome: List[Any] = []
        self.parts.safety.stop(lambda problem, _cancelled: outcome.append(problem))
        time.sleep(0.2)
        self.assertEqual(outcome, [])
        self.hold.set()
        self.until(lambda: outcome == [None])
        self.assertEqual(self.driven[-1], (0, 0, 0))


class ReportsTest(RobotCase):
    def test_state_has_only_what_is_published(self) -> None:
        robot = self.make()
        robot.publish_state(pose={"x": 1.0, "y": 0.0, "z": 0.0, "theta": 0.0}, battery=80, moving=False)
        robot.publish_joints({"neck": 0.5})
        due = {branch: json.loads(text) for branch, text in robot._reports.due()}
        self.assertEqual(due["state"]["battery"], {"level": 80})
        self.assertEqual(set(due["state"]), {"v", "pose", "battery", "moving"})
        self.assertEqual(due["joints"], {"v": 1, "names": ["neck"], "positions": [0.5]})
        self.assertEqual(robot._reports.due(), [])

    def test_refuses_what_is_no_number(self) -> None:
        robot = self.make()
        publications: List[Callable[[], None]] = [
            lambda: robot.publish_joints({"neck": math.nan}),
            lambda: robot.publish_state(battery=math.inf),
            lambda: robot.publish_state(power="full"),
            lambda: robot.publish_state(estop="pressed"),
        ]
        for publish in publications:
            with self.assertRaises(ValueError):
                publish()
