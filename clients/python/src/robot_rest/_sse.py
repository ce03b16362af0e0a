"""Server-sent events (WHATWG HTML, section 9.2), as far as the service uses them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional

from ._http import bad_answer

MAX_MESSAGE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Message:
    """A message. ``id`` is ``None`` if the message did not set one."""

    event: str
    id: Optional[str]
    data: str


class SseParser:
    """Parses bytes into messages. A message that is incomplete when the stream ends is dropped."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._searched = 0
        self._event = "message"
        self._id: Optional[str] = None
        self._data: List[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> List[Message]:
        """Returns the messages completed by this chunk. Raises Unavailable."""
        self._rest += piece
        messages = []
        while True:
            end = self._rest.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._rest)
                break
            line = bytes(self._rest[:end]).rstrip(b"\r")
            del self._rest[: end + 1]
            self._searched = 0
            message = self._take(line)
            if message is not None:
                messages.append(message)
        if len(self._rest) + self._size > MAX_MESSAGE_BYTES:
            raise bad_answer("an event is too long")
        return messages

    def _take(self, line: bytes) -> Optional[Message]:
        if not line:
            message = Message(self._event, self._id, "\n".join(self._data)) if self._data else None
            self._event, self._id, self._data, self._size = "message", None, [], 0
            return message
        self._size += len(line)
        if self._size > MAX_MESSAGE_BYTES:
            raise bad_answer("an event is too long")
        try:
            name, _, value = line.decode("utf-8").partition(":")
        except UnicodeDecodeError:
            raise bad_answer("an event is not UTF-8") from None
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "data":
            self._data.append(value)
        return None
