"""What the connections of a robot have in common, and their succession."""

from __future__ import annotations

import secrets
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional

from . import _log
from ._broker import BrokerAddress
from ._dispatch import Dispatcher
from ._jog import Hand
from ._link import Link
from ._missions import Missions
from ._reports import Reports
from ._safety import Safety
from ._takeovers import Takeovers


@dataclass(frozen=True)
class Parts:
    robot_id: str
    safety: Safety
    dispatcher: Dispatcher
    missions: Missions
    reports: Reports
    hand: Optional[Hand]
    ping_seconds: float
    presence: Callable[[], Dict[str, Any]]  # without the session


class Connector:
    """Reconnects whenever the connection is lost, unless another program has taken the robot's id."""

    def __init__(self, address: BrokerAddress, parts: Parts, on_taken_over: Callable[[], None]) -> None:
        self._address, self._parts, self._on_taken_over = address, parts, on_taken_over
        self._takeovers, self._ending = Takeovers(), threading.Event()
        self._link: Optional[Link] = None
        threading.Thread(target=self._stay_connected, name="robot-connect", daemon=True).start()

    def leave(self, reason: str) -> None:
        self._ending.set()
        if self._link is not None:
            self._link.leave(reason)

    def _halt(self) -> None:
        """Halts the robot before it can be reached: its motors may still run from before its program was started. Where
        its stop function fails, it stays offline."""
        told = ""
        while not self._ending.is_set():
            halted: Future[Optional[str]] = Future()
            self._parts.safety.stop(lambda problem, _cancelled: halted.set_result(problem))
            problem = halted.result()
            if not self._parts.safety.stopping.failing:
                if problem:
                    _log.warning("the robot was halted at its start, but: %s", problem)
                return
            if problem and problem != told:
                _log.warning("the robot stays offline: %s", problem)
                told = problem
            self._ending.wait(1)

    def _stay_connected(self) -> None:
        self._halt()
        wait = 0.2
        while not self._ending.is_set():
            link, began = None, time.monotonic()
            try:
                self._link = link = Link(self._address, self._parts, self._takeovers)
                while not link.gone.wait(0.5):
                    if min(time.monotonic() - began, self._parts.safety.silence()) > 10:
                        link.drop()
            except Exception as failure:
                at = f"{self._address.host}:{self._address.port}"
                _log.warning("could not connect to the broker at %s: %s", at, failure)
            if self._ending.is_set():
                return
            if link is not None and link.up:
                _log.warning("lost the connection to the broker")
                if time.monotonic() - began > 10:
                    wait = 0.2
            if link is not None and link.taken_over:
                _log.warning("another program has connected with the id of this robot; this one stops it and ends")
                self._on_taken_over()
                return
            self._ending.wait(wait * (0.5 + secrets.randbelow(1000) / 1000))
            wait = min(wait * 2, 5)
