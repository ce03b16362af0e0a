"""Log lines of the package, written by a thread of their own: a full pipe must not delay a stop."""

from __future__ import annotations

import logging
import queue
import sys
import threading
from typing import Any

_LOGGER = logging.getLogger("robot_rest.robot")
_LINES: queue.Queue[Any] = queue.Queue(maxsize=1000)
_STARTED = threading.Lock()
_state = {"started": False}


def log(level: int, text: str, *values: object, trace: bool = False) -> None:
    """Writes a line soon, with the traceback of the present exception on request. Never waits."""
    _start()
    try:
        _LINES.put_nowait((level, text, values, sys.exc_info() if trace else None))
    except queue.Full:
        pass


def info(text: str, *values: object) -> None:
    log(logging.INFO, text, *values)


def warning(text: str, *values: object) -> None:
    log(logging.WARNING, text, *values)


def exception(text: str, *values: object) -> None:
    log(logging.ERROR, text, *values, trace=True)


def flush() -> None:
    """Waits at most a second until everything is written."""
    written = threading.Event()
    try:
        _LINES.put(written, timeout=0.5)
    except queue.Full:
        return
    _start()
    written.wait(1)


def _start() -> None:
    if _state["started"]:
        return
    with _STARTED:
        if not _state["started"]:
            _state["started"] = True
            threading.Thread(target=_write, name="robot-log", daemon=True).start()


def _write() -> None:
    while True:
        line = _LINES.get()
        if isinstance(line, threading.Event):
            line.set()
            continue
        level, text, values, trace = line
        _LOGGER.log(level, text, *values, exc_info=trace)
