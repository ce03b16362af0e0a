"""Live events from the robot and its service."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from datetime import datetime
from typing import Any, AsyncGenerator, Dict, List, Mapping, Optional, Tuple, cast

from ._http import bad_answer, parse_json
from ._session import Session, query
from ._sse import Message, SseParser
from .errors import AuthError, Busy, Unavailable, from_problem

#: Seconds; the service sends a comment every 15 s.
SILENCE = 40.0
MAX_DELAY = 5.0


@dataclass(frozen=True)
class Event:
    """Something that happened; or, with the ``type`` ``"snapshot"``, the current state of a topic.

    ``type`` is ``robot.<topic>.<what>``. ``id`` can be passed to ``events(after=)``. ``subject`` is the id of what the
    event is about, such as a mission.
    """

    id: Optional[str]
    type: str
    topic: str
    time: Optional[datetime]
    data: Any
    subject: Optional[str] = None


@dataclass(frozen=True)
class Gap(Event):
    """Events of these ``topics`` may be missing here.

    Either the service was restarted (``from_id`` is ``None``), or the interruption was longer than its history. A
    snapshot of each topic that has one follows.
    """

    topics: Tuple[str, ...] = ()
    from_id: Optional[str] = None
    to_id: Optional[str] = None


async def follow_events(
    session: Session, topics: Tuple[str, ...], after: Optional[str]
) -> AsyncGenerator[Event, None]:
    """Yields events in order, reconnecting as needed and fetching events missed in between.

    Raises RobotRestError if the first connection fails, or if the service rejects the topics or the token.
    """
    last = after
    connected = False
    failures = refusals = 0
    while True:
        headers = {"Accept": "text/event-stream", **({} if last is None else {"Last-Event-ID": last})}
        token = session.token
        stream = cast(
            AsyncGenerator[bytes, None],
            session.stream("/api/v2/events" + query(topics=",".join(topics)), headers, silence=SILENCE),
        )
        parser = SseParser()
        try:
            async for piece in stream:
                connected, refusals = True, 0
                for message in parser.feed(piece):
                    failures = 0
                    event = _event_of(message)
                    if event is None:
                        continue
                    last = event.id or last
                    yield event
        except AuthError as error:
            refusals += 1
            if error.status != 401 or refusals > 1 or not await session.replace_token(token):
                raise
        except (Unavailable, Busy) as error:
            if not connected or error.code == "closed":
                raise
        finally:
            await stream.aclose()
        failures += 1
        await asyncio.sleep(min(MAX_DELAY, 0.05 * 2 ** min(failures, 8)) * random.uniform(0.5, 1.0))


def _event_of(message: Message) -> Optional[Event]:
    data = parse_json(message.data.encode("utf-8", "surrogatepass"))
    if not isinstance(data, dict):
        raise bad_answer("an event is not a JSON object")
    if message.event == "message":
        return _cloud_event(data)
    if message.event == "snapshot":
        return Event(message.id, "snapshot", str(data.get("topic", "")), None, data.get("data"))
    if message.event == "gap":
        start, end = _text(data.get("from")), _text(data.get("to"))
        lost = data.get("topics")
        names: List[str] = [str(name) for name in lost] if isinstance(lost, list) else []
        return Gap(None, "gap", names[0] if len(names) == 1 else "", None, None, None, tuple(names), start, end)
    if message.event == "error":
        raise from_problem(_STATUS.get(str(data.get("code")), 400), data)
    return None


_STATUS: Dict[str, int] = {"insufficient_access": 403, "busy": 409}


def _cloud_event(data: Mapping[str, Any]) -> Event:
    kind, id, subject = _text(data.get("type")), _text(data.get("id")), _text(data.get("subject"))
    if kind is None or id is None:
        raise bad_answer("an event has no type or id")
    topic = kind[len("robot.") :].rpartition(".")[0] if kind.startswith("robot.") else kind
    if topic == "logs":
        topic = f"logs/{subject}"
    return Event(id, kind, topic, parse_time(data.get("time")), data.get("data"), subject)


def parse_time(value: Any) -> Optional[datetime]:
    """Parses an RFC 3339 timestamp into an aware datetime; ``None`` if it is not one."""
    try:
        return datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None
