"""Functions that are called at their time."""

from __future__ import annotations

import heapq
import itertools
import threading
from typing import Any, Callable, List, Tuple


class Timers:
    """Calls functions at their time, from the guard's thread. They must not block."""

    def __init__(self) -> None:
        self._heap: List[Tuple[float, int, Callable[[], Any]]] = []
        self._numbers, self._lock = itertools.count(), threading.Lock()

    def at(self, when: float, call: Callable[[], Any]) -> None:
        """`when` is monotonic."""
        with self._lock:
            heapq.heappush(self._heap, (when, next(self._numbers), call))

    def watch(self, now: float) -> None:
        while True:
            with self._lock:
                if not self._heap or self._heap[0][0] > now:
                    return
                call = heapq.heappop(self._heap)[2]
            call()
