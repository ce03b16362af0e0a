"""Whether the robot stands still, by its own sensors."""

from __future__ import annotations

import time
from typing import Any, Callable, List, Mapping, Optional, Union

#: Between two looks the robot may have moved unnoticed, if more time has passed than this (seconds).
GAP = 0.15
#: How long one call looks at most, beyond the window (seconds).
PATIENCE = 1.0


class Standstill:
    """One look that lasts until the robot has stood for a while, or is not likely to stand soon."""

    def __init__(self, window: float, tolerance: float) -> None:
        self._window, self._tolerance = window, tolerance
        self.since: Optional[float] = None
        self.problem = "The robot was not seen standing still."
        self._lowest: List[float] = []
        self._highest: List[float] = []

    def watch(self, read: Callable[[], Any], may_move: Callable[[], bool]) -> bool:
        """True once the robot has stood still for the window. `may_move`: a command could still move it."""
        began = looked = time.monotonic()
        while True:
            asked = time.monotonic()
            if self.since is not None and asked - looked > GAP:
                self._reset(f"The robot was not seen standing still for {self._window} s without a gap.")
            try:
                stands = self._stands(_numbers(read()))
            except BaseException as failure:  # also SystemExit
                stands = False
                self._reset(f"The robot may be still moving: its sensors cannot be read. {failure}")
            looked = time.monotonic()
            if may_move():
                self.problem = "A command that was cancelled has not ended."
                return False  # to be halted again
            if not stands:
                self._reset(None)
            elif self.since is None:
                self.since = looked
            elif asked - self.since >= self._window:
                return True
            if looked - began > self._window + PATIENCE:
                return False
            time.sleep(0.01)

    def _reset(self, why: Optional[str]) -> None:
        self.since, self._lowest, self._highest = None, [], []
        self.problem = why or self.problem

    def _stands(self, seen: Union[float, List[float]]) -> bool:
        if isinstance(seen, float):
            if abs(seen) < self._tolerance:
                return True
            self.problem = f"The robot is still moving at {abs(seen):.2f}; something else may be driving it."
            return False
        if self.since is None or len(seen) != len(self._lowest):
            self._lowest, self._highest = seen, seen
        self._lowest = [min(pair) for pair in zip(self._lowest, seen)]
        self._highest = [max(pair) for pair in zip(self._highest, seen)]
        moved = max((high - low for low, high in zip(self._lowest, self._highest)), default=0.0)
        if moved <= self._tolerance:
            return True
        self.problem = f"The robot is still moving: a joint has moved by {moved:.3f} meanwhile."
        return False


def _numbers(seen: Any) -> Union[float, List[float]]:
    """A speed, or the positions of joints. Raises ValueError for what is not finite."""
    values = list(seen.values()) if isinstance(seen, Mapping) else seen
    found: Union[float, List[float]]
    found = [float(each) for each in values] if isinstance(values, (list, tuple)) else float(values)
    if found == []:
        raise ValueError("They say nothing.")
    for each in found if isinstance(found, list) else [found]:
        if each - each != 0:
            raise ValueError(f"They say {each}.")
    return found
