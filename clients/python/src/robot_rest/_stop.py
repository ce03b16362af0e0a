"""Sends stops to the service and its guard, and ends sleeps when the robot is stopped."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Mapping, Optional, Set

from ._address import Address
from ._commands import Stop
from ._events import Gap, follow_events
from ._pool import Pool
from ._session import Session, bearer
from .errors import RobotRestError, Stopped, Unavailable

#: The robot has 10 s to confirm; the answer may take a moment longer.
STOP_TIMEOUT = 15.0
STOP = "/api/v2/stop"


class Stopper:
    """Sends stops. Never waits for the pool's limit or for a new token."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._guard: Optional[Pool] = None
        self._sending: Set[asyncio.Task[Stop]] = set()

    async def learn(self) -> None:
        """Asks the service where its guard listens. Keeps the previous address if there is no answer."""
        try:
            status = (await self._session.pool.request("GET", "/status", {}, timeout=5.0, repeatable=True)).object()
        except RobotRestError:
            return
        address = guard_address(self._session.address, status.get("stop"))
        known = None if self._guard is None else self._guard.address
        if address != known:
            if self._guard is not None:
                self._guard.close()
            self._guard = None if address is None else Pool(address)

    async def stop(self) -> Stop:
        """Returns the first confirmation. Raises the service's error if there is none."""
        pools = [self._session.pool] + ([] if self._guard is None else [self._guard])
        tasks = [asyncio.ensure_future(self._send(pool)) for pool in pools]
        for task in tasks:
            self._sending.add(task)
            task.add_done_callback(self._sent)
        waiting = set(tasks)
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if not task.cancelled() and task.exception() is None:
                    return task.result()  # the other one continues in the background
        return tasks[0].result()

    async def close(self) -> None:
        """Waits for pending stops."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=STOP_TIMEOUT)
        if self._guard is not None:
            self._guard.close()

    def _sent(self, task: asyncio.Task[Stop]) -> None:
        self._sending.discard(task)
        if not task.cancelled():
            task.exception()  # seen

    async def _send(self, pool: Pool) -> Stop:
        """Sends a stop, and repeats it once if the connection was lost or the token was rejected."""
        token = self._session.token
        for attempt in (1, 2):
            try:
                headers = bearer(token)
                answer = await pool.request("POST", STOP, headers, timeout=STOP_TIMEOUT, repeatable=True, urgent=True)
                return _confirmed(answer.object())
            except RobotRestError as error:
                if attempt == 2:
                    raise
                if error.status == 401:
                    if not await self._session.replace_token(token):
                        raise
                    token = self._session.token
                elif error.code != "connection_lost":
                    raise
        raise AssertionError


def _confirmed(answer: Mapping[str, Any]) -> Stop:
    if answer.get("stopped") is not True:
        raise Unavailable(200, "bad_answer", "The response does not confirm that the robot has stopped. Send the stop again.")
    fenced, runs = answer.get("fenced"), answer.get("runs_stopped")
    ids = tuple(str(id) for id in runs) if isinstance(runs, list) else ()
    return Stop(True, fenced if isinstance(fenced, bool) else None, ids)


def guard_address(service: Address, stop: Any) -> Optional[Address]:
    """The address of the guard according to ``/status``; ``None`` behind a proxy, which does not forward to it."""
    if not isinstance(stop, dict) or service.prefix:
        return None
    if service.socket is not None:
        path = stop.get("socket")
        return service.at_socket(path) if isinstance(path, str) and path else None
    port = stop.get("tls_port" if service.tls else "port")
    return service.beside(port) if isinstance(port, int) and 0 < port < 65_536 else None


class StopWatch:
    """Watches for stops over its own event stream, once started."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._task: Optional[asyncio.Task[None]] = None

    async def start(self) -> None:
        """Returns once it is listening. Raises RobotRestError."""
        if self._task is None:
            self._listening = asyncio.Event()
            self._stopped = asyncio.Event()
            self._task = asyncio.ensure_future(self._watch())
        listening = asyncio.ensure_future(self._listening.wait())
        await asyncio.wait({listening, self._task}, return_when=asyncio.FIRST_COMPLETED)
        listening.cancel()
        if self._task.done():
            task, self._task = self._task, None
            task.result()

    async def sleep(self, seconds: float) -> None:
        """Sleeps, but raises Stopped (once) after a stop request. Raises RobotRestError if it cannot listen."""
        await self.start()
        assert self._task is not None
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({stopped, self._task}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
        if self._stopped.is_set():
            self._stopped.clear()
            raise Stopped(None, "stopped", "The robot was stopped.")
        await self.start()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        missed: List[str] = []
        events = follow_events(self._session, ("safety",), None)
        try:
            async for event in events:
                if isinstance(event, Gap):
                    missed = ["safety"]
                elif event.type == "snapshot":
                    self._listening.set()
                    if missed and _is_stop(event.data):
                        self._stopped.set()
                    missed = []
                elif event.type in _STOPS:
                    self._stopped.set()
        finally:
            await events.aclose()


_STOPS = ("robot.safety.stop_requested", "robot.safety.estop_engaged")


def _is_stop(last: Optional[Dict[str, Any]]) -> bool:
    """Whether the last event of the topic is a stop, which may have been missed in a gap."""
    return isinstance(last, dict) and "stop" in str(last.get("type", "")).rpartition(".")[2]
