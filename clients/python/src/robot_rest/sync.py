"""The blocking API: ``with connect(...) as robot``. Every call waits for its response.

All objects may be used from several threads. A stop never waits for calls of other threads.
"""

from __future__ import annotations

from typing import Any, AsyncGenerator, Callable, List, Optional, TypeVar, Union

from . import _robot
from ._address import Certificates
from ._blocking import Jog, Lease, Mission, Run, Runs, Skills, Table
from ._commands import Command, Result, Stop
from ._decorator import AccessLevel
from ._events import Event
from ._logs import LogEntry
from ._portal import Portal, Stream

__all__ = ["Jog", "Lease", "Mission", "RobotClient", "Run", "Runs", "Skills", "Stream", "Table", "connect"]

T = TypeVar("T")


class RobotClient:
    """See :class:`robot_rest.RobotClient`."""

    def __init__(self, portal: Portal, robot: _robot.RobotClient) -> None:
        self._portal = portal
        self._robot = robot
        self.run_id = robot.run_id
        self.skills = Skills(portal, robot.skills)
        self.runs = Runs(portal, robot.runs)

    def __enter__(self) -> RobotClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._portal.closed:
            return
        self._portal.call(self._robot.close())
        self._portal.close()

    @property
    def client_id(self) -> str:
        return self._robot.client_id

    @property
    def access_level(self) -> AccessLevel:
        return self._robot.access_level

    def commands(self) -> List[Command]:
        return self._portal.call(self._robot.commands())

    def command(self, name: str, /, value: Any = None, **fields: Any) -> Result:
        return self._portal.call(self._robot.command(name, value, **fields))

    def __getattr__(self, name: str) -> Callable[..., Result]:
        if name.startswith("_"):
            raise AttributeError(name)
        command: Any = getattr(self._robot, name)
        return lambda value=None, **fields: self._portal.call(command(value, **fields))

    def __dir__(self) -> List[str]:
        return dir(self._robot)

    def skill(self, name: str, **args: Any) -> Mission:
        return Mission(self._portal, self._portal.call(self._robot.skill(name, **args)))

    def mission(self, of: Union[Result, str]) -> Mission:
        return Mission(self._portal, self._robot.mission(of))

    def stop(self) -> Stop:
        return self._portal.call(self._robot.stop())

    def lease(self, ttl: float = 2.0, take: bool = False, reason: Optional[str] = None) -> Lease:
        return Lease(self._portal, self._robot.lease(ttl, take, reason))

    def events(self, *topics: str, after: Optional[str] = None) -> Stream[Event]:
        return self._stream(self._robot.events(*topics, after=after))

    def logs(self, system: str, unit: str, follow: bool = False) -> Stream[LogEntry]:
        return self._stream(self._robot.logs(system, unit, follow))

    def table(self, name: str) -> Table:
        return Table(self._portal, self._robot.table(name))

    def sleep(self, seconds: float) -> None:
        self._portal.call(self._robot.sleep(seconds))

    def _stream(self, source: AsyncGenerator[T, None]) -> Stream[T]:
        return Stream(self._portal, source)

    def __repr__(self) -> str:
        return repr(self._robot)


def connect(
    url: Optional[str] = None,
    *,
    key: Optional[str] = None,
    token: Optional[str] = None,
    socket: Optional[str] = None,
    robot_id: Optional[str] = None,
    ca: Certificates = None,
) -> RobotClient:
    """Connects to a robot, see :func:`robot_rest.connect`. Use it in a ``with`` block, or call ``close()``."""
    robot = _robot.connect(url, key=key, token=token, socket=socket, robot_id=robot_id, ca=ca)
    portal = Portal()
    try:
        portal.call(robot.__aenter__())
    except BaseException:
        portal.close()
        raise
    return RobotClient(portal, robot)
