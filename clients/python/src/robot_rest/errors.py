"""Errors. Every error of this package is a :class:`RobotRestError`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, Type

if TYPE_CHECKING:
    from ._commands import Result


class RobotRestError(Exception):
    """An error response, or no response at all.

    ``status`` is the HTTP status, or ``None`` without a response. ``code`` is for programs, ``detail`` for people.
    ``errors`` lists problems with the input (``pointer``, ``message``). ``command_ran`` is ``"no"``, ``"maybe"``, or
    ``None`` if it is unknown or does not apply. ``problem`` is the whole response (RFC 9457).
    """

    def __init__(
        self,
        status: Optional[int],
        code: str,
        detail: str,
        errors: Sequence[Mapping[str, str]] = (),
        command_ran: Optional[str] = None,
        problem: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(f"{detail} ({code})")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.command_ran = command_ran
        self.problem: Dict[str, Any] = dict(problem or {})


class AuthError(RobotRestError):
    """The key or token is missing, invalid, expired or revoked (401), or there were too many invalid ones (429)."""


class AccessError(RobotRestError):
    """The access level is too low (403)."""


class Declined(RobotRestError):
    """The robot declined the command. ``result`` is its answer."""

    def __init__(self, detail: str, result: Result) -> None:
        super().__init__(200, "declined", detail)
        self.result = result


class Busy(RobotRestError):
    """Another operation is in progress (``busy``), or something else drives the robot (``driven_elsewhere``)."""


class Stopped(RobotRestError):
    """A stop or the emergency stop ended it. Do not retry automatically: somebody wanted the robot to stand still."""


class LeaseHeld(RobotRestError):
    """Another client controls the robot; ``holder`` says who."""

    @property
    def holder(self) -> Optional[Dict[str, Any]]:
        holder = self.problem.get("holder")
        return holder if isinstance(holder, dict) else None


class LeaseLost(RobotRestError):
    """The lease has lapsed, was taken, or was returned."""


class ValidationFailed(RobotRestError):
    """The request is invalid (400, 422); ``errors`` says where."""


class Unavailable(RobotRestError):
    """The service, the robot or a component cannot be reached or does not respond."""


def not_open() -> RobotRestError:
    detail = "This client is not connected: use `async with connect(...) as robot`."
    return RobotRestError(None, "not_open", detail, (), "no")


#: Hints appended to details of the service, which refer to routes.
_FOR_PROGRAMS: Dict[str, str] = {"lease_held": " In Python: robot.lease(take=True, reason=…)."}
_BY_CODE: Dict[str, Type[RobotRestError]] = {
    "busy": Busy,
    "driven_elsewhere": Busy,
    "stopped": Stopped,
    "estop_engaged": Stopped,
    "lease_held": LeaseHeld,
    "lease_lost": LeaseLost,
    "not_ready": Unavailable,
    "rate_limited": AuthError,
    "robot_error": Unavailable,
}
_BY_STATUS: Dict[int, Type[RobotRestError]] = {
    400: ValidationFailed,
    401: AuthError,
    403: AccessError,
    422: ValidationFailed,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def from_problem(status: int, problem: Mapping[str, Any]) -> RobotRestError:
    """Converts an error response, even one with an unknown code."""
    code = str(problem.get("code", f"http_{status}"))
    detail = str(problem.get("detail") or problem.get("title") or f"The service responded with status {status}.")
    detail += _FOR_PROGRAMS.get(code, "")
    errors = problem.get("errors")
    faults = [fault for fault in errors if isinstance(fault, dict)] if isinstance(errors, list) else []
    ran = problem.get("command_ran")
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, RobotRestError)
    return kind(status, code, detail, faults, ran if isinstance(ran, str) else None, problem)
