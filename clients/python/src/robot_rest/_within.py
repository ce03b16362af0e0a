"""A time limit."""

from __future__ import annotations

import asyncio
from typing import Awaitable, Optional, TypeVar

T = TypeVar("T")


async def within(seconds: Optional[float], work: Awaitable[T]) -> T:
    """Limits how long work may take. Raises asyncio.TimeoutError, once the work has been cancelled.

    Before Python 3.12, ``asyncio.wait_for`` may swallow the cancellation of its caller (bpo-37658).
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        await _end(task)
        raise
    if task.done():
        return task.result()
    await _end(task)
    raise asyncio.TimeoutError


async def _end(task: asyncio.Future[T]) -> None:
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()  # marks it as retrieved
