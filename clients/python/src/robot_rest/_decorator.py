"""The decorator for skill files."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import Enum
from typing import Any, Awaitable, Callable, Optional, TypeVar, Union, cast, overload


class AccessLevel(str, Enum):
    """Levels can be compared: ``AccessLevel.ADMIN > AccessLevel.USER``."""

    USER = "USER"
    ADMIN = "ADMIN"
    ENCHANTER = "ENCHANTER"

    @property
    def rank(self) -> int:
        return list(AccessLevel).index(self)

    def __lt__(self, other: str) -> bool:
        return self.rank < AccessLevel(other).rank

    def __le__(self, other: str) -> bool:
        return self.rank <= AccessLevel(other).rank

    def __gt__(self, other: str) -> bool:
        return self.rank > AccessLevel(other).rank

    def __ge__(self, other: str) -> bool:
        return self.rank >= AccessLevel(other).rank

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class SkillInfo:
    """What ``@skill`` declares about a function."""

    access_level: AccessLevel
    description: Optional[str]


F = TypeVar("F", bound=Callable[..., Awaitable[Any]])


@overload
def skill(function: F, /) -> F: ...
@overload
def skill(
    *, access_level: Union[AccessLevel, str] = AccessLevel.USER, description: Optional[str] = None
) -> Callable[[F], F]: ...
def skill(
    function: Optional[F] = None,
    /,
    *,
    access_level: Union[AccessLevel, str] = AccessLevel.USER,
    description: Optional[str] = None,
) -> Union[F, Callable[[F], F]]:
    """Marks an ``async def f(robot, ...)`` as a skill that clients with this access level may start by name.

    The service finds skills by parsing the file, so both arguments must be literals. ``description`` defaults to the
    docstring. The function itself is returned unchanged. Raises TypeError, ValueError.
    """
    level = AccessLevel(access_level)

    def mark(marked: F) -> F:
        is_async: Callable[[Any], bool] = inspect.iscoroutinefunction
        if not is_async(marked):
            raise TypeError("A skill must be declared as: async def f(robot, ...)")
        text = description if description is not None else inspect.getdoc(marked)
        cast(Any, marked).__robot_skill__ = SkillInfo(level, text)
        return marked

    return mark if function is None else mark(function)
