"""An event loop in a background thread, for programs without one."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from typing import Any, AsyncGenerator, Callable, Coroutine, Generic, Iterator, List, Optional, TypeVar

from .errors import Unavailable

T = TypeVar("T")


class Portal:
    """Runs coroutines in its own thread while the caller waits."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="robot_rest", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine and waits for it. Ctrl-C cancels it. Raises Unavailable if the portal is closed."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("robot_rest.sync must not be called from its own thread.")
        if self.closed:
            work.close()
            raise Unavailable(None, "closed", "This client is closed.", (), "no")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise Unavailable(None, "closed", "This client was closed during the call.", (), "maybe") from None
        except BaseException:
            future.cancel()
            raise

    @property
    def closed(self) -> bool:
        return self._loop.is_closed()

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function in the thread of the loop."""

        async def work() -> T:
            return function(*arguments)

        return self.call(work())

    def close(self) -> None:
        self.call(self._finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _finish(self) -> None:
        rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        await self._loop.shutdown_asyncgens()


class Stream(Generic[T]):
    """Iterates over an asynchronous generator; ``close`` ends it early."""

    def __init__(self, portal: Portal, source: AsyncGenerator[T, None]) -> None:
        self._portal = portal
        self._source: Optional[AsyncGenerator[T, None]] = source

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        if self._source is not None:
            for item in self._portal.call(_next(self._source)):
                return item
            self._source = None
        raise StopIteration

    def close(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            self._portal.call(_close(source))

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


async def _next(source: AsyncGenerator[T, None]) -> List[T]:
    """Returns the next item in a list, which is empty at the end."""
    try:
        return [await source.__anext__()]
    except StopAsyncIteration:
        return []


async def _close(source: AsyncGenerator[T, None]) -> None:
    await source.aclose()
