"""Reads and judges the messages of the service."""

from __future__ import annotations

import json
import math
import re
import time
from typing import Any, Dict, Optional, Tuple

from ._fence import MAX_FENCE
from ._refusals import Answer, Declined, Refused, invalid
from ._schema import is_number

#: How far the clock of the service may be ahead of ours, in seconds.
SKEW_SECONDS = 2.0
_ID = re.compile("[A-Za-z0-9_-]{16,64}")


def is_fence(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MAX_FENCE


def read_command(payload: bytes) -> Dict[str, Any]:
    """Parses a command. @raises Refused"""
    try:
        message = json.loads(payload)
        integers = [message[name] for name in ("issued_at", "deadline", "begin_by", "fence") if name in message]
        fits = (
            message["v"] == 1
            and _ID.fullmatch(message["id"]) is not None
            and type(message["command"]) is str
            and {"issued_at", "deadline"} <= set(message)
            and type(message["sender"]["client_id"]) is str
            and all(map(is_fence, integers))
        )
    except Exception:  # JSON can fail in many ways, by its depth for instance
        fits = False
    if not fits:
        raise invalid("The message is not a command.")
    command: Dict[str, Any] = message
    return command


def check_time(message: Dict[str, Any]) -> None:
    """Refuses late commands. Both times come from another clock, which must agree with ours."""
    now, issued = time.time(), message["issued_at"] / 1000
    if issued - now > SKEW_SECONDS:
        detail = f"The clock of the robot is {issued - now:.1f} s behind that of the service; set both clocks by NTP."
        raise Refused("robot_unavailable", detail)
    # For a command that waits, deadline is how long it may wait, and begin_by its latest start.
    if now >= min(message["deadline"], message.get("begin_by", math.inf)) / 1000:
        detail = (
            f"The command reached the robot {now - issued:.1f} s after it was sent, which is too late. "
            "If that is not so, the two clocks disagree; set both clocks by NTP."
        )
        raise Refused("robot_timeout", detail)


def fence_in(payload: bytes) -> Optional[int]:
    """The number in a stop, whatever else it contains."""
    try:
        number = json.loads(payload)["fence"]
    except Exception:  # no JSON, or no number
        return None
    return number if is_fence(number) else None


def session_in(payload: bytes) -> Optional[str]:
    """The session of a presence message."""
    try:
        session = json.loads(payload)["session"]
    except Exception:  # no JSON, or no session
        return None
    return session if type(session) is str else None


Frame = Tuple[Tuple[int, int], Tuple[float, float, float], float]


def read_jog(payload: bytes, max_linear: float, max_angular: float) -> Optional[Frame]:
    """Reads a frame: (fence, seq), (vx, vy, wz) within the limits, seconds. None if it is not one."""
    try:
        message = json.loads(payload)
        fence, seq, valid = (message[name] for name in ("fence", "seq", "valid_ms"))
        vx, vy, wz = (message[name] for name in ("vx", "vy", "wz"))
        fits = message["v"] == 1 and all(map(is_fence, (fence, seq, valid))) and all(map(is_number, (vx, vy, wz)))
    except Exception:  # JSON can fail in many ways
        return None
    if not fits:
        return None
    fast = max(1.0, math.hypot(vx, vy) / max_linear)  # the direction is kept
    return (fence, seq), (vx / fast, vy / fast, max(-max_angular, min(max_angular, wz))), valid / 1000


def answer_to(id: str, outcome: Any) -> Dict[str, Any]:
    """The answer to a command, except for the number."""
    answer: Dict[str, Any] = {"v": 1, "id": id}
    if isinstance(outcome, Refused):
        return {**answer, "ok": False, "error": outcome.error}
    if isinstance(outcome, Declined):
        result = outcome.result if outcome.result is not None else {"accepted": False, "msg": outcome.sentence}
        return {**answer, "ok": True, "result": result, "declined": outcome.sentence}
    replaced = {"replaced": True} if isinstance(outcome, Answer) and outcome.replaced else {}
    return {**answer, "ok": True, "result": outcome.result if isinstance(outcome, Answer) else outcome, **replaced}
