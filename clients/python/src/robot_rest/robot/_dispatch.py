"""Runs commands: each judged again, run at most once, in a thread of its own."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Dict, Optional

from . import _log
from ._commands import CALLED_EXAMPLE, Call, Command, Commands
from ._messages import SKEW_SECONDS, check_time, read_command
from ._missions import Missions
from ._refusals import Answer, Declined, Refused, said_by
from ._safety import Safety
from ._task import Task
from ._timers import Timers

MAX_COMMANDS, MAX_WAITS, MAX_IDS = 1000, 10_000, 100_000
#: A mission is answered with its id after this time, in seconds, even if it has not used its task.
BEGIN_SECONDS = 0.2
Reply = Callable[[Any], None]


class Dispatcher:
    def __init__(self, commands: Commands, safety: Safety, missions: Missions) -> None:
        self._commands, self._safety, self._missions = commands, safety, missions
        self._seen: Dict[str, float] = {}  # id: until when a duplicate would still be accepted
        self._running = threading.Semaphore(MAX_COMMANDS)
        self._waiting = threading.Semaphore(MAX_WAITS)
        self._timers = Timers()
        safety.watch(self._timers.watch)

    def begin(self, payload: bytes, reply: Reply) -> None:
        """Called in order of arrival. Judges a message and runs its command in a thread of its own."""
        try:
            message = read_command(payload)
            check_time(message)
            command = self._commands.find(message)
            command, arguments = self._commands.resolve(command, message)
            if not self._is_new(message):
                return
            if self._safety.closed:
                raise Refused("robot_unavailable", self._safety.closed)
            call = Call(message)
            task = Task(
                command.entry["name"],
                call.client_id,
                motion=command.motion,
                finishes=command.finishes,
                mission=command.mission,
            )
            if command.motion or command.mission:
                self._safety.admit(task, call.fence)
        except (Refused, Declined) as refusal:
            reply(refusal)
            return
        run = _Run(self, message, command, call, task, arguments, reply)
        if not self._running.acquire(blocking=False):
            run.give_up()
            return
        try:
            threading.Thread(target=self._run, args=(run,), daemon=True).start()
        except RuntimeError:  # the machine has no more threads
            self._running.release()
            run.give_up()

    def _run(self, run: _Run) -> None:
        try:
            run.work()
        finally:
            self._running.release()

    def _is_new(self, message: Dict[str, Any]) -> bool:
        now = time.time()
        if message["id"] in self._seen:
            return False
        if len(self._seen) >= MAX_IDS:
            self._seen = {known: until for known, until in self._seen.items() if until >= now}
        if len(self._seen) >= MAX_IDS:  # forgetting one of them could run its command twice
            raise Refused("robot_unavailable", "The robot has more commands than it can keep apart.")
        self._seen[message["id"]] = message["deadline"] / 1000 + SKEW_SECONDS
        return True

    def wait(self, future: Future[Any], message: Dict[str, Any], reply: Reply) -> None:
        """Answers with a result that comes later, at the latest at the deadline. Takes no thread."""
        if not self._waiting.acquire(blocking=False):
            reply(Refused("busy", "The robot has too many commands waiting.", "maybe"))
            return
        lock, state = threading.Lock(), {"answered": False}

        def settle(outcome: Any) -> None:
            with lock:
                if state["answered"]:
                    return
                state["answered"] = True
            self._waiting.release()
            reply(outcome)

        def done(ended: Future[Any]) -> None:
            try:
                settle(ended.result())
            except BaseException as failure:  # CancelledError as well
                settle(_refusal(failure))

        late = Refused("robot_timeout", "What the command waits for has not happened yet, and may still happen.", "maybe")
        seconds = max(0.0, message["deadline"] / 1000 - time.time())
        self._timers.at(time.monotonic() + seconds, lambda: settle(late))
        future.add_done_callback(done)

    def soon(self, seconds: float, call: Callable[[], Any]) -> None:
        self._timers.at(time.monotonic() + seconds, call)

    @property
    def safety(self) -> Safety:
        return self._safety

    @property
    def missions(self) -> Missions:
        return self._missions


class _Run:
    """One run of a command."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        message: Dict[str, Any],
        command: Command,
        call: Call,
        task: Task,
        arguments: Dict[str, Any],
        reply: Reply,
    ) -> None:
        self._dispatcher, self._message, self._command, self._call = dispatcher, message, command, call
        self._task, self._arguments, self._reply = task, arguments, reply

    def give_up(self) -> None:
        self._dispatcher.safety.release(self._task)
        self._reply(Refused("busy", "The robot has too many commands under way."))

    def work(self) -> None:
        task, command = self._task, self._command
        outcome: Any = None
        failure: Any = None
        try:
            check_time(self._message)  # the thread may have been scheduled late
            task.assert_alive()
            if command.check is not None:
                command.check(**self._arguments)
            replaced = command.replaces and self._dispatcher.safety.take(task)
            if self._dispatcher.safety.enter(task):
                check_time(self._message)  # it had to wait
            if command.shared:
                outcome = command.function(self._call)
            elif command.mission:
                self._begin_later(replaced)
                command.function(task, **self._arguments)
            else:
                outcome = Answer(command.function(**self._arguments), replaced)
                if task.refusal is not None:
                    outcome = task.interrupted()
        except Declined as declined:
            failure = outcome = declined
        except Refused as refusal:
            failure = outcome = refusal
        except BaseException as error:  # also SystemExit, and CancelledError of asyncio: they end the command, no more
            _log.exception("%s failed", command.entry["name"])
            failure, outcome = error, _refusal(error)
        refused = failure is not None and not task.begun and task.forgo()
        # What a command declines or refuses before it begins has moved nothing.
        failed = failure is not None and not (refused and isinstance(failure, (Declined, Refused)))
        problem = self._dispatcher.safety.leave(task, failed)
        if command.mission and not refused:
            self._end_mission(failure, problem)
        else:
            self._answer(outcome, problem)

    def _begin_later(self, replaced: bool) -> None:
        dispatcher, task = self._dispatcher, self._task

        def begin() -> None:
            dispatcher.missions.add(task)
            self._reply(Answer({**CALLED_EXAMPLE, "msg": task.id}, replaced))

        task.when_begun(begin, lambda fraction: dispatcher.missions.progress(task, fraction))
        dispatcher.soon(BEGIN_SECONDS, task.begin)

    def _end_mission(self, failure: Any, problem: Optional[str]) -> None:
        self._task.begin()  # also where it ended before it has used its task
        self._dispatcher.safety.release(self._task)
        self._dispatcher.missions.end(self._task, failure, problem)

    def _answer(self, outcome: Any, problem: Optional[str]) -> None:
        self._dispatcher.safety.release(self._task)
        if isinstance(outcome, Declined) and self._command.mission and outcome.result is None:
            outcome.result = {"called": False, "msg": outcome.sentence}
        result = outcome.result if isinstance(outcome, Answer) else outcome
        if problem is not None:
            why = outcome.detail if isinstance(outcome, Refused) else "The command was cancelled."
            self._reply(Refused("robot_error", f"{why.rstrip('.')}. {problem}", "maybe"))
        elif isinstance(result, Future):
            self._dispatcher.wait(result, self._message, self._reply)
        else:
            self._reply(outcome)


def _refusal(failure: BaseException) -> Any:
    if isinstance(failure, (Refused, Declined)):
        return failure
    return Refused("robot_error", said_by(failure), "maybe")


def as_json(answer: Dict[str, Any], longest: int) -> str:
    """The text of an answer, or that of an error where it cannot be sent."""
    try:
        text = json.dumps(answer, allow_nan=False)
        if len(text) <= longest:
            return text
        why = f"it has {len(text)} bytes, and {longest} are allowed"
    except (TypeError, ValueError) as failure:
        why = str(failure)
    _log.warning("a result cannot be sent: %s", why)
    error = {"code": "robot_error", "detail": f"The command has run, but its result cannot be sent: {why}.", "ran": "maybe"}
    return json.dumps({"v": 1, "id": answer["id"], "ok": False, "error": error})
