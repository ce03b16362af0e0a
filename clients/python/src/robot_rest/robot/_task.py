"""Work that a stop ends: a motion, or a mission that continues after its command was answered."""

from __future__ import annotations

import threading
import time
import uuid
from typing import Any, Callable, Optional

from ._refusals import Cancelled, Refused

#: How often the progress of a mission is published at most, in seconds.
PROGRESS_SECONDS = 1.0


class Task:
    """One run of a command. A command whose first parameter is named ``task`` receives it, and is a mission: it is
    answered with the mission's id as soon as it uses the task, or has run for 0.2 s."""

    def __init__(self, name: str, client_id: str, *, motion: bool, finishes: bool, mission: bool) -> None:
        self.id = str(uuid.uuid4())
        self.name, self.client_id = name, client_id
        self.motion, self.mission = motion, mission
        self.finishes = finishes  # continues when the link is lost
        self.order = 0  # later ones have higher numbers
        self.driving = False  # has taken over from other commands with replaces=True
        self.begun = False
        self.runs = False  # its command may be moving the robot
        self.over = False  # its command has returned
        self.halted = True  # where it is cancelled or fails, the robot is halted
        self.cancelled_at = float("inf")
        self._ended = threading.Event()
        self._refusal: Optional[Cancelled] = None
        self._lock, self._beginning = threading.Lock(), threading.RLock()
        self._on_begin: Optional[Callable[[], None]] = None
        self._on_progress: Callable[[float], None] = lambda fraction: None
        self._progressed = float("-inf")

    @property
    def cancelled(self) -> threading.Event:
        """Set once the command has to end: it was cancelled or replaced, the robot was stopped, or the link was lost."""
        self.begin()
        return self._ended

    def check(self) -> None:
        """Raises Cancelled if the task was cancelled. Call it before every call that moves the robot."""
        self.begin()
        self.assert_alive()

    def sleep(self, seconds: float) -> None:
        """Waits. Raises Cancelled as soon as the task is cancelled."""
        self.begin()
        self._ended.wait(seconds)
        self.assert_alive()

    def progress(self, fraction: float) -> None:
        """Tells how much of the mission is done, from 0 to 1."""
        self.begin()
        now = time.monotonic()
        if now - self._progressed >= PROGRESS_SECONDS or fraction >= 1:
            self._progressed = now
            self._on_progress(min(1.0, max(0.0, float(fraction))))

    # What follows is for the package.

    def when_begun(self, on_begin: Callable[[], None], on_progress: Callable[[float], None]) -> None:
        self._on_begin, self._on_progress = on_begin, on_progress

    def begin(self) -> None:
        """Answers the command of a mission with its id, once."""
        with self._beginning:  # whoever comes second waits until it has begun
            on_begin, self._on_begin = self._on_begin, None
            self.begun = self.begun or on_begin is not None
            if on_begin is not None:
                on_begin()

    def forgo(self) -> bool:
        """The command was refused before it began. False if it has begun already."""
        with self._beginning:
            self._on_begin = None
            return not self.begun

    def cancel(self, why: str, code: str = "stopped") -> None:
        with self._lock:
            if self.over:
                return
            if self._refusal is None:
                self._refusal, self.cancelled_at = Cancelled(code, why), time.monotonic()
        self._ended.set()

    def end(self) -> None:
        """Its command has returned: from now on, it cannot be cancelled."""
        with self._lock:
            self.over, self.runs = True, False

    @property
    def refusal(self) -> Optional[Cancelled]:
        """Why it was cancelled; None if it was not."""
        return self._refusal

    def assert_alive(self) -> None:
        if self._refusal is not None:
            raise Cancelled(self._refusal.code, self._refusal.detail)

    def interrupted(self) -> Refused:
        """The answer of a command that was cancelled while it ran."""
        refusal: Any = self._refusal
        return Refused(refusal.code, refusal.detail, "maybe")
