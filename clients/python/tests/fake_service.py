"""A fake service on a port or Unix socket that can send any response."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Awaitable, Callable, Dict, List, Optional, Set, Tuple, Union

TOKEN_SECONDS = 1800


class Request:
    """A request as received."""

    def __init__(self, method: str, path: str, headers: Dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body or b"null")

    @property
    def token(self) -> str:
        return self.headers.get("authorization", "").replace("Bearer ", "")


#: A status with JSON, or the very bytes of the answer, after which the connection is closed; None: no answer at all.
Reply = Union[Tuple[int, Any], bytes, None]
Handler = Callable[[Request], Awaitable[Reply]]


class FakeService:
    """Serves tokens, status and catalogue; tests add other routes by method and path."""

    def __init__(self) -> None:
        self.requests: List[Request] = []
        self.handlers: Dict[str, Handler] = {
            "GET /api/v2/auth/": self._authenticate,
            "GET /api/v2/auth/refresh/": self._refresh,
            "GET /status": self._status,
            "GET /api/v2/commands/": self._commands,
        }
        self.expires_in: float = TOKEN_SECONDS
        self.stop_ports: Any = None
        self.connections = 0
        self.minted = 0
        self._writers: Set[asyncio.StreamWriter] = set()
        self._server: Optional[asyncio.AbstractServer] = None

    async def start(self, socket: Optional[str] = None, port: int = 0) -> FakeService:
        if socket is not None:
            self._server = await asyncio.start_unix_server(self._serve, socket)
        else:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
            self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def on(self, route: str, handler: Union[Handler, Reply]) -> None:
        """Adds a route that calls a function or always sends the same response."""
        if callable(handler):
            self.handlers[route] = handler
        else:
            reply: Reply = handler

            async def always(_request: Request) -> Reply:
                return reply

            self.handlers[route] = always

    def count(self, route: str) -> int:
        return sum(f"{request.method} {request.path}" == route for request in self.requests)

    def drop_connections(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.drop_connections()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            while True:
                request = await _read(reader)
                self.requests.append(request)
                path = request.path.split("?")[0]
                handler = self.handlers.get(f"{request.method} {path}") or self.handlers.get(f"{request.method} *")
                reply = (404, problem("not_found")) if handler is None else await handler(request)
                if reply is None:
                    await asyncio.sleep(3600)
                    return
                writer.write(reply if isinstance(reply, bytes) else rendered(reply))
                await writer.drain()
                if isinstance(reply, bytes):
                    return
        except (OSError, EOFError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _authenticate(self, _request: Request) -> Reply:
        return 200, self.token_answer("client")

    async def _refresh(self, _request: Request) -> Reply:
        return 200, self.token_answer("client")

    def token_answer(self, client_id: str) -> Dict[str, Any]:
        self.minted += 1
        token = f"token-{self.minted}"
        return {"client_id": client_id, "access_level": "ADMIN", "token": token, "expires_in": self.expires_in}

    async def _status(self, _request: Request) -> Reply:
        return 200, {"status": "ok", "stop": self.stop_ports}

    async def _commands(self, _request: Request) -> Reply:
        return 200, {"commands": [{"name": "get_pose", "kind": "none", "title": "Pose", "effect": "query"}]}


def problem(code: str, detail: str = "So it is.", **members: Any) -> Dict[str, Any]:
    return {**members, "code": code, "detail": detail}


def rendered(reply: Tuple[int, Any]) -> bytes:
    status, value = reply
    body = json.dumps(value).encode()
    return f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head[:-4].split("\r\n")
    method, path, _ = first.split(" ")
    headers = {line.split(":")[0].lower(): line.split(":", 1)[1].strip() for line in lines}
    return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


class Holding:
    """A reply that is sent when the test says so."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.asked = asyncio.Event()
        self.release = asyncio.Event()

    async def __call__(self, _request: Request) -> Reply:
        self.asked.set()
        await self.release.wait()
        return self._reply
