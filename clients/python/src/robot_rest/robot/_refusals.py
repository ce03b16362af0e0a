"""What a command may be refused with. See "Refusals" in docs/mqtt.md."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class Refused(Exception):
    """Raise it in a command to refuse it. ``ran`` is "no" only if the command certainly had no effect.

    ``errors`` lists invalid members: ``{"pointer": "/value/x", "message": "…"}``.
    """

    def __init__(self, code: str, detail: str, ran: str = "no", errors: Optional[List[Dict[str, str]]] = None) -> None:
        super().__init__(detail)
        self.code, self.detail, self.ran, self.errors = code, detail, ran, errors or []

    @property
    def error(self) -> Dict[str, Any]:
        """The member ``error`` of the answer."""
        error: Dict[str, Any] = {"code": self.code, "detail": self.detail, "ran": self.ran}
        return {**error, "errors": self.errors} if self.errors else error


class NotReady(Refused):
    """The robot cannot do it now, for instance because its motors are off. Raise it before anything moves."""

    def __init__(self, detail: str) -> None:
        super().__init__("not_ready", detail)


class Busy(Refused):
    """The robot is doing something else that it does not interrupt. Raise it before anything moves."""

    def __init__(self, detail: str) -> None:
        super().__init__("busy", detail)


class Cancelled(Refused):
    """Raised in a command by ``task.check()`` and ``task.sleep()`` once it has been cancelled. Let it pass."""


class Declined(Exception):
    """The robot understands a command but will not do it: ``raise Declined("The target is off its floor.")``.

    Nothing has failed: callers receive the sentence, and ``result``, in which ``accepted`` is false unless it is given.
    """

    def __init__(self, sentence: str, result: Any = None) -> None:
        super().__init__(sentence)
        self.sentence, self.result = sentence, result


class Answer:
    """The outcome of a command. ``replaced``: a drive that was under way was cancelled for it."""

    def __init__(self, result: Any, replaced: bool = False) -> None:
        self.result, self.replaced = result, replaced


def said_by(failure: BaseException) -> str:
    """The type and the text of an exception."""
    return f"{type(failure).__name__}: {failure}".rstrip(": ")


def invalid(detail: str, errors: Optional[List[Dict[str, str]]] = None) -> Refused:
    return Refused("validation_failed", detail, "no", errors)
