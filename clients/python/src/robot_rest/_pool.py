"""A connection pool for one service."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any, AsyncIterator, Dict, List, Mapping, Optional, Set

from ._address import Address
from ._http import Connection, bad_answer, parse_json
from ._secret import HeaderValue
from ._within import within
from .errors import RobotRestError, Unavailable, from_problem

#: Number of idle connections to keep, and for how long; the service closes them after 65 s.
KEEP_IDLE = 4
KEEP_SECONDS = 30.0
MAX_BUSY = 64
CONNECT_TIMEOUT = 10.0


@dataclass(frozen=True)
class Answer:
    """A successful response."""

    status: int
    headers: Dict[str, str]
    body: bytes
    keeps_open: bool = False

    def json(self) -> Any:
        return parse_json(self.body)

    def object(self) -> Dict[str, Any]:
        """Parses the body as a JSON object. Raises Unavailable."""
        value = self.json()
        if not isinstance(value, dict):
            raise bad_answer("not a JSON object")
        return value


class Pool:
    """Sends requests to one address. Failed requests are only repeated if they are ``repeatable``."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._idle: List[Connection] = []
        self._busy: Set[Connection] = set()
        self._places = asyncio.Semaphore(MAX_BUSY)
        self._closed = False

    async def request(
        self,
        method: str,
        target: str,
        headers: Mapping[str, HeaderValue],
        body: Optional[bytes] = None,
        *,
        timeout: float,
        repeatable: bool = False,
        urgent: bool = False,
    ) -> Answer:
        """Sends a request and reads the response. ``urgent`` requests ignore the limit. Raises RobotRestError."""
        if urgent:
            return await self._attempts(method, target, headers, body, timeout, repeatable)
        async with self._places:
            return await self._attempts(method, target, headers, body, timeout, repeatable)

    async def _attempts(
        self,
        method: str,
        target: str,
        headers: Mapping[str, HeaderValue],
        body: Optional[bytes],
        timeout: float,
        again: bool,
    ) -> Answer:
        while True:
            connection = self._take_idle()
            kept = connection is not None
            if connection is None:
                connection = await Connection.open(self._open_address(), min(CONNECT_TIMEOUT, timeout))
            self._busy.add(connection)
            keep = False
            try:
                answer = await within(timeout, _exchange(connection, method, target, headers, body))
                keep = answer.keeps_open
                break
            except asyncio.TimeoutError:
                detail = f"{self.address} did not respond within {timeout:g} s."
                raise Unavailable(None, "timeout", detail, (), "maybe") from None
            except (OSError, EOFError):
                # The service may just have closed an idle connection; only repeatable requests are sent again.
                if not (kept and again and not connection.answered):
                    ran = "maybe" if connection.sent else "no"
                    raise Unavailable(
                        None, "connection_lost", f"The connection to {self.address} was lost.", (), ran
                    ) from None
            finally:
                self._busy.discard(connection)
                if keep and not self._closed and len(self._idle) < KEEP_IDLE:
                    connection.idle_since = time.monotonic()
                    self._idle.append(connection)
                else:
                    connection.close()
        if answer.status >= 300:
            raise problem_of(answer)
        return answer

    async def stream(self, target: str, headers: Mapping[str, HeaderValue], *, silence: float) -> AsyncIterator[bytes]:
        """Yields the body of a GET as it arrives, over its own connection. An empty first chunk follows the head.

        Raises RobotRestError, with code ``timeout`` after ``silence`` seconds without data.
        """
        connection = await Connection.open(self._open_address(), CONNECT_TIMEOUT)
        self._busy.add(connection)
        try:
            head = await within(silence, connection.request("GET", target, headers, None))
            if head.status >= 300:
                body = await within(silence, connection.body(head))
                raise problem_of(Answer(head.status, head.headers, body))
            yield b""
            pieces = connection.pieces(head).__aiter__()
            while True:
                try:
                    piece = await within(silence, pieces.__anext__())
                except StopAsyncIteration:
                    return
                yield piece
        except asyncio.TimeoutError:
            detail = f"{self.address} sent nothing for {silence:g} s."
            raise Unavailable(None, "timeout", detail) from None
        except (OSError, EOFError):
            raise Unavailable(None, "connection_lost", f"The connection to {self.address} was lost.") from None
        finally:
            self._busy.discard(connection)
            connection.close()

    def close(self) -> None:
        self._closed = True
        for connection in [*self._idle, *self._busy]:
            connection.close()
        self._idle.clear()

    def _open_address(self) -> Address:
        if self._closed:
            raise Unavailable(None, "closed", "This client is closed.", (), "no")
        return self.address

    def _take_idle(self) -> Optional[Connection]:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable and time.monotonic() - connection.idle_since < KEEP_SECONDS:
                return connection
            connection.close()
        return None


async def _exchange(
    connection: Connection, method: str, target: str, headers: Mapping[str, HeaderValue], body: Optional[bytes]
) -> Answer:
    head = await connection.request(method, target, headers, body)
    read = await connection.body(head)
    return Answer(head.status, head.headers, read, head.keeps_open)


def problem_of(answer: Answer) -> RobotRestError:
    """Converts an error response. Without problem details (from a proxy, say), the code is ``http_<status>``."""
    try:
        problem = answer.json()
    except Unavailable:
        problem = None
    return from_problem(answer.status, problem if isinstance(problem, dict) else {})
