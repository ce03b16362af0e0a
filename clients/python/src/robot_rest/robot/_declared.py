"""What a maker declares: commands, the stop, driving by hand, and what is done again and again."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

from ._commands import Commands
from ._jog import Hand
from ._safety import Safety
from ._signature import assert_plain

Function = TypeVar("Function", bound=Callable[..., Any])


class Declared:
    def __init__(self, safety: Safety, commands: Commands) -> None:
        self._safety, self._commands = safety, commands
        self._hand: Optional[Hand] = None
        self._stop_function: Optional[Callable[[], Any]] = None
        self._timed: List[Tuple[float, Callable[[], Any]]] = []

    def command(
        self,
        motion: bool = True,
        title: Optional[str] = None,
        on_lapse: str = "stop",
        *,
        name: Optional[str] = None,
        replaces: Optional[bool] = None,
        check: Optional[Callable[..., Any]] = None,
        result: Optional[Dict[str, Any]] = None,
        examples: Optional[List[Dict[str, Any]]] = None,
    ) -> Callable[[Function], Function]:
        """Makes a function a command. Its name, arguments and title come from its signature and docstring.

        ``motion``: it moves the robot, or changes how it moves. ``on_lapse="finish"``: it continues when the link is lost.
        A first parameter named ``task`` makes it a mission, see `Task`. ``replaces``: it cancels the one under way that
        also has it, and waits for its end (default: ``go_to_relative`` and ``go_to_absolute``). ``check`` is called first,
        with the same arguments; what it raises leaves the one under way alone. ``result`` is the JSON Schema of the
        answer, ``examples`` a list of ``{"value": …, "result": …}``.
        """
        if callable(motion):
            raise TypeError("write @robot.command(motion=True) or @robot.command(motion=False)")
        if on_lapse not in ("stop", "finish"):
            raise ValueError("on_lapse must be stop or finish")
        more = {"name": name, "replaces": replaces, "check": check, "result": result, "examples": examples}
        more.update({"on_lapse": "finish"} if on_lapse == "finish" else {})

        def register(function: Function) -> Function:
            self._commands.add(function, effect="action", title=title, motion=motion, **more)
            return function

        return register

    def query(
        self,
        title: Optional[str] = None,
        *,
        name: Optional[str] = None,
        result: Optional[Dict[str, Any]] = None,
        examples: Optional[List[Dict[str, Any]]] = None,
        waits: bool = False,
    ) -> Callable[[Function], Function]:
        """Makes a function a query: it does not change the robot. One that ``waits`` may take minutes; if it returns a
        ``concurrent.futures.Future``, the wait takes no thread."""
        if callable(title):
            raise TypeError("write @robot.query()")
        more: Dict[str, Any] = {"name": name, "result": result, "examples": examples, **({"waits": True} if waits else {})}

        def register(function: Function) -> Function:
            self._commands.add(function, effect="query", title=title, motion=False, **more)
            return function

        return register

    def on_stop(self, function: Function) -> Function:
        """The function that stops the robot: it halts everything, whoever moves it, and returns True once the robot stands
        by its own sensors (`standstill` helps), False otherwise. It is called in a thread of its own, again until it
        returns True, for at most 4 s; also at the start, before the robot is online, and whenever a motion fails or is cancelled. A robot has
        one, for all of its motors."""
        assert_plain(function)
        if self._stop_function is not None:
            raise ValueError(
                "There are two functions with @robot.on_stop. Write one that halts everything first, and then returns "
                "whether all of it stands."
            )
        self._stop_function = function
        return function

    def on_jog(self, watchdog_ms: int = 300, max_linear: float = 0.5, max_angular: float = 1.0) -> Callable[[Function], Function]:
        """The function that drives by hand, ``drive(vx, vy, wz)`` in m/s and rad/s, until it is called again. It is called
        with zero when no new velocity has come for ``watchdog_ms``; it has to return at once."""
        if callable(watchdog_ms):
            raise TypeError("write @robot.on_jog()")

        def register(function: Function) -> Function:
            assert_plain(function)
            if self._hand is not None:
                raise ValueError("There are two functions with @robot.on_jog.")
            self._hand = Hand(self._safety, function, watchdog_ms, max_linear, max_angular)
            return function

        return register

    def every(self, seconds: float) -> Callable[[Function], Function]:
        """Calls a function again and again while the robot runs, for instance to publish its state."""
        if callable(seconds):
            raise TypeError("write @robot.every(0.1)")

        def register(function: Function) -> Function:
            assert_plain(function)
            self._timed.append((seconds, function))
            return function

        return register
