"""Tells whether a mission was ended by this program, by a stop, or by somebody else."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional, Set

from ._commands import Result, message_of
from ._lease import Control, lease_lost
from .errors import Declined, RobotRestError, Stopped

WAITS = ("wait_for_skill", "wait_for_skill_started")
CANCEL = "cancel_"
SKILLS = ("skill", "play_sequence")
#: Number of missions to remember; the oldest is forgotten first.
MAX_REMEMBERED = 1000
#: Seconds for which a cancelled wait is held back for pending commands that may have cancelled it.
PATIENCE = 5.0


class Endings:
    """Remembers which missions this program has ended.

    Any other cancelled mission counts as stopped, to be on the safe side: the robot gives the same answer after a stop,
    after a lease was taken, and after another client cancelled the mission.
    """

    def __init__(self, control: Control) -> None:
        #: Number of stops this program has sent.
        self.stops = 0
        self._control = control
        self._begun: Dict[str, None] = {}
        self._ended: Dict[str, None] = {}
        self._drive: Optional[str] = None
        self._under_way: Set[asyncio.Future[None]] = set()

    @contextmanager
    def during(self, name: str, motion: Optional[bool]) -> Iterator[None]:
        """Marks a command as pending; waits that it may cancel are judged once it has been answered."""
        if name in WAITS or not (name.startswith(CANCEL) or motion is not False):
            yield
            return
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._under_way.add(over)
        try:
            yield
        finally:
            self._under_way.discard(over)
            over.set_result(None)

    def note(self, name: str, motion: Optional[bool], value: Any, result: Result) -> None:
        """Records a command that was carried out."""
        if name in WAITS:
            return
        if name.startswith(CANCEL):
            for id in [value] if isinstance(value, str) else list(self._begun):
                _remember(self._ended, id)
            return
        if result.replaced and self._drive is not None:
            _remember(self._ended, self._drive)
        begun = message_of(result.result)
        if begun is not None and motion is not False:
            _remember(self._begun, begun)
            if name not in SKILLS:
                self._drive = begun

    async def judge(self, declined: Declined, id: Any, stops_before: int) -> RobotRestError:
        """Returns the error to raise for a declined wait: Declined, Stopped or LeaseLost."""
        if self.stops == stops_before:
            if "cancel" not in declined.detail.lower():
                return declined
            if self._under_way:
                await asyncio.wait(set(self._under_way), timeout=PATIENCE)
            if id in self._ended:
                return declined
        lease = self._control.lease
        if lease is not None and await lease.is_lost():
            return lease_lost("The mission ended because the lease was lost.", declined.status)
        return Stopped(declined.status, "stopped", "The mission was ended by a stop or by another client.")


def _remember(ids: Dict[str, None], id: str) -> None:
    ids[id] = None
    if len(ids) > MAX_REMEMBERED:
        del ids[next(iter(ids))]
