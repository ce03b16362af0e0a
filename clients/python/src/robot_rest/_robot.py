"""The client: what programs and skills use to control the robot."""

from __future__ import annotations

import difflib
import os
import weakref
from types import TracebackType
from typing import Any, AsyncGenerator, Awaitable, Callable, Dict, Iterable, List, Optional, Type, Union

from ._address import Certificates, address_of
from ._commands import Command, Mission, Result, Stop, message_of, result_of, value_of
from ._decorator import AccessLevel
from ._endings import WAITS, Endings
from ._events import Event, follow_events
from ._lease import Control, Lease
from ._logs import LogEntry, read_logs
from ._runs import Runs
from ._session import Session, segment
from ._stop import Stopper, StopWatch
from ._tables import Skills, Table
from .errors import Declined, RobotRestError, Unavailable, not_open

#: Commands that wait may take 10 minutes on the robot. TCP keep-alive notices a lost peer earlier.
COMMAND_TIMEOUT = 660.0


def connect(
    url: Optional[str] = None,
    *,
    key: Optional[str] = None,
    token: Optional[str] = None,
    socket: Optional[str] = None,
    robot_id: Optional[str] = None,
    ca: Certificates = None,
) -> RobotClient:
    """Creates a client, for ``async with connect(...) as robot``.

    :param url: URL of the service, such as ``https://robot.local:8443``; defaults to the local Unix socket
    :param key: API key
    :param token: token to use instead of a key; it is refreshed while the client is open
    :param socket: path of the Unix socket, where no key is needed
    :param robot_id: id of a robot behind a fleet service
    :param ca: file with the certificate to trust (PEM), or an ``ssl.SSLContext``

    Raises ValueError. Entering raises RobotRestError: AuthError, Unavailable.
    """
    return RobotClient(Session(address_of(url, socket, robot_id, ca), key, token))


class RobotClient:
    """A client of one robot, created by :func:`connect`. Every command of the catalogue is also a method."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._stopper = Stopper(session)
        self._watch = StopWatch(session)
        self._control = Control(session)
        self._endings = Endings(self._control)
        self._streams: weakref.WeakSet[AsyncGenerator[Any, None]] = weakref.WeakSet()
        self._catalogue: Dict[str, Command] = {}
        #: Id of the run, if this is a skill run by the service.
        self.run_id: Optional[str] = os.environ.get("ROBOT_REST_RUN") if session.address.socket else None
        self.skills = Skills(session)
        self.runs = Runs(session)

    async def __aenter__(self) -> RobotClient:
        await self._session.open()
        self._session.on_token = self._stopper.learn
        try:
            await self._stopper.learn()
            try:
                await self.commands()
            except Unavailable:
                pass  # the robot may connect later
            if self.run_id is not None:
                await self._watch.start()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes all connections. The robot continues what it is doing."""
        for stream in list(self._streams):
            try:
                await stream.aclose()
            except RuntimeError:
                pass  # its consumer is waiting for the next item, and notices the closed connection
        await self._watch.close()
        await self._stopper.close()
        await self._session.close()

    @property
    def client_id(self) -> str:
        """The id of this client at the service. Missions and the lease belong to it."""
        return self._session.client_id

    @property
    def access_level(self) -> AccessLevel:
        """The access level of this client. Raises RobotRestError before the connection is open."""
        if not self._session.access_level:
            raise not_open()
        return AccessLevel(self._session.access_level)

    async def commands(self) -> List[Command]:
        """Fetches the catalogue: the commands that the robot currently offers."""
        answer = (await self._session.request("GET", "/api/v2/commands/")).object()
        commands = [Command.of(spec) for spec in answer.get("commands", [])]
        self._catalogue = {command.name: command for command in commands}
        return commands

    async def command(self, name: str, /, value: Any = None, **fields: Any) -> Result:
        """Sends a command, with a value or with its fields by name; under the lease if one is held.

        Cancelling the call does not stop the robot. Raises RobotRestError: Declined if the robot declines the command,
        Stopped, LeaseHeld, LeaseLost, ValidationFailed, Unavailable and others.
        """
        body = value_of(value, fields)
        lease = self._control.lease
        headers = {} if lease is None else {"Lease": lease.id}
        known = self._catalogue.get(name)
        motion = None if known is None else known.motion
        stops = self._endings.stops
        try:
            with self._endings.during(name, motion):
                target = f"/api/v2/commands/{segment(name)}/"
                answer = await self._session.request("POST", target, body, headers=headers, timeout=COMMAND_TIMEOUT)
                result = result_of(answer.object())
                self._endings.note(name, motion, body.get("value"), result)
        except Declined as error:
            if name not in WAITS:
                raise
            raise await self._endings.judge(error, body.get("value"), stops) from None
        except RobotRestError as error:
            if lease is not None:
                lease.fail(error)
            raise
        return result

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Result]]:
        if name.startswith("_"):
            raise AttributeError(name)
        catalogue = self._catalogue
        if catalogue and name not in catalogue:
            near = difflib.get_close_matches(name, [*catalogue, *super().__dir__()], 1)
            hint = f" Did you mean {near[0]!r}?" if near else " See robot.commands() for the list."
            raise AttributeError(f"The robot has no command {name!r}.{hint}")

        async def command(value: Any = None, **fields: Any) -> Result:
            return await self.command(name, value, **fields)

        command.__name__ = command.__qualname__ = name
        command.__doc__ = catalogue[name].title if catalogue else None
        return command

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._catalogue]

    async def skill(self, name: str, **args: Any) -> Mission:
        """Starts a skill of the robot. Raises Declined if the skill is unknown or does not take these arguments."""
        result = await self.command("skill", {"name": name, **args})
        return self.mission(result)

    def mission(self, of: Union[Result, str]) -> Mission:
        """The mission started by a command (a drive returns its id), or the mission with this id."""
        id = of if isinstance(of, str) else message_of(of.result)
        if id is None:
            raise ValueError("The robot's answer has no mission id.")
        return Mission(self, id)

    async def stop(self) -> Stop:
        """Stops all motion and ends every mission and run. Does not wait for other calls and needs no lease.

        The robot has stopped only if this returns. If it raises RobotRestError, call it again and use the hardware
        emergency stop. This is not a certified emergency stop.
        """
        self._endings.stops += 1
        return await self._stopper.stop()

    def lease(self, ttl: float = 2.0, take: bool = False, reason: Optional[str] = None) -> Lease:
        """Exclusive control of the robot, for ``async with robot.lease() as lease``; see :class:`Lease`.

        It lapses after ``ttl`` seconds without a sign of this client. ``take`` takes the lease from its current holder
        and stops the robot; it requires ADMIN and a ``reason``.
        """
        return Lease(self._control, ttl, take, reason)

    def events(self, *topics: str, after: Optional[str] = None) -> AsyncGenerator[Event, None]:
        """Yields live events of these topics, starting with a snapshot of each, or after the event with this id.

        Reconnects after interruptions and fetches missed events; a :class:`Gap` marks where that was not possible.
        """
        if not topics:
            raise ValueError("Pass at least one topic.")
        return self._opened(follow_events(self._session, topics, after))

    def logs(self, system: str, unit: str, follow: bool = False) -> AsyncGenerator[LogEntry, None]:
        """Yields log entries of a unit on ``head`` or ``base``: the last hour; with ``follow``, new ones. Requires ADMIN."""
        return self._opened(read_logs(self._session, system, unit, follow))

    def table(self, name: str) -> Table:
        """A table of the robot's database."""
        return Table(self._session, name)

    async def sleep(self, seconds: float) -> None:
        """Sleeps, but raises Stopped as soon as the robot is stopped, or if it was stopped since the last sleep."""
        await self._watch.sleep(seconds)

    def _opened(self, stream: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        self._streams.add(stream)
        return stream

    def __repr__(self) -> str:
        return f"<RobotClient {self._session.address} client {self.client_id[:8] or 'not connected'}>"
