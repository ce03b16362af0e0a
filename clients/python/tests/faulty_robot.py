"""The simulated robot with one fault of those that makers plant: ROBOT_FAULT=NAME python3 faulty_robot.py HOST PORT ROBOT_ID"""

import json
import os
import runpy
import threading
from pathlib import Path
from typing import Any, Callable, Dict
from unittest import mock

from robot_rest.robot import _dispatch, _link, _messages, _standstill
from robot_rest.robot._dispatch import Dispatcher
from robot_rest.robot._jog import Hand
from robot_rest.robot._link import Link
from robot_rest.robot._reports import Reports
from robot_rest.robot._robot import Robot
from robot_rest.robot._safety import Safety
from robot_rest.robot._takeovers import Takeovers

FAULTS: Dict[str, Callable[[], Any]] = {}


def fault(plant: Callable[[], Any]) -> Callable[[], Any]:
    FAULTS[plant.__name__] = plant
    return plant


def patch(owner: Any, name: str, value: Any) -> None:
    mock.patch.object(owner, name, value).start()


@fault
def catalogue_entry_of_no_kind() -> None:
    presence = Robot._presence

    def wrong(robot: Robot) -> Dict[str, Any]:
        message = presence(robot)
        entries = [{**entry, "kind": "pose"} if entry["name"] == "dock" else entry for entry in message["catalogue"]]
        return {**message, "catalogue": entries}

    patch(Robot, "_presence", wrong)


@fault
def answers_of_another_type() -> None:
    whole = _messages.answer_to

    def wrong(id: str, outcome: Any) -> Dict[str, Any]:
        answer = whole(id, outcome)
        return {**answer, "result": 5} if answer.get("result") == "en" else answer

    patch(_link, "answer_to", wrong)


@fault
def confirms_a_stop_at_once() -> None:
    patch(_standstill.Standstill, "watch", lambda self, read, may_move: True)
    patch(Reports, "moving", lambda self: False)


@fault
def confirms_a_stop_although_driven() -> None:
    watch = _standstill.Standstill.watch
    patch(_standstill.Standstill, "watch", lambda self, read, may_move: watch(self, lambda: 0.0, may_move))
    patch(Reports, "moving", lambda self: False)


@fault
def runs_late_commands() -> None:
    for module in (_dispatch, _messages):
        patch(module, "check_time", lambda message: None)


@fault
def runs_commands_of_the_future() -> None:
    patch(_messages, "SKEW_SECONDS", 3600)


@fault
def runs_repeated_messages() -> None:
    patch(Dispatcher, "_is_new", lambda self, message: True)


@fault
def does_not_compare_numbers() -> None:
    may_move = Safety._assert_may_move
    patch(Safety, "_assert_may_move", lambda self, sent: may_move(self, None))


@fault
def goes_on_when_frames_cease() -> None:
    patch(Hand, "_watch", lambda self, now: None)


@fault
def goes_on_when_its_link_hangs() -> None:
    patch(Safety, "_watch_link", lambda self, now: None)


@fault
def takes_its_id_back() -> None:
    patch(Takeovers, "notice", lambda self, session: False)


turn = threading.Lock()


def one_after_the_other(but: str) -> None:
    """Runs commands one after the other, and lets those that wait keep their turn."""
    begin = Dispatcher._run

    def run(self: Dispatcher, each: Any) -> None:
        with turn:
            begin(self, each)

    def wait(self: Dispatcher, future: Any, message: Any, reply: Callable[[Any], None]) -> None:
        reply(future.result())

    patch(Dispatcher, "_run", lambda self, each: (begin if each._command.entry["name"] in but else run)(self, each))
    patch(Dispatcher, "wait", wait)


@fault
def waits_in_the_way_of_queries() -> None:
    one_after_the_other(but="go_to_relative cancel_skill")


@fault
def queues_stops_behind_commands() -> None:
    one_after_the_other(but="go_to_relative")
    handle = Link._handle_stop

    def queue(self: Link, packet: Any) -> None:
        with turn:
            handle(self, packet)

    patch(Link, "_handle_stop", lambda self, packet: threading.Thread(target=queue, args=(self, packet)).start())


@fault
def ends_at_what_it_cannot_parse() -> None:
    handle = Link._on_message

    def parse(self: Link, client: Any, userdata: Any, packet: Any) -> None:
        try:
            json.loads(packet.payload)
        except ValueError:
            os._exit(1)
        handle(self, client, userdata, packet)

    patch(Link, "_on_message", parse)


@fault
def does_not_say_that_it_replaced() -> None:
    take = Safety.take

    def silently(self: Safety, task: Any) -> bool:
        take(self, task)
        return False

    patch(Safety, "take", silently)


if __name__ == "__main__":
    FAULTS[os.environ["ROBOT_FAULT"]]()
    runpy.run_path(str(Path(__file__).with_name("simulated_robot.py")), run_name="__main__")
