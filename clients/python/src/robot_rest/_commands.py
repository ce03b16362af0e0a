"""Commands: the catalogue, results, and long-running missions."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Protocol, Tuple

from ._within import within
from .errors import Declined, Unavailable


@dataclass(frozen=True)
class Result:
    """The outcome of a command. ``ok`` is ``None`` if it was sent and the robot does not acknowledge such commands.

    ``result`` is the robot's own answer. ``replaced`` says that this drive cancelled the one in progress.
    """

    ok: Optional[bool]
    result: Any
    replaced: bool = False


@dataclass(frozen=True)
class Stop:
    """A confirmed stop.

    ``fenced`` says whether commands sent before the stop can no longer move the robot (``None`` if the service does not
    say). ``runs_stopped`` has the ids of the skill runs that it ended.
    """

    stopped: bool
    fenced: Optional[bool] = None
    runs_stopped: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Command:
    """One entry of the catalogue. ``spec`` is the full entry: bounds, unit, ``args`` (JSON Schema), examples."""

    name: str
    kind: str
    title: str
    effect: str
    motion: Optional[bool] = None
    waits: bool = False
    spec: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Command:
        motion = spec.get("motion")
        return cls(
            str(spec["name"]),
            str(spec.get("kind", "")),
            str(spec.get("title", "")),
            str(spec.get("effect", "")),
            motion if isinstance(motion, bool) else None,
            spec.get("waits") is True,
            spec,
        )


def result_of(answer: Mapping[str, Any]) -> Result:
    """Parses the response to a command. Raises Declined if the robot declined it."""
    ok = answer.get("ok", True)
    result = Result(ok if isinstance(ok, bool) else None, answer.get("result"), answer.get("replaced") is True)
    if result.ok is not False:
        return result
    why = answer.get("declined") or message_of(result.result) or "The robot declined without giving a reason."
    raise Declined(str(why), result)


def message_of(result: Any) -> Optional[str]:
    """The message or mission id in the robot's answer, if there is one."""
    message = result.get("msg") if isinstance(result, dict) else None
    return message if isinstance(message, str) and message else None


def value_of(value: Any, fields: Dict[str, Any]) -> Dict[str, Any]:
    """The request body of a command."""
    if fields and value is not None:
        raise TypeError("Pass either a value or its fields by name, not both.")
    if fields:
        return {"value": fields}
    return {} if value is None else {"value": value}


class Commander(Protocol):
    """Anything that can send commands."""

    async def command(self, name: str, /, value: Any = None, **fields: Any) -> Result: ...


#: A wait that times out sooner than this (in seconds) has failed; one that lasted longer is repeated.
SHORT_WAIT = 15.0


class Mission:
    """Something the robot is doing: a skill, a sequence, or a drive."""

    def __init__(self, robot: Commander, id: str) -> None:
        self.id = id
        self._robot = robot
        self._end: Optional[Result] = None

    async def started(self) -> None:
        """Returns once it has started. Raises Declined if it did not, and whatever ``completed`` raises."""
        if self._end is None:
            await self._wait("wait_for_skill_started")

    async def completed(self, timeout: Optional[float] = None) -> Result:
        """Returns once it has finished. After ``timeout`` seconds raises asyncio.TimeoutError; the mission continues.

        Raises Declined if it failed, or was cancelled or replaced by this program; Stopped if a stop or another client
        ended it; LeaseLost if this program's lease was lost as well.
        """
        if self._end is None:
            self._end = await within(timeout, self._wait("wait_for_skill"))
        return self._end

    async def cancel(self) -> bool:
        """Cancels it. Returns False if it had already ended."""
        try:
            await self._robot.command("cancel_skill", self.id)
            return True
        except Declined:
            return False

    async def _wait(self, command: str) -> Result:
        while True:
            begun = time.monotonic()
            try:
                return await self._robot.command(command, self.id)
            except Unavailable as error:
                if error.code != "robot_timeout" or time.monotonic() - begun < SHORT_WAIT:
                    raise

    def __repr__(self) -> str:
        return f"<Mission {self.id}>"
