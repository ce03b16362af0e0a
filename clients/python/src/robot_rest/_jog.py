"""Manual driving under a lease."""

from __future__ import annotations

import asyncio
import math
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Type

from ._session import Session
from ._within import within
from .errors import LeaseHeld, LeaseLost, RobotRestError, Stopped, Unavailable, ValidationFailed

if TYPE_CHECKING:
    from ._lease import Lease

#: The velocity is repeated after this fraction of its deadline.
REPEAT_AT = 0.33
#: Minimum seconds between two frames, however often the velocity changes.
MIN_INTERVAL = 0.02
ZERO_ATTEMPTS = 3
#: Seconds without an acknowledged frame after which the jog ends.
MAX_SILENCE = 1.0
STILL = (0.0, 0.0, 0.0)


class Jog:
    """Repeats the velocity that was set last until the block ends.

    A stop or an engaged emergency stop ends the jog: ``set_velocity`` raises Stopped until zero has been set once, like
    releasing a joystick. After the lease is lost it always raises LeaseLost; after a second without an acknowledged
    frame it raises Unavailable. An error that ``set_velocity`` has not raised yet is raised at the end of the block.
    """

    def __init__(self, lease: Lease, session: Session, deadline: float) -> None:
        if not 0.1 <= deadline <= 1.0:
            raise ValueError("deadline must be between 0.1 and 1 second.")
        self._lease = lease
        self._session = session
        self._deadline = deadline
        self._velocity: Tuple[float, float, float] = STILL
        self._stamp: Optional[str] = None
        self._error: Optional[RobotRestError] = None
        self._told = True
        #: When the service last accepted a frame, on the monotonic clock.
        self._acknowledged_at = 0.0
        self._sender: Optional[asyncio.Task[None]] = None
        #: True while the previous motion is being cancelled; until that is done velocities have no effect.
        self.waiting = False

    async def __aenter__(self) -> Jog:
        """Raises RobotRestError, Unavailable if this robot cannot be driven manually."""
        if self._sender is not None:
            raise RuntimeError("A jog can only be entered once; create another with lease.jog().")
        self._changed = asyncio.Event()
        try:
            await self._send(STILL, 5.0)
        except RobotRestError as error:
            if error.code not in ("not_found", "method_not_allowed"):
                raise
            detail = "This version of the service does not support jog."
            raise Unavailable(error.status, "component_unavailable", detail, (), "no") from None
        self._sender = asyncio.ensure_future(self._repeat())
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._velocity = STILL
        if self._sender is not None:
            self._sender.cancel()
            await asyncio.gather(self._sender, return_exceptions=True)
        unconfirmed = await self._zero()
        if error is not None:
            return
        if unconfirmed is not None:
            raise unconfirmed from self._error
        if self._error is not None and not self._told:
            raise self._error

    def set_velocity(self, vx: float = 0.0, vy: float = 0.0, wz: float = 0.0) -> None:
        """Sets the velocity: m/s forward (vx) and to the left (vy), rad/s counter-clockwise (wz). Returns at once.

        The service clamps velocities that are too high. Raises Stopped, LeaseLost, Unavailable and others if earlier
        frames were refused.
        """
        velocity = (float(vx), float(vy), float(wz))
        if not all(math.isfinite(part) for part in velocity):
            self._velocity = STILL
            raise ValueError("Velocities must be finite numbers.")
        if self._error is not None:
            self._told = True
            if velocity != STILL or not isinstance(self._error, Stopped):
                raise self._error
            self._error = None
            self._acknowledged_at = time.monotonic()
        if self._lease.lost.is_set():
            self._refuse(LeaseLost(None, "lease_lost", "The lease was lost; the jog has ended.", (), "no"))
            self.set_velocity(*velocity)
        self._velocity = velocity
        self._changed.set()

    async def _repeat(self) -> None:
        while True:
            self._changed.clear()
            begun = time.monotonic()
            # Nothing is sent while set_velocity has not cleared an error: a zero frame would release the stick on behalf
            # of a program that has not noticed the stop.
            if self._error is None:
                left = max(MIN_INTERVAL, self._acknowledged_at + MAX_SILENCE - begun)
                try:
                    await within(left, self._send(self._velocity, self._deadline))
                except RobotRestError as error:
                    self._judge(error)
                except asyncio.TimeoutError:
                    self._judge(Unavailable(None, "timeout", "The service does not answer.", (), "maybe"))
            pause = self._deadline * REPEAT_AT - (time.monotonic() - begun)
            await asyncio.sleep(MIN_INTERVAL)
            try:
                await within(max(0.0, pause - MIN_INTERVAL), self._changed.wait())
            except asyncio.TimeoutError:
                pass

    async def _send(
        self, velocity: Tuple[float, float, float], timeout: float, lease_id: Optional[str] = None
    ) -> None:
        vx, vy, wz = velocity
        frame: Dict[str, Any] = {"lease": lease_id or self._lease.id, "vx": vx, "vy": vy, "wz": wz}
        frame.update(seq=self._lease.next_seq(), deadline_ms=round(self._deadline * 1000))
        if self._stamp is not None:
            frame["stamp"] = self._stamp
        sent_at = time.monotonic()
        try:
            # A lost frame is not repeated: the next one is newer.
            answer = (await self._session.request("POST", "/api/v2/jog/", frame, timeout=timeout, urgent=True)).object()
        except RobotRestError as error:
            self._lease.fail(error)
            self._keep_stamp(error.problem)
            raise
        self._lease.kept(sent_at)
        self._acknowledged_at = time.monotonic()
        self._keep_stamp(answer)
        self.waiting = answer.get("waiting") is True

    def _keep_stamp(self, answer: Dict[str, Any]) -> None:
        stamp = answer.get("stamp")
        if isinstance(stamp, str):
            self._stamp = stamp

    def _judge(self, error: RobotRestError) -> None:
        """Decides whether an error ends the jog. An old stamp, a slow network or a busy robot may be temporary."""
        if isinstance(error, (Stopped, LeaseLost, LeaseHeld, ValidationFailed)):
            self._refuse(error)
        elif isinstance(error, Unavailable) and error.code == "component_unavailable":
            self._refuse(error)
        elif error.status in (401, 403, 404, 405):
            self._refuse(error)
        elif time.monotonic() >= self._acknowledged_at + MAX_SILENCE:
            detail = f"No velocity was accepted for {MAX_SILENCE:g} s; the jog has ended. {error.detail}"
            self._refuse(Unavailable(error.status, error.code, detail, (), "maybe"))

    def _refuse(self, error: RobotRestError) -> None:
        self._velocity = STILL
        # Without its traceback, which includes the sender: clearing it, as unittest does, would end the sender.
        self._error = error.with_traceback(None)
        self._told = False

    async def _zero(self) -> Optional[RobotRestError]:
        """Sends zero velocity until it is confirmed; returns the error if it never is.

        After a stop or the end of the lease nothing moves the robot either, but only the service's own answer counts.
        """
        if isinstance(self._error, (Stopped, LeaseLost, LeaseHeld)) and self._error.status is not None:
            return None
        failure: Optional[RobotRestError] = None
        for _ in range(ZERO_ATTEMPTS):
            try:
                await within(1.0, self._send(STILL, 1.0, self._lease.last_id))
                return None
            except (Stopped, LeaseLost, LeaseHeld):
                return None  # answered by the service: this client does not check the lease when its id is passed
            except RobotRestError as error:
                failure = error
            except asyncio.TimeoutError:
                failure = Unavailable(None, "timeout", "The service does not answer.", (), "maybe")
        assert failure is not None
        detail = f"The robot has not confirmed that it stands still. Stop it. {failure.detail}"
        return Unavailable(failure.status, failure.code, detail, (), "maybe")
