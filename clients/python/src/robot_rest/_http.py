"""A strict HTTP/1.1 client over asyncio streams, limited to what the service uses."""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass
from typing import Any, AsyncIterator, Dict, Mapping, Optional

from ._address import Address
from ._secret import HeaderValue, Secret
from ._within import within
from .errors import Unavailable

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_HEADERS = 100
MAX_TRAILERS = 20
PIECE_BYTES = 64 * 1024

_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: |$)")
_TOKEN = re.compile(r"^[A-Za-z0-9-]+$")


def bad_answer(what: str) -> Unavailable:
    return Unavailable(None, "bad_answer", f"Invalid response from the service: {what}.", (), "maybe")


@dataclass
class Head:
    """Status and headers of a response; header names are in lower case."""

    status: int
    headers: Dict[str, str]

    @property
    def keeps_open(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


class Connection:
    """A connection, used for one request at a time."""

    def __init__(self, address: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._address = address
        self._reader = reader
        self._writer = writer
        self.idle_since = time.monotonic()
        #: Whether any part of the current request has been written.
        self.sent = False
        #: Whether any part of its response has been received.
        self.answered = False

    @classmethod
    async def open(cls, address: Address, timeout: float) -> Connection:
        """Opens a connection. Raises Unavailable with ``command_ran="no"``."""
        try:
            return cls(address, *await within(timeout, address.open()))
        except asyncio.TimeoutError:
            reason = f"no connection within {timeout:g} s"
        except OSError as error:
            reason = error.strerror or type(error).__name__
        raise Unavailable(None, "unreachable", f"Cannot connect to {address}: {reason}.", (), "no")

    @property
    def usable(self) -> bool:
        """False once the server has closed it or has sent data without a request."""
        # asyncio has no public way to look at received data.
        unasked: bytes = getattr(self._reader, "_buffer", b"")
        return not (unasked or self._reader.at_eof() or self._writer.is_closing())

    async def request(self, method: str, target: str, headers: Mapping[str, HeaderValue], body: Optional[bytes]) -> Head:
        """Sends a request and reads the head of the response. Raises OSError, EOFError, Unavailable."""
        self.sent = self.answered = False
        self._writer.write(_rendered(method, self._address, target, headers, body))
        self.sent = True
        await self._writer.drain()
        for _ in range(5):
            head = await self._read_head()
            if head.status >= 200:
                return head
        raise bad_answer("too many interim responses")

    async def _read_head(self) -> Head:
        try:
            block = await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise bad_answer("the headers are too long") from None
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise bad_answer("the connection was closed within the headers") from None
            raise EOFError from None
        self.answered = True
        first, *lines = block[:-4].split(b"\r\n")
        status = _STATUS_LINE.match(first)
        if status is None or len(lines) > MAX_HEADERS:
            raise bad_answer("not HTTP/1.1")
        headers: Dict[str, str] = {}
        for line in lines:
            name, colon, value = line.partition(b":")
            if not colon or not name or name != name.strip():
                raise bad_answer("a malformed header")
            headers[name.decode("latin-1").lower()] = value.strip().decode("latin-1")
        return Head(int(status.group(1)), headers)

    async def pieces(self, head: Head) -> AsyncIterator[bytes]:
        """Yields the body as it arrives. Raises OSError, Unavailable."""
        coding = head.headers.get("transfer-encoding")
        length = head.headers.get("content-length")
        if head.status in (204, 304):
            return
        try:
            if coding is not None:
                if coding.lower() != "chunked" or length is not None:
                    raise bad_answer("an unknown transfer coding")
                while True:
                    size = _hex(await self._reader.readuntil(b"\r\n"))
                    if size == 0:
                        break
                    async for piece in self._exactly(size):
                        yield piece
                    if await self._reader.readexactly(2) != b"\r\n":
                        raise bad_answer("a malformed chunk")
                for _ in range(MAX_TRAILERS):
                    if await self._reader.readuntil(b"\r\n") == b"\r\n":
                        return
                raise bad_answer("too many trailers")
            if length is not None:
                if not re.match(r"^[0-9]{1,15}$", length):
                    raise bad_answer("a malformed Content-Length")
                async for piece in self._exactly(int(length)):
                    yield piece
                return
            head.headers["connection"] = "close"
            while True:
                piece = await self._reader.read(PIECE_BYTES)
                if not piece:
                    return
                yield piece
        except asyncio.LimitOverrunError:
            raise bad_answer("a line is too long") from None
        except asyncio.IncompleteReadError:
            raise bad_answer("the connection was closed within the body") from None

    async def _exactly(self, size: int) -> AsyncIterator[bytes]:
        while size > 0:
            piece = await self._reader.read(min(size, PIECE_BYTES))
            if not piece:
                raise bad_answer("the connection was closed within the body")
            size -= len(piece)
            yield piece

    async def body(self, head: Head) -> bytes:
        """Reads the whole body. Raises OSError, Unavailable."""
        read = bytearray()
        async for piece in self.pieces(head):
            read += piece
            if len(read) > MAX_BODY_BYTES:
                raise bad_answer(f"the body exceeds {MAX_BODY_BYTES >> 20} MiB")
        return bytes(read)

    def close(self) -> None:
        """Closes immediately, discarding data that has not been sent."""
        self._writer.transport.abort()


def _rendered(
    method: str, address: Address, target: str, headers: Mapping[str, HeaderValue], body: Optional[bytes]
) -> bytes:
    """Serializes a request. Raises ValueError if a part could be used to inject headers or requests."""
    if not target.isascii() or not target.isprintable() or " " in target:
        raise ValueError("The path contains invalid characters.")
    lines = [f"{method} {address.prefix}{target} HTTP/1.1", f"Host: {address.authority}"]
    if body is not None or method in ("POST", "PUT", "PATCH"):
        lines.append(f"Content-Length: {len(body or b'')}")
    for name, value in headers.items():
        if not _TOKEN.match(name) or (isinstance(value, str) and not (value.isascii() and value.isprintable())):
            raise ValueError(f"The header {name!r} contains invalid characters.")
        lines.append(f"{name}: {value.reveal() if isinstance(value, Secret) else value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii") + (body or b"")


def _hex(line: bytes) -> int:
    digits = line[:-2].split(b";")[0].strip()
    if not re.match(rb"^[0-9A-Fa-f]{1,12}$", digits):
        raise bad_answer("a malformed chunk")
    return int(digits, 16)


def parse_json(body: bytes) -> Any:
    """Parses a JSON body. Raises Unavailable."""
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise bad_answer("not JSON") from None
