"""Where a service listens."""

from __future__ import annotations

import asyncio
import os
import socket as sockets
import ssl
from dataclasses import dataclass, replace
from typing import Optional, Tuple, Union
from urllib.parse import quote, urlsplit

DEFAULT_SOCKET = "/tmp/rest_api.sock"
#: Limit for the head of a response and for a line of a body.
MAX_HEAD_BYTES = 64 * 1024

Certificates = Union[None, str, "os.PathLike[str]", ssl.SSLContext]


@dataclass(frozen=True)
class Address:
    """A host and port, with or without TLS, or a Unix socket, plus the path prefix before ``/api``."""

    host: str
    port: int
    socket: Optional[str] = None
    tls: Optional[ssl.SSLContext] = None
    prefix: str = ""

    @property
    def authority(self) -> str:
        """Value of the ``Host`` header."""
        if self.socket is not None:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    def __str__(self) -> str:
        where = f"unix:{self.socket}" if self.socket is not None else self.authority
        scheme = "" if self.socket is not None else "https://" if self.tls else "http://"
        return scheme + where + self.prefix

    def beside(self, port: int) -> Address:
        """The address of another port on the same machine."""
        return replace(self, port=port, prefix="")

    def at_socket(self, path: str) -> Address:
        """The address of another Unix socket on the same machine."""
        return replace(self, socket=path, prefix="")

    async def open(self) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Opens a connection. Raises OSError."""
        if self.socket is not None:
            return await asyncio.open_unix_connection(self.socket, limit=MAX_HEAD_BYTES)
        name = self.host if self.tls else None
        reader, writer = await asyncio.open_connection(
            self.host, self.port, ssl=self.tls, server_hostname=name, limit=MAX_HEAD_BYTES
        )
        _tune(writer.get_extra_info("socket"))
        return reader, writer


def address_of(
    url: Optional[str], socket: Optional[str], robot_id: Optional[str], ca: Certificates
) -> Address:
    """Parses the arguments of :func:`robot_rest.connect`. Raises ValueError; its message never contains secrets."""
    prefix = "" if robot_id is None else f"/{quote(robot_id, safe='')}/rest"
    if ca is not None and (url is None or url.lower().startswith("http://")):
        raise ValueError("ca= is for https:// only: this connection is not encrypted and checks no certificate.")
    if url is None:
        path = socket or os.environ.get("ROBOT_REST_SOCKET") or DEFAULT_SOCKET
        return Address("localhost", 0, socket=path, prefix=prefix)
    if socket is not None:
        raise ValueError("Pass either url or socket, not both.")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("The url must start with http:// or https:// and include a host.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("The url must not contain a user, query or fragment; pass the key as key=.")
    secure = parts.scheme == "https"
    prefix = quote(parts.path.rstrip("/"), safe="/%") + prefix
    return Address(parts.hostname, parts.port or (443 if secure else 80), None, _context(ca) if secure else None, prefix)


def _context(ca: Certificates) -> ssl.SSLContext:
    if isinstance(ca, ssl.SSLContext):
        return ca
    if ca is None:
        return ssl.create_default_context()
    path = os.fspath(ca)
    try:
        return ssl.create_default_context(cafile=path)
    except OSError as error:
        raise ValueError(f"Cannot read a certificate from ca={path!r}: {error.strerror or error}") from None


def _tune(socket: Optional[sockets.socket]) -> None:
    """Enables keep-alive, so that a vanished peer is noticed within half a minute."""
    if socket is None:
        return
    socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_KEEPALIVE, 1)
    for name, seconds in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
        option = getattr(sockets, name, None)
        if option is not None:
            socket.setsockopt(sockets.IPPROTO_TCP, option, seconds)
