"""A function that is called again and again."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable

from . import _log
from ._refusals import said_by


def repeat(seconds: float, function: Callable[[], Any], ended: threading.Event) -> None:
    """Calls it until `ended`. One call that fails does not end it; the same failure is logged once."""
    told = ""
    while not ended.is_set():
        began = time.monotonic()
        try:
            function()
            told = ""
        except BaseException as failure:  # also SystemExit, which would end this thread unseen
            if told != (told := said_by(failure)):
                _log.exception("%s failed", getattr(function, "__name__", "a timed function"))
        time.sleep(max(0.001, seconds - (time.monotonic() - began)))
