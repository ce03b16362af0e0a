"""Driving by hand: the latest frame counts, for at most the watchdog's time. See "Driving by hand" in docs/mqtt.md."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _log
from ._messages import read_jog
from ._refusals import Refused, said_by
from ._safety import Safety
from ._task import Task

#: How long the stick must be let go before it moves the robot again, in seconds.
HANDS_OFF_SECONDS = 0.05
STILL = (0.0, 0.0, 0.0)
Velocity = Tuple[float, float, float]


class Hand:
    """Judges frames in the thread that reads the socket, and calls the maker's function in a thread of its own.

    After the watchdog, and after everything that has ended the motion, the stick must be let go (a frame of zero
    velocity) before it moves the robot again: what a network held back arrives all at once, and none of it moves anything.
    """

    def __init__(
        self,
        safety: Safety,
        drive: Callable[[float, float, float], Any],
        watchdog_ms: int,
        max_linear: float,
        max_angular: float,
    ) -> None:
        if not 0 < watchdog_ms <= 500:
            raise ValueError("watchdog_ms must be from 1 to 500")
        self.offer: Dict[str, Any] = {"watchdog_ms": watchdog_ms, "max_linear": max_linear, "max_angular": max_angular}
        self._safety, self._function = safety, drive
        self._watchdog = watchdog_ms / 1000
        self._changed = threading.Condition()
        self._task: Any = None
        self._until = -math.inf
        self._last = (-1, -1)  # fence and number of the newest frame
        self._free_at = math.inf  # when a frame may move the robot; never before a frame of zero velocity
        self._wanted, self._sent = STILL, STILL
        self._calling_since = math.inf
        self._told = ""  # how the function failed last
        self._ending: List[Task] = []  # motions whose zero the robot has not taken yet

    def start(self) -> None:
        self._safety.watch(self._watch)
        threading.Thread(target=self._work, name="robot-jog", daemon=True).start()

    def handle(self, payload: bytes) -> None:
        """Judges a frame. There is no answer."""
        frame = read_jog(payload, self.offer["max_linear"], self.offer["max_angular"])
        with self._changed:
            if frame is None:
                self._let_go(math.inf)  # what cannot be read counts as zero
                return
            number, velocity, seconds = frame
            is_new = number > self._last and number[0] >= self._safety.fence.number
            if is_new and number[0] > self._last[0]:
                self._let_go(self._free_at)  # somebody else drives it now
            self._last = max(self._last, number)
            if not any(velocity):
                self._let_go(time.monotonic() + HANDS_OFF_SECONDS if is_new else self._free_at)
            elif is_new:
                self._drive(number[0], velocity, seconds)

    def end(self) -> None:
        """Ends the motion, if there is one."""
        with self._changed:
            self._let_go(math.inf)

    def _drive(self, fence: int, velocity: Velocity, seconds: float) -> None:
        now = time.monotonic()
        if now < self._free_at:
            return
        try:
            if self._task is None:
                if self._sent != STILL:
                    return  # the robot has not taken the zero of the last motion yet
                task = Task("jog", "", motion=True, finishes=False, mission=False)
                self._safety.admit(task, fence)
                self._task = task
            self._task.assert_alive()
            self._until = now + min(seconds, self._watchdog)
            if self._safety.take_over(self._task):
                self._wanted = velocity
                self._changed.notify()
        except Refused:
            self._let_go(math.inf)

    def _let_go(self, free_at: float) -> None:
        self._free_at = free_at
        self._wanted = STILL
        if self._task is not None:
            task, self._task = self._task, None
            task.cancel("The stick was let go.")
            if self._sent == STILL and self._calling_since == math.inf:
                self._safety.release(task)
            else:
                self._ending.append(task)
        self._changed.notify()

    def _watch(self, now: float) -> None:
        """Ends the motion if no frame has come for too long."""
        with self._changed:
            if self._task is not None and (now >= self._until or self._task.refusal is not None):
                self._let_go(math.inf)
            waiting = self._wanted == STILL or self._wanted != self._sent
            hangs = waiting and now - self._calling_since > self._watchdog
            if hangs:
                self._calling_since = math.inf
        if hangs:
            _log.warning("the jog function has not returned; the robot is stopped")
            self._safety.stop(self._stopped)

    @staticmethod
    def _stopped(problem: Optional[str], _cancelled: int) -> None:
        _log.warning("jog: %s", problem or "the robot stands")

    def _work(self) -> None:
        while True:
            with self._changed:
                while self._wanted == self._sent:
                    self._changed.wait()
                wanted = self._sent = self._wanted
                self._calling_since = time.monotonic()
            try:
                self._function(*wanted)
                failed = False
            except BaseException as failure:  # also SystemExit, which would end this thread
                failed = True
                told, self._told = self._told, said_by(failure)
                if told != self._told:  # zero is sent again and again
                    _log.exception("the jog function failed; the robot is stopped")
                    self._safety.stop(self._stopped)
            self._told = self._told if failed else ""
            self._took(wanted, failed)

    def _took(self, wanted: Velocity, failed: bool) -> None:
        with self._changed:
            self._calling_since = math.inf
            if failed:
                self._let_go(math.inf)
                self._sent = (math.inf, 0.0, 0.0)  # unknown: zero is sent until the robot takes it
            elif wanted == STILL:
                while self._ending:
                    self._safety.release(self._ending.pop())
        if failed:
            time.sleep(0.05)
