"""Commands of a maker: what their signatures say, and how values are judged."""

import json
import math
import time
from typing import Annotated, Any, Dict, List, Literal, Optional
from unittest import mock

from robot_case import RobotCase
from robot_rest.robot import Between, Busy, Declined, NotReady, Refused, Robot, Task, _log
from robot_rest.robot._dispatch import as_json


def halted() -> bool:
    return True


class CatalogueTest(RobotCase):
    def setUp(self) -> None:
        self.robot = self.make()
        self.robot.on_stop(halted)

    def declared(self, function: Any, **options: Any) -> Dict[str, Any]:
        self.robot.command(**options)(function)
        return self.entry(self.robot, function.__name__)

    def test_kinds_follow_from_the_parameters(self) -> None:
        def nothing() -> None: ...
        def level(percent: Annotated[int, Between(0, 100, "%")]) -> None: ...
        def ratio(share: float) -> None: ...
        def say(text: str) -> None: ...
        def lamp(on: bool) -> None: ...
        def words(texts: List[str]) -> None: ...
        def place(x: float, y: float, theta: float = 0) -> None: ...
        def gaze(task: Task, pitch: float, yaw: float = 0) -> None: ...

        kinds = [self.declared(each)["kind"] for each in (nothing, level, ratio, say, lamp, words, place, gaze)]
        self.assertEqual(kinds, ["none", "int", "float", "str", "bool", "list", "coordinates", "dict"])
        level_entry = self.entry(self.robot, "level")
        self.assertEqual((level_entry["bounds"], level_entry["unit"]), ({"minimum": 0, "maximum": 100}, "%"))
        self.assertEqual(self.entry(self.robot, "words")["items"], "str")

    def test_docstrings_give_title_and_descriptions(self) -> None:
        def gaze(pitch: Annotated[float, Between(-40, 40, "°")], mood: Literal["calm", "curious"] = "calm") -> None:
            """Look somewhere.

            pitch: up and down
            :param mood: how it moves
            """

        entry = self.declared(gaze, motion=True, on_lapse="finish")
        self.assertEqual((entry["title"], entry["on_lapse"], entry["effect"]), ("Look somewhere", "finish", "action"))
        pitch = {"type": "number", "minimum": -40, "maximum": 40, "x-unit": "°", "description": "up and down"}
        mood = {"enum": ["calm", "curious"], "default": "calm", "description": "how it moves"}
        self.assertEqual(entry["args"]["properties"], {"pitch": pitch, "mood": mood})
        self.assertEqual(entry["args"]["required"], ["pitch"])

    def test_a_mission_brings_the_commands_about_missions(self) -> None:
        @self.robot.command(motion=True)
        def wave(task: Task, times: int = 1) -> None:
            """Wave"""

        names = {entry["name"] for entry in self.robot._presence()["catalogue"]}
        self.assertLessEqual({"wave", "skill", "get_skills", "wait_for_skill", "cancel_skill"}, names)

    def test_what_cannot_be_a_command_is_refused_at_once(self) -> None:
        def more(*rest: int) -> None: ...
        def odd(when: complex) -> None: ...

        for function in (more, odd):
            with self.assertRaises(TypeError):
                self.declared(function)
        with self.assertRaises(TypeError):
            self.robot.command(halted)  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            self.declared(halted, on_lapse="go on")
        with self.assertRaisesRegex(ValueError, "cannot be named stop"):
            self.declared(halted, name="stop")
        bare: List[Any] = [self.robot.query, self.robot.on_jog, self.robot.every]
        for decorator in bare:
            with self.assertRaisesRegex(TypeError, f"write @robot.{decorator.__name__}"):
                decorator(halted)
        with self.assertRaisesRegex(ValueError, "No value is between 100 and 0"):
            Between(100, 0)

    def test_what_would_not_run_when_it_is_called_is_refused_at_once(self) -> None:
        async def later(task: Task) -> None: ...

        def bits(task: Task) -> Any:
            yield 1

        robot = self.make()
        register: List[Any] = [robot.command(), robot.query(), robot.on_stop, robot.on_jog(), robot.every(1)]
        for decorator in [*register, lambda function: robot.command(check=function)(halted)]:
            for function in (later, bits):
                with self.assertRaisesRegex(TypeError, f"{function.__name__} must be a plain function"):
                    decorator(function)

    def test_a_motion_that_nothing_can_end_is_named_in_the_log(self) -> None:
        self.robot.command(motion=True, name="blind")(halted)
        self.robot.command(motion=True, name="seeing")(lambda task: None)
        with mock.patch.object(_log, "warning") as warning:
            self.robot._prepare()
        self.assertEqual([call.args[1] for call in warning.call_args_list], ["blind"])

    def test_a_robot_that_moves_needs_a_stop(self) -> None:
        robot = self.make()
        robot.command(motion=True)(halted)
        with self.assertRaisesRegex(ValueError, "on_stop"):
            robot._prepare()


    def test_a_robot_has_one_stop_and_one_stick(self) -> None:
        with self.assertRaisesRegex(ValueError, "two functions with @robot.on_stop"):
            self.robot.on_stop(lambda: True)
        self.robot.on_jog()(lambda vx, vy, wz: None)
        with self.assertRaisesRegex(ValueError, "two functions with @robot.on_jog"):
            self.robot.on_jog()(lambda vx, vy, wz: None)


class ValuesTest(RobotCase):
    def setUp(self) -> None:
        robot = self.make()
        robot.on_stop(halted)

        @robot.command(motion=False)
        def level(percent: Annotated[int, Between(0, 100)]) -> int:
            return percent

        @robot.command(motion=False)
        def gaze(pitch: Annotated[float, Between(-40, 40)], note: Optional[str] = None) -> Any:
            return [pitch, note]

        @robot.command(motion=False)
        def place(x: float, y: float) -> Any:
            return [x, y]

        @robot.query()
        def words(texts: List[str]) -> Any:
            return texts

        self.robot, self.parts = robot, self.begin(robot)

    def test_values_arrive_as_arguments(self) -> None:
        self.assertEqual(self.ask(self.parts, "level", 40)["result"], 40)
        self.assertEqual(self.ask(self.parts, "gaze", {"pitch": 3})["result"], [3.0, None])
        self.assertEqual(self.ask(self.parts, "gaze", {"pitch": 3, "note": "x"})["result"], [3.0, "x"])
        self.assertEqual(self.ask(self.parts, "place", {"x": 1, "y": 0, "z": 0, "theta": 0})["result"], [1.0, 0.0])

    def test_a_result_that_cannot_be_sent_says_why_to_the_caller_and_in_the_log(self) -> None:
        for result, why in [("x" * 100, "has 131 bytes, and 90 are allowed"), (math.nan, "Out of range")]:
            with self.subTest(why), mock.patch.object(_log, "warning") as warning:
                answer = json.loads(as_json({"id": "message", "result": result}, 90))
                self.assertRegex(answer["error"]["detail"], why)
                self.assertRegex(warning.call_args.args[1], why)

    def test_invalid_values_are_refused_with_pointers(self) -> None:
        for command, value, code, pointer in [
            ("level", True, "wrong_value_type", None),
            ("level", 101, "validation_failed", "/value"),
            ("gaze", {}, "validation_failed", "/value/pitch"),
            ("gaze", {"pitch": 41}, "validation_failed", "/value/pitch"),
            ("gaze", {"pitch": math.nan}, "validation_failed", "/value/pitch"),
            ("gaze", {"pitch": 1, "yaw": 1}, "validation_failed", "/value/yaw"),
            ("gaze", {"pitch": 1, "note": 3}, "validation_failed", "/value/note"),
            ("gaze", 3, "wrong_value_type", None),
            ("place", {"x": 1, "theta": 90}, "validation_failed", "/value/theta"),
            ("place", {"x": "1"}, "wrong_value_type", None),
            ("place", {"x": math.inf}, "wrong_value_type", None),
            ("words", ["a", 1], "validation_failed", "/value/1"),
            ("fly", 1, "unknown_command", None),
        ]:
            with self.subTest(f"{command} {value}"):
                error = self.ask(self.parts, command, value)["error"]
                self.assertEqual((error["code"], error["ran"]), (code, "no"))
                self.assertEqual(error.get("errors", [{"pointer": None}])[0]["pointer"], pointer)
        self.assertEqual(self.ask(self.parts, "level")["error"]["code"], "wrong_value_type")

    def test_a_message_that_is_none_is_refused(self) -> None:
        for more in ({"v": 2}, {"id": "short"}, {"sender": "me"}, {"deadline": "soon"}, {"fence": -1}):
            with self.subTest(str(more)):
                self.assertEqual(self.ask(self.parts, "level", 1, **more)["error"]["code"], "validation_failed")

    def test_late_and_early_commands_are_refused_by_how_much(self) -> None:
        now = int(time.time() * 1000)
        late = self.ask(self.parts, "level", 1, issued_at=now - 8000, deadline=now - 3000)["error"]
        self.assertRegex(late["code"] + late["detail"], r"^robot_timeout.* 8\.\d s .*NTP")
        ahead = self.ask(self.parts, "level", 1, issued_at=now + 3000)["error"]
        self.assertRegex(ahead["code"] + ahead["detail"], r"^robot_unavailable.* [23]\.\d s behind.*NTP")

    def test_a_repeated_message_is_ignored(self) -> None:
        self.ask(self.parts, "level", 1, id="the-same-message-again")
        self.assertFalse(self.send(self.parts, "level", 2, id="the-same-message-again").done())


class OutcomesTest(RobotCase):
    def test_what_a_command_raises_is_its_answer(self) -> None:
        robot = self.make()
        raised: List[Exception] = [
            Declined("Not today."),
            Declined("No.", {"set": False}),
            NotReady("Its motors are off."),
            Busy("It dances."),
            Refused("validation_failed", "Too far.", errors=[{"pointer": "/value", "message": "too far"}]),
            ZeroDivisionError("oh"),
        ]

        @robot.command(motion=False)
        def fail(which: int) -> None:
            raise raised[which]

        @robot.query()
        def odd() -> float:
            return math.nan

        parts = self.begin(robot)
        answers = [self.ask(parts, "fail", which) for which in range(len(raised))]
        self.assertEqual(answers[0]["result"], {"accepted": False, "msg": "Not today."})
        self.assertEqual((answers[1]["declined"], answers[1]["result"]), ("No.", {"set": False}))
        errors = [(each["error"]["code"], each["error"]["ran"]) for each in answers[2:]]
        expected = [("not_ready", "no"), ("busy", "no"), ("validation_failed", "no"), ("robot_error", "maybe")]
        self.assertEqual(errors, expected)

    def test_the_broker_is_an_address_with_a_user(self) -> None:
        for address in ("http://broker", "mqtt://", "mqtt://broker/robots"):
            with self.subTest(address), self.assertRaises(ValueError):
                Robot("robot-1", broker=address)
        for options in ({"ca": "ca.crt"}, {"link_loss_ms": 2000}, {"stop_effect": "fall"}):
            with self.subTest(str(options)), self.assertRaises(ValueError):
                self.make(**options)
        with self.assertRaises(ValueError):
            Robot("robot/1", broker="mqtt://broker")
        self.assertNotIn("secret", repr(Robot("robot-1", broker="mqtts://me:secret%2F1@broker")._address))
