"""Detects another program with the id of this robot. See "Two programs with one id" in docs/mqtt.md."""

from __future__ import annotations

import collections
import secrets
import time
from typing import Deque, List, Optional

#: This many takeovers in this time (seconds) reveal a second program.
TAKEOVERS, TAKEOVER_SECONDS = 3, 120


class Takeovers:
    """Sessions that are not our own."""

    def __init__(self) -> None:
        self._known: Deque[str] = collections.deque(maxlen=1000)
        self._times: List[float] = []
        self._first = True

    def new_session(self) -> str:
        session = secrets.token_urlsafe(12)
        self._known.append(session)
        return session

    def notice(self, session: Optional[str]) -> bool:
        """Records the retained session. True if another program has taken over too often."""
        first, self._first = self._first, False
        if session is None or session in self._known:
            return False
        self._known.append(session)  # a stale presence counts once, and not at all at the start
        if first:
            return False
        now = time.monotonic()
        self._times = [then for then in self._times if now - then < TAKEOVER_SECONDS] + [now]
        return len(self._times) >= TAKEOVERS
