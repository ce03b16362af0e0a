"""Carries out stops, in a thread of its own that was started first."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Callable, List, Optional

from . import _log
from ._refusals import said_by

if TYPE_CHECKING:
    from ._safety import Safety

#: A stop that is not confirmed by then is answered with an error, in seconds.
STOP_SECONDS = 4.0
#: A stop function that has not returned by then counts as hanging.
HUNG_SECONDS = STOP_SECONDS + 1


class Stop:
    def __init__(self, settle: Callable[[Optional[str]], None], after: float) -> None:
        self.settle, self.asked = settle, time.monotonic()
        self.arrived = min(self.asked, after)


class Stopping:
    """Calls the maker's stop function until it returns True, for at most 4 s. A stop is confirmed by a call that began
    after it had arrived, and after every command that was cancelled for it had ended: a command that is still running
    could move the robot again."""

    def __init__(self, safety: Safety) -> None:
        self.function: Callable[[], Any] = lambda: True
        self._stands_since: Optional[float] = None  # since when `standstill` has seen it, in the present call
        self._seen = ""  # why not, in a sentence
        self.thread: Optional[threading.Thread] = None
        self.failing = False  # it raises, or does not return
        self._told = ""
        self._safety = safety
        self._arrived = threading.Condition()
        self._stops: List[Stop] = []
        self._pass_began: Optional[float] = None

    def start(self) -> None:
        self.thread = threading.Thread(target=self._work, name="robot-stop", daemon=True)
        self.thread.start()

    def begin(self, settle: Callable[[Optional[str]], None], after: float = float("inf")) -> None:
        """Halts the robot. Where this is `after` an earlier time, a call since then is enough, and it is settled first: a
        stop has cancelled the command for which this is."""
        with self._arrived:
            stop = Stop(settle, after)
            self._stops.insert(len(self._stops) if stop.arrived == stop.asked else 0, stop)
            self._arrived.notify()

    def look(self, since: Optional[float], problem: str) -> None:
        """What `standstill` has seen in the present call: since when a part of the robot stands, or why it is not known
        to. All parts have to have been seen standing after the last command has ended, so the earliest time counts."""
        if since is None:
            self._seen, since = problem, float("-inf")
        self._stands_since = since if self._stands_since is None else min(since, self._stands_since)

    def watch(self, now: float) -> None:
        """Answers for a stop function that hangs, and lets another thread call it."""
        began = self._pass_began
        if began is None or now - began < HUNG_SECONDS:
            return
        self._pass_began, self.failing = None, True
        with self._arrived:
            hung = [stop for stop in self._stops if stop.arrived <= began]
            self._stops = [stop for stop in self._stops if stop.arrived > began]
        self.start()
        for stop in hung:
            self._settle(stop, f"The stop function of the robot has not returned for {HUNG_SECONDS:.0f} s.")

    def _work(self) -> None:
        me = threading.current_thread()
        while self.thread is me:
            with self._arrived:
                while not self._stops:
                    self._arrived.wait()
            began = self._pass_began = time.monotonic()
            problem = self._call(began)
            if self.thread is not me:
                return
            self._pass_began = None
            now = time.monotonic()
            with self._arrived:
                done = [stop for stop in self._stops if self._is_over(stop, began, now, problem)]
                self._stops = [stop for stop in self._stops if not self._is_over(stop, began, now, problem)]
            for stop in done:
                self._settle(stop, problem)
            if problem is not None:
                time.sleep(0.02)

    @staticmethod
    def _is_over(stop: Stop, began: float, now: float, problem: Optional[str]) -> bool:
        if problem is None:
            return stop.arrived <= began
        return now - stop.asked >= STOP_SECONDS

    def _call(self, began: float) -> Optional[str]:
        """Halts the robot; why it is not known to stand."""
        self._seen, self._stands_since = "", None
        try:
            stands = self.function() is True
        except BaseException as failure:  # this thread has to go on, even after SystemExit
            self._failed(said_by(failure))
            return f"The robot may be still moving: its stop function failed. {said_by(failure)}"
        self.failing, self._told = False, ""
        running = self._safety.moving()
        if running:
            return f"The robot may move again: {running[0]}"
        if not stands:
            return self._seen or "The robot was not seen standing still; something else may be driving it."
        if self._safety.last_end > max(began, self._stands_since or began):
            return "The robot was not seen standing still since the last command ended."
        if self._safety.reports.moving():
            return "The robot itself reports that it is moving, by publish_state(moving=True)."
        return None

    def _failed(self, what: str) -> None:
        """Logs it, but not 50 times a second."""
        self.failing = True
        told, self._told = self._told, what
        if told != what:
            _log.exception("the stop function failed")

    @staticmethod
    def _settle(stop: Stop, problem: Optional[str]) -> None:
        try:
            stop.settle(problem)
        except Exception:
            _log.exception("could not answer a stop")
