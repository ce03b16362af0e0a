"""Runs of skills on the robot."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, AsyncGenerator, Dict, List, Mapping, Optional

from ._http import parse_json
from ._session import Session, segment
from ._sse import SseParser
from ._within import within

if TYPE_CHECKING:
    from ._lease import Lease

POLL_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.0)
ENDED = ("succeeded", "failed", "stopped", "lost")
SILENCE = 40.0


class Run:
    """One run of a skill. ``state`` is as of the last ``completed()``, ``stop()`` or ``runs.get()``."""

    def __init__(self, session: Session, record: Mapping[str, Any]) -> None:
        self._session = session
        self._record: Mapping[str, Any] = record
        self.id = str(record["id"])

    @property
    def state(self) -> str:
        """One of starting, running, stopping, succeeded, failed, stopped, lost."""
        return str(self._record.get("state", ""))

    @property
    def result(self) -> Any:
        """What the function returned."""
        return self._record.get("result")

    @property
    def error(self) -> Optional[Dict[str, Any]]:
        """Why it failed: ``code``, ``message``, ``last_lines``."""
        error = self._record.get("error")
        return error if isinstance(error, dict) else None

    async def completed(self, timeout: Optional[float] = None) -> Run:
        """Returns once it has ended, in whatever ``state``. After ``timeout`` seconds raises asyncio.TimeoutError."""
        return await within(timeout, self._ended())

    async def stop(self) -> Run:
        """Ends the run. The robot itself continues what it is doing."""
        self._record = (await self._session.request("POST", f"{self._path}/stop")).object()
        return self

    async def logs(self, follow: bool = False) -> AsyncGenerator[str, None]:
        """Yields its output line by line; with ``follow``, continues until the run ends."""
        if not follow:
            for entry in (await self._session.request("GET", f"{self._path}/logs")).object().get("entries", []):
                yield str(entry.get("message", ""))
            return
        parser = SseParser()
        async for piece in self._session.stream(f"{self._path}/logs?follow=true", {}, silence=SILENCE):
            for message in parser.feed(piece):
                if message.event == "end":
                    return
                entry = parse_json(message.data.encode("utf-8"))
                yield str(entry.get("message", "")) if isinstance(entry, dict) else ""

    @property
    def _path(self) -> str:
        return "/api/v2/runs/" + segment(self.id)

    async def _ended(self) -> Run:
        polls = 0
        while True:
            self._record = (await self._session.request("GET", self._path)).object()
            if self.state in ENDED:
                return self
            await asyncio.sleep(POLL_SECONDS[min(polls, len(POLL_SECONDS) - 1)])
            polls += 1

    def __repr__(self) -> str:
        return f"<Run {self.id} {self.state}>"


class Runs:
    """Runs of skill files."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def start(
        self,
        skill: str,
        args: Optional[Mapping[str, Any]] = None,
        function: Optional[str] = None,
        timeout_s: int = 3600,
        lease: Optional[Lease] = None,
    ) -> Run:
        """Starts a function of a skill file. With ``lease``, it moves the robot under that lease and ends with it."""
        body: Dict[str, Any] = {"skill": skill, "args": dict(args or {}), "timeout_s": timeout_s}
        if function is not None:
            body["function"] = function
        if lease is not None:
            body["lease"] = lease.id
        return Run(self._session, (await self._session.request("POST", "/api/v2/runs/", body)).object())

    async def list(self) -> List[Run]:
        """All runs, newest first."""
        answer = (await self._session.request("GET", "/api/v2/runs/")).object()
        return [Run(self._session, record) for record in answer.get("runs", [])]

    async def get(self, id: str) -> Run:
        answer = await self._session.request("GET", "/api/v2/runs/" + segment(id))
        return Run(self._session, answer.object())
