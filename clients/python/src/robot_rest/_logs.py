"""Logs of services on the robot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, AsyncGenerator, Mapping, Optional

from ._events import Gap, follow_events, parse_time
from ._session import Session, segment


@dataclass(frozen=True)
class LogEntry:
    """A log entry. ``priority`` is the syslog severity, 0 (emergency) to 7 (debug).

    ``gap`` marks a placeholder: the connection was interrupted for so long that entries may be missing here.
    """

    time: Optional[datetime]
    message: str
    priority: Optional[int] = None
    pid: Optional[int] = None
    gap: bool = False

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> LogEntry:
        time = parse_time(entry.get("timestamp"))
        return cls(time, str(entry.get("message", "")), entry.get("priority"), entry.get("pid"))

    def __str__(self) -> str:
        return self.message


async def read_logs(session: Session, system: str, unit: str, follow: bool) -> AsyncGenerator[LogEntry, None]:
    """Yields the last hour of a unit's log, oldest first; with ``follow``, new entries as they are written instead."""
    if not follow:
        target = f"/api/v2/service/{segment(system)}/{segment(unit)}"
        for entry in (await session.request("GET", target)).object().get("entries", []):
            yield LogEntry.of(entry)
        return
    events = follow_events(session, (f"logs/{system}/{unit}",), None)
    try:
        async for event in events:
            if isinstance(event, Gap):
                yield LogEntry(None, "(entries may be missing here)", gap=True)
            elif event.type != "snapshot" and isinstance(event.data, dict):
                yield LogEntry.of(event.data)
    finally:
        await events.aclose()
