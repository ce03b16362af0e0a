"""An authenticated session: keeps its token fresh and sends requests with it."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Mapping, Optional
from urllib.parse import quote, urlencode

from ._address import Address
from ._http import bad_answer
from ._pool import Answer, Pool
from ._secret import HeaderValue, Secret
from .errors import AuthError, RobotRestError, Unavailable, not_open

REQUEST_TIMEOUT = 30.0
#: A token is refreshed after this fraction of its lifetime.
REFRESH_AT = 0.75
RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)
#: Near the end of a session tokens become shorter than this many seconds; with a key, a new session is started then.
SHORT_SECONDS = 5.0


@dataclass(frozen=True)
class Token:
    """A token and its times on the monotonic clock, because the wall clock may be wrong."""

    secret: Secret
    refresh_at: float
    ends_at: float


class Session:
    """Sends requests with a token, which is only kept in memory."""

    def __init__(self, address: Address, key: Optional[str], token: Optional[str]) -> None:
        if key is not None and token is not None:
            raise ValueError("Pass either key or token, not both.")
        self.address = address
        self.client_id = ""
        self.access_level = ""
        #: Called after each new token.
        self.on_token: Optional[Callable[[], Awaitable[None]]] = None
        #: Called before an error is raised that says that neither the token nor the key is valid any more.
        self.on_refused: Optional[Callable[[AuthError], None]] = None
        self._pool: Optional[Pool] = None
        self._key = None if key is None else Secret(key, "key")
        self._given = None if token is None else Secret(token, "token")
        self._token: Optional[Token] = None
        self._keeper: Optional[asyncio.Task[None]] = None

    async def open(self) -> None:
        """Authenticates. Raises RobotRestError."""
        self._pool = Pool(self.address)
        self._lock = asyncio.Lock()
        try:
            await (self._refresh(self._given) if self._given is not None else self._authenticate())
        except RobotRestError as error:
            self.pool.close()
            if error.code == "bad_answer" or (error.code.startswith("http_") and (error.status or 0) < 500):
                detail = f"No robot-rest service found at {self.address}. {error.detail}"
                raise Unavailable(error.status, "bad_answer", detail, (), "no") from None
            raise
        except BaseException:
            self.pool.close()
            raise
        self._keeper = asyncio.ensure_future(self._keep_fresh())

    async def close(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._pool is not None:
            self._pool.close()

    @property
    def pool(self) -> Pool:
        """The connection pool. Raises RobotRestError before the session is open."""
        if self._pool is None:
            raise not_open()
        return self._pool

    async def request(
        self,
        method: str,
        target: str,
        json_body: Any = None,
        *,
        body: Optional[bytes] = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: float = REQUEST_TIMEOUT,
        repeatable: Optional[bool] = None,
        urgent: bool = False,
    ) -> Answer:
        """Sends a request; if the service rejects the token, gets a new one and tries once more.

        Raises RobotRestError.
        """
        more: Dict[str, HeaderValue] = dict(headers or {})
        if json_body is not None:
            body = encode_json(json_body)
            more["Content-Type"] = "application/json"
        again = method == "GET" if repeatable is None else repeatable
        token, pool = self._token, self.pool
        for attempt in (1, 2):
            try:
                return await pool.request(
                    method, target, {**more, **bearer(token)}, body, timeout=timeout, repeatable=again, urgent=urgent
                )
            except AuthError as error:
                try:
                    if attempt == 2 or error.status != 401 or not await self.replace_token(token):
                        raise
                except AuthError as refused:
                    if refused.status == 401 and self.on_refused is not None:
                        self.on_refused(refused)
                    raise
                token = self._token
        raise AssertionError

    async def stream(
        self, target: str, headers: Mapping[str, str], *, silence: float
    ) -> AsyncIterator[bytes]:
        """Yields the body of a GET as it arrives, see :meth:`Pool.stream`."""
        token = self._token
        if token is not None and time.monotonic() >= token.ends_at:
            await self.replace_token(token)
        pieces = self.pool.stream(target, {**headers, **bearer(self._token)}, silence=silence)
        try:
            async for piece in pieces:
                yield piece
        finally:
            await pieces.aclose()  # type: ignore[attr-defined]

    @property
    def token(self) -> Optional[Token]:
        return self._token

    async def replace_token(self, refused: Optional[Token]) -> bool:
        """Authenticates again unless another task already has. Returns False if there is no key to do so."""
        async with self._lock:
            if self._token is not refused:
                return True
            if self._given is not None:
                return False
            await self._authenticate()
            return True

    async def _authenticate(self) -> None:
        headers: Mapping[str, HeaderValue] = {} if self._key is None else self._key.header("X-API-Key")
        self._take(await self._ask("/api/v2/auth/", headers))

    async def _refresh(self, secret: Secret) -> None:
        self._take(await self._ask("/api/v2/auth/refresh/", secret.header("Authorization", "Bearer ")))

    async def _ask(self, target: str, headers: Mapping[str, HeaderValue]) -> Dict[str, Any]:
        answer = await self.pool.request(
            "GET", target, headers, timeout=REQUEST_TIMEOUT, repeatable=True, urgent=True
        )
        return answer.object()

    def _take(self, answer: Mapping[str, Any]) -> None:
        seconds, token = answer.get("expires_in"), answer.get("token")
        if not isinstance(token, str) or not isinstance(seconds, (int, float)) or not 0 <= seconds <= 86_400:
            raise bad_answer("no token")
        now = time.monotonic()
        try:
            secret = Secret(token)
        except ValueError:
            raise bad_answer("no token") from None
        self._token = Token(secret, now + seconds * REFRESH_AT, now + seconds)
        self.client_id = str(answer.get("client_id", ""))
        self.access_level = str(answer.get("access_level", ""))

    async def _keep_fresh(self) -> None:
        failures = 0
        while True:
            token = self._token
            assert token is not None
            wait = token.refresh_at - time.monotonic()
            await asyncio.sleep(max(wait, RETRY_SECONDS[min(failures, 4)] if failures else 0.2))
            try:
                await self._renew(token)
                failures = 0
                if self.on_token is not None:
                    await self.on_token()
            except AuthError as error:
                if error.status == 401:
                    return  # the next request raises the error
                failures += 1
            except RobotRestError:
                failures += 1

    async def _renew(self, token: Token) -> None:
        """Refreshes the token; if that is refused or the new one would be short-lived, authenticates with the key."""
        async with self._lock:
            if self._token is not token:
                return
            try:
                await self._refresh(token.secret)
            except AuthError as error:
                if error.status != 401 or self._given is not None:
                    raise
                await self._authenticate()
            else:
                left = self._token.ends_at - time.monotonic()
                if left < SHORT_SECONDS and self._given is None and self._token.ends_at <= token.ends_at + 1:
                    await self._authenticate()


def bearer(token: Optional[Token]) -> Dict[str, HeaderValue]:
    return {} if token is None else token.secret.header("Authorization", "Bearer ")


def encode_json(value: Any) -> bytes:
    """Serializes a value. Raises ValueError for NaN, infinity and circular references."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("utf-8")


def segment(text: str) -> str:
    """Encodes a name as a path segment."""
    if text in ("", ".", ".."):
        raise ValueError("A name must not be empty, '.' or '..'.")
    return quote(text, safe="")


def query(**parameters: Any) -> str:
    """Builds a query string from the parameters that are not None."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return "?" + urlencode(given, quote_via=quote) if given else ""
