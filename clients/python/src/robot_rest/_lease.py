"""The lease: one controller at a time."""

from __future__ import annotations

import asyncio
import base64
import secrets
import time
from types import TracebackType
from typing import Any, Callable, Dict, Optional, Type

from ._jog import Jog
from ._session import Session, segment
from .errors import AuthError, LeaseHeld, LeaseLost, RobotRestError, Unavailable

#: Fraction of its time to live after which it is renewed.
KEEP_AT = 0.25
MIN_TTL = 0.5
RETURN_TIMEOUT = 5.0
CHECK_TIMEOUT = 2.0


class Control:
    """State shared by the leases of one robot object."""

    def __init__(self, session: Session) -> None:
        self.session = session
        #: 16 random bytes that tell apart holders with the same client id.
        self.instance = base64.urlsafe_b64encode(secrets.token_bytes(16)).rstrip(b"=").decode("ascii")
        #: The lease that is currently held.
        self.lease: Optional[Lease] = None
        #: Number of the last jog frame. It continues across leases: the service may give the same lease again.
        self.seq = 0
        session.on_refused = self._refused

    def _refused(self, error: AuthError) -> None:
        """Without a valid token a lease cannot be renewed."""
        if self.lease is not None:
            self.lease.fail(error)


class Lease:
    """While it is held, only this robot object can move the robot. It is renewed in the background.

    ``lost`` is set once it has lapsed, was taken or could not be renewed, and stays set: enter a new one. At the end of
    the block the lease is returned, and motion that was started under it continues. After an exception it lapses within
    half a second instead, and the service stops that motion.
    """

    def __init__(self, control: Control, ttl: float, take: bool, reason: Optional[str]) -> None:
        if not MIN_TTL <= ttl <= 60:
            raise ValueError("ttl must be between 0.5 and 60 seconds.")
        if take and not reason:
            raise ValueError("Taking a lease requires a reason, which is recorded in the audit trail.")
        self.ttl = ttl
        #: False if the lease was taken and the robot has not confirmed its stop yet; until it does, nothing moves it.
        self.stop_confirmed = True
        self.generation = 0
        self._control = control
        self._session = control.session
        self._take = take
        self._reason = reason
        self._id = ""
        self._kept_at = 0.0
        self._over = False
        self._keeper: Optional[asyncio.Task[None]] = None
        #: Called in the event loop when the lease is lost.
        self.on_lost: Optional[Callable[[], None]] = None

    async def __aenter__(self) -> Lease:
        """Raises LeaseHeld if somebody else holds it; RobotRestError."""
        if self._control.lease is not None or self._id:
            raise RuntimeError("This robot object already has a lease. Once it has ended, create another with lease().")
        self.lost = asyncio.Event()
        self._control.lease = self
        try:
            await self._acquire()
        except BaseException:
            self._control.lease = None
            raise
        self._keeper = asyncio.ensure_future(self._keep())
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        self._over = True
        self._control.lease = None
        if not self.lost.is_set():
            await self._end(lapse=error is not None)

    def jog(self, deadline: float = 0.3) -> Jog:
        """Drives manually, see :class:`Jog`. The robot stops if it gets no frame for ``deadline`` seconds."""
        return Jog(self, self._session, deadline)

    @property
    def id(self) -> str:
        """Value of the ``Lease`` header. Raises LeaseLost."""
        if self._over or self.lost.is_set() or time.monotonic() > self._kept_at + self.ttl:
            if not self._over:
                self._lose()
            raise lease_lost()
        return self._id

    @property
    def last_id(self) -> str:
        """The id, even if the lease is lost."""
        return self._id

    def next_seq(self) -> int:
        self._control.seq += 1
        return self._control.seq

    def kept(self, sent_at: float) -> None:
        """Records that the service accepted a request under this lease that was sent at this monotonic time."""
        self._kept_at = max(self._kept_at, sent_at)

    def fail(self, error: RobotRestError) -> None:
        """Marks the lease as lost if this error implies it."""
        if isinstance(error, (LeaseLost, LeaseHeld)) or (isinstance(error, AuthError) and error.status == 401):
            self._lose()

    async def is_lost(self) -> bool:
        """Asks the service whether the lease is lost. False if there is no answer."""
        if not self.lost.is_set() and not await self._keep_once(CHECK_TIMEOUT):
            self._lose()
        return self.lost.is_set()

    def _terms(self, ttl: float) -> Dict[str, Any]:
        return {"instance": self._control.instance, "ttl_ms": round(ttl * 1000)}

    async def _acquire(self) -> None:
        sent_at = time.monotonic()
        try:
            if self._take:
                target, terms = "/api/v2/lease/take", {**self._terms(self.ttl), "reason": self._reason}
                answer = (await self._session.request("POST", target, terms, urgent=True)).object()
                sent_at = time.monotonic()  # its time to live starts with the response
            else:
                terms = self._terms(self.ttl)
                answer = (await self._session.request("POST", "/api/v2/lease/", terms, urgent=True)).object()
        except Unavailable as error:
            answer = error.problem
            if not isinstance(answer.get("lease_id"), str):
                raise
            self.stop_confirmed = False
            sent_at = time.monotonic()
        self._id = str(answer.get("lease_id", ""))
        self.generation = int(answer.get("generation", 0))
        self._kept_at = sent_at

    async def _keep(self) -> None:
        while not self.lost.is_set():
            await asyncio.sleep(min(self.ttl * KEEP_AT, 5.0))
            if not await self._keep_once(self.ttl):
                break
        self._lose()

    async def _keep_once(self, timeout: float) -> bool:
        """Renews the lease. False if it is lost."""
        sent_at = time.monotonic()
        left = self._kept_at + self.ttl - sent_at
        if left <= 0:
            return False
        try:
            target = "/api/v2/lease/" + segment(self._id)
            answer = await self._session.request(
                "PUT", target, timeout=min(left, timeout), repeatable=True, urgent=True
            )
            if answer.object().get("lease_id") != self._id:
                # It had lapsed and was revived: motion under it was stopped, so the program must not just continue.
                self._lose()
                await self._give_back(str(answer.object().get("lease_id")))
                return False
            self.kept(sent_at)
        except Unavailable:
            pass
        except RobotRestError as error:
            return error.status is None or error.status >= 500
        return True

    def _lose(self) -> None:
        if self.lost.is_set():
            return
        self.lost.set()
        if self.on_lost is not None:
            self.on_lost()

    async def _end(self, lapse: bool) -> None:
        if not lapse:
            return await self._give_back(self._id)
        try:
            terms = self._terms(MIN_TTL)
            await self._session.request("POST", "/api/v2/lease/", terms, timeout=RETURN_TIMEOUT, urgent=True)
        except RobotRestError:
            pass  # it lapses anyway, after its time to live

    async def _give_back(self, id: str) -> None:
        try:
            target = "/api/v2/lease/" + segment(id)
            await self._session.request("DELETE", target, timeout=RETURN_TIMEOUT, repeatable=True, urgent=True)
        except RobotRestError:
            pass  # it lapses anyway

    def __repr__(self) -> str:
        return f"<Lease generation {self.generation}>"


NOTHING_SENT = "The lease was lost; nothing was sent. Enter a new one with robot.lease()."


def lease_lost(detail: str = NOTHING_SENT, status: Optional[int] = None) -> LeaseLost:
    return LeaseLost(status, "lease_lost", detail, (), "no" if status is None else None)
