"""Control a robot that runs Robot REST, from your own programs or from skills on the robot.

.. code-block:: python

    async with connect("https://robot.local:8443", key=key, ca="robot.crt") as robot:
        await robot.go_to_relative(x=1.0)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, List

from ._decorator import AccessLevel, SkillInfo, skill
from .errors import (
    AccessError,
    AuthError,
    Busy,
    Declined,
    LeaseHeld,
    LeaseLost,
    RobotRestError,
    Stopped,
    Unavailable,
    ValidationFailed,
)

if TYPE_CHECKING:
    from ._commands import Command, Mission, Result, Stop
    from ._events import Event, Gap
    from ._jog import Jog
    from ._lease import Lease
    from ._logs import LogEntry
    from ._robot import RobotClient, connect
    from ._runs import Run
    from ._tables import SkillFile

#: Where the rest is. Imported when it is used: asyncio and TLS take most of the time in which a skill starts.
_MODULES = {
    "Command": "_commands",
    "Event": "_events",
    "Gap": "_events",
    "Jog": "_jog",
    "Lease": "_lease",
    "LogEntry": "_logs",
    "Mission": "_commands",
    "Result": "_commands",
    "RobotClient": "_robot",
    "Run": "_runs",
    "SkillFile": "_tables",
    "Stop": "_commands",
    "connect": "_robot",
}

__version__ = "1.0.0"

__all__ = [
    "AccessError",
    "AccessLevel",
    "AuthError",
    "Busy",
    "Command",
    "Declined",
    "Event",
    "Gap",
    "Jog",
    "Lease",
    "LeaseHeld",
    "LeaseLost",
    "LogEntry",
    "Mission",
    "Result",
    "RobotClient",
    "RobotRestError",
    "Run",
    "SkillFile",
    "SkillInfo",
    "Stop",
    "Stopped",
    "Unavailable",
    "ValidationFailed",
    "connect",
    "skill",
]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
