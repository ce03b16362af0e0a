"""What the robot tells of itself: state and joints, until the link publishes them."""

from __future__ import annotations

import json
import math
import threading
import time
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

#: How often state and joints are published at most, and again if nothing changes, in seconds.
REPORT_SECONDS, REPEAT_SECONDS = 0.05, 1.0
#: After this time a member counts as unknown, unless it is one that changes slowly. In seconds.
STALE_SECONDS = 2.0
SLOW = ("battery", "power")
POWER = ("on", "off", "compliant", "unknown")


class Reports:
    """The latest of everything. A member that the program has stopped to publish is not repeated for it."""

    def __init__(self, estop: bool) -> None:
        self.has_estop = estop
        self._state: Dict[str, Tuple[float, Any]] = {}
        self._joints: Tuple[float, Optional[Dict[str, Any]]] = (-math.inf, None)
        self._told: Dict[str, Tuple[str, float]] = {}
        self._lock = threading.Lock()

    def state(self, members: Mapping[str, Any]) -> None:
        now, given = time.monotonic(), {name: value for name, value in members.items() if value is not None}
        if "battery" in given and not isinstance(given["battery"], Mapping):
            given["battery"] = {"level": given["battery"]}
        if "power" in given and given["power"] not in POWER:
            raise ValueError(f"power must be one of {', '.join(POWER)}")
        if "estop" in given:
            given["estop"] = _estop(given["estop"])
            self.has_estop = True
        if given.get("driver") == "":
            given["driver"] = None  # nobody
        json.dumps(given, allow_nan=False)  # raises ValueError or TypeError for what cannot be published
        with self._lock:
            self._state.update({name: (now, value) for name, value in given.items()})

    def joints(self, positions: Mapping[str, float]) -> None:
        values = [float(each) for each in positions.values()]
        if not all(map(math.isfinite, values)):
            raise ValueError("a position is not a finite number")
        with self._lock:
            self._joints = (time.monotonic(), {"v": 1, "names": list(positions), "positions": values})

    def estop(self) -> Optional[str]:
        """released, engaged or unknown; None if the robot has none."""
        if not self.has_estop:
            return None
        then, value = self._state.get("estop", (-math.inf, None))
        return value if time.monotonic() - then < STALE_SECONDS else "unknown"

    def moving(self) -> bool:
        """Whether its program has said so lately, of its own sensors."""
        then, value = self._state.get("moving", (-math.inf, None))
        return bool(value) and time.monotonic() - then < STALE_SECONDS

    def driver(self) -> Optional[str]:
        then, value = self._state.get("driver", (-math.inf, None))
        return value if time.monotonic() - then < STALE_SECONDS else None

    def due(self) -> List[Tuple[str, str]]:
        """What is to be published now: topics and messages."""
        now, due = time.monotonic(), []
        with self._lock:
            live = {
                name: value
                for name, (then, value) in self._state.items()
                if name in SLOW or now - then < STALE_SECONDS
            }
            then, joints = self._joints
        reports = {"state": {"v": 1, **live} if live else None, "joints": joints if now - then < STALE_SECONDS else None}
        for branch, report in reports.items():
            if report is None:
                continue
            text = json.dumps(report)
            before, told = self._told.get(branch, ("", -math.inf))
            if now - told >= (REPORT_SECONDS if text != before else REPEAT_SECONDS):
                self._told[branch] = text, now
                due.append((branch, text))
        return due


def _estop(value: Union[str, bool]) -> str:
    if value in ("released", "engaged"):
        return str(value)
    if isinstance(value, bool):
        return "engaged" if value else "released"
    raise ValueError('estop must be "released" or "engaged"')
