"""The ends of moves that the robot's own software numbers and reports in any order."""

from __future__ import annotations

import collections
import threading
from typing import Any, Hashable, Optional

from ._task import Task

MAX_UNCLAIMED = 1000


class Ends:
    """Joins two orders of events: software that answers a request with the id of a move, and reports the end of the move
    by that id somewhere else, may report it **before** it has answered.

    Call `tell` where the ends are reported, and `wait` in the command.
    """

    def __init__(self) -> None:
        self._ends: collections.OrderedDict[Hashable, Any] = collections.OrderedDict()
        self._changed = threading.Condition()

    def tell(self, key: Hashable, outcome: Any = None) -> None:
        """The move with this id has ended. Ends that nobody waits for are kept; of those, the oldest are forgotten."""
        with self._changed:
            self._ends[key] = outcome
            while len(self._ends) > MAX_UNCLAIMED:
                self._ends.popitem(last=False)
            self._changed.notify_all()

    def wait(self, task: Task, key: Hashable, timeout: Optional[float] = None) -> Any:
        """Waits for the end of a move and gives its outcome. Raises Cancelled once the task is cancelled (then end the move
        yourself), and TimeoutError."""
        left = timeout
        while True:
            with self._changed:
                if key in self._ends:
                    return self._ends.pop(key)
                self._changed.wait(0.02)
            task.check()
            if left is not None:
                left -= 0.02
                if left <= 0:
                    raise TimeoutError(f"the end of {key!r} was not reported within {timeout} s")
