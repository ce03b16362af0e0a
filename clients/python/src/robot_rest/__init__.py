"""Control a robot that runs Robot REST, from your own programs or from skills on the robot.

.. code-block:: python

    async with connect("https://robot.local:8443", key=key, ca="robot.crt") as robot:
        await robot.go_to_relative(x=1.0)
"""

from ._commands import Command, Mission, Result, Stop
from ._decorator import AccessLevel, SkillInfo, skill
from ._events import Event, Gap
from ._jog import Jog
from ._lease import Lease
from ._logs import LogEntry
from ._robot import RobotClient, connect
from ._runs import Run
from ._tables import SkillFile
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
