"""Decides what may move: the fence, the tasks under way, and what ends them. See docs/mqtt.md."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import Any, Callable, Iterable, List, Optional, Set

from . import _log
from ._fence import Fence
from ._refusals import Busy, NotReady, Refused
from ._reports import Reports
from ._stopping import STOP_SECONDS, Stopping
from ._task import Task

#: How long a drive waits for the end of the one that it replaces, which is halted, in seconds.
REPLACE_SECONDS = STOP_SECONDS + 1
#: How often the guard looks, in seconds.
TICK = 0.02
#: After this time the log says that the state of the emergency stop was never told, in seconds.
ESTOP_SECONDS = 3.0
REPLACED = "A newer command has taken the base."


class Safety:
    """Never waits for a command, the network or the log, except in `take`, which runs in a command's own thread."""

    def __init__(self, fence: Fence, link_loss_ms: int, reports: Reports) -> None:
        self.fence, self.reports = fence, reports
        self.closed: Optional[str] = None
        self.last_end = float("-inf")  # when the last task that moved the robot ended
        self.stopping = Stopping(self)
        self._estop, self._estop_due = reports.estop(), float("inf")
        self._silence = max(0.05, link_loss_ms / 1000 - 0.1)  # acts a little earlier than announced
        self._lock = threading.Lock()
        self._freed = threading.Condition(self._lock)
        self._tasks: Set[Task] = set()
        self._order = self._pending = self._halting = 0
        self._heard, self._lost = float("-inf"), True
        self._lapsed: List[Any] = []  # (until when they may still run, tasks) after a lost link
        self._watches: List[Callable[[float], None]] = []

    def start(self) -> None:
        self._estop_due = time.monotonic() + ESTOP_SECONDS
        self.stopping.start()
        threading.Thread(target=self._guard, name="robot-guard", daemon=True).start()

    def watch(self, look: Callable[[float], None]) -> None:
        """Calls this 50 times a second, with the monotonic time. It must not block."""
        self._watches.append(look)

    def admit(self, task: Task, sent: Optional[int]) -> None:
        """Permits a task. `sent` is the fence number its sender knew; None from a service without a fence."""
        with self._lock:
            if self.closed:
                raise Refused("robot_unavailable", self.closed)
            if task.motion:
                self._assert_may_move(sent)
            self._order += 1
            task.order = self._order
            self._tasks.add(task)

    def _assert_may_move(self, sent: Optional[int]) -> None:
        if sent is not None and sent < self.fence.number:
            raise Refused("stopped", "The robot was stopped after this command was sent. Send it again to move.")
        self.fence.raise_to(sent or 0)
        if self.fence.problem:
            raise NotReady(self.fence.problem)
        estop = self.reports.estop()
        if estop not in (None, "released"):
            raise Refused("estop_engaged", f"The emergency stop of the robot is {estop}. Release it at the robot.")
        driver = self.reports.driver()
        if driver:
            raise Refused("driven_elsewhere", f"The robot is driven by {driver}.")
        if self.silence() > self._silence:
            raise NotReady("The robot has lost the link to its broker and has stopped. Send it again.")
        if self._pending:
            raise NotReady("The robot is still coming to a stop. Send it again when the stop is confirmed.")
        self._lost = False  # the guard may not have looked yet: what moves now has to end with the link

    def take(self, task: Task) -> bool:
        """Ends the drives under way and waits for their end. Whether there was one."""
        until, replaced = time.monotonic() + REPLACE_SECONDS, False
        with self._freed:
            while True:
                task.assert_alive()
                others = self._drives_but(task)
                if not others:
                    task.driving = True
                    return replaced
                if any(other.order > task.order for other in others):
                    raise Busy("A newer command drives the robot.")
                replaced = True
                for other in others:
                    other.cancel(REPLACED, "busy")
                if time.monotonic() >= until:
                    raise Busy(f"The drive under way has not ended within {REPLACE_SECONDS:.0f} s.")
                self._freed.wait(0.05)

    def take_over(self, task: Task) -> bool:
        """The same without waiting: whether no other drive is under way any more."""
        with self._lock:
            others = self._drives_but(task)
            for other in others:
                other.cancel("The robot is driven by hand.", "busy")
            task.driving = task.runs = not others and not self._halting
            return task.driving

    def _drives_but(self, task: Task) -> List[Task]:
        return [other for other in self._tasks if other.driving and other is not task]

    def enter(self, task: Task) -> bool:
        """The command of the task begins, once no other is being halted. Whether it had to wait."""
        waited = False
        with self._freed:
            while task.motion and self._halting:
                waited = True
                self._freed.wait(0.05)
                task.assert_alive()
            task.runs = True
        return waited

    def leave(self, task: Task, failed: bool) -> Optional[str]:
        """The command of the task has returned. Where it moves the robot, and has failed or was cancelled, the robot is
        halted: what the command has set in motion must not outlive it. Returns why the robot is not known to stand.

        The stop function halts the whole robot, so other motions under way are cancelled: they would not arrive."""
        halted: Future[Optional[str]] = Future()
        with self._freed:
            ran = task.runs
            task.end()
            if not task.motion or not ran:
                return None
            self.last_end = time.monotonic()
            if not task.halted or not (failed or task.refusal is not None):
                return None
            self._halting += 1
            others = [other for other in self._tasks if other.motion and other.runs]
            how = "failed" if failed and task.refusal is None else "was cancelled"
            self._end(others, f"The robot was halted, because the command {task.name} {how}.")
            self.stopping.begin(halted.set_result, task.cancelled_at)
        problem = halted.result()
        with self._freed:
            self._halting -= 1
            self._freed.notify_all()
        return problem

    def release(self, task: Task) -> None:
        with self._freed:
            if task in self._tasks:
                self._tasks.discard(task)
                self.last_end = time.monotonic() if task.motion and not task.over else self.last_end
            self._freed.notify_all()

    def moving(self) -> List[str]:
        """What may still move the robot although it was cancelled, as sentences."""
        with self._lock:
            cancelled = [task for task in self._tasks if task.motion and task.refusal is not None and not task.over]
        watch, need = "It has to watch task.cancelled.", "It needs a first parameter task, and to watch task.cancelled."
        return [f"the command {each.name} has not ended. {watch if each.mission else need}" for each in cancelled]

    def missions_of(self, client_id: str) -> List[Task]:
        with self._lock:
            return [task for task in self._tasks if task.mission and task.client_id == client_id]

    def stop(self, settle: Callable[[Optional[str], int], None], why: str = "The robot was stopped.") -> None:
        """Takes effect before it returns: what was admitted is cancelled, what was sent earlier will be refused."""
        with self._lock:
            self.fence.raise_to(self.fence.number + 1)
            cancelled = sum(task.begun for task in self._tasks)
            self._end(self._tasks, why)
            self._begin_stop(settle, cancelled)

    def raise_above(self, sent: int) -> None:
        """Raises the fence above a number that came with a stop."""
        with self._lock:
            self.fence.raise_to(sent + 1)

    def _begin_stop(self, settle: Callable[[Optional[str], int], None], cancelled: int = 0) -> None:
        def settled(problem: Optional[str]) -> None:
            with self._lock:
                self._pending -= 1
            settle(problem, cancelled)

        self._pending += 1  # under the lock
        self.stopping.begin(settled)

    def _end(self, tasks: Iterable[Task], why: str, code: str = "stopped") -> None:
        for task in tasks:
            task.cancel(why, code)

    def heard(self, when: float) -> None:
        """The broker answered a ping sent at that time; a late answer does not prove that it is alive now."""
        self._heard = max(self._heard, when)

    def silence(self) -> float:
        return time.monotonic() - self._heard

    def _guard(self) -> None:
        while True:
            time.sleep(TICK)
            now = time.monotonic()
            for look in (self._watch_link, self._watch_estop, self.stopping.watch, *self._watches):
                try:
                    look(now)
                except Exception:
                    _log.exception("watching the robot failed")

    def _watch_link(self, now: float) -> None:
        for until, tasks in [each for each in self._lapsed if now >= each[0]]:
            self._lapsed = [each for each in self._lapsed if each[1] is not tasks]
            if any(task in self._tasks for task in tasks):
                self.stop(self._told("link lost"), "The robot lost the link to its broker.")
        lost = self.silence() > self._silence
        if lost == self._lost:
            return
        self._lost = lost
        if not lost:
            return
        why = "The robot lost the link to its broker."
        with self._lock:
            self.fence.raise_to(self.fence.number + 1)
            ended = [task for task in self._tasks if not task.finishes]
            finishing = any(task.finishes and task.motion for task in self._tasks)
            self._end(ended, why)
            if finishing:  # to halt the robot would end those as well: what was cancelled has this long to end by itself
                for task in ended:
                    task.halted = False
                self._lapsed.append((now + 0.1, [task for task in ended if task.motion]))
            else:
                self._begin_stop(self._told("link lost"))
        _log.warning("link lost: no answer from the broker; motion ends")

    @staticmethod
    def _told(what: str) -> Callable[[Optional[str], int], None]:
        return lambda problem, _cancelled: _log.warning("%s: %s", what, problem or "the robot stands")

    def _watch_estop(self, now: float) -> None:
        if now > self._estop_due and self._estop == "unknown":
            self._estop_due = float("inf")
            _log.warning("nothing moves: the robot has an emergency stop, but publish_state(estop=…) has not told its state")
        before, self._estop = self._estop, self.reports.estop()
        if self._estop in (None, "released") or self._estop == before:
            return
        why = f"The emergency stop of the robot is {self._estop}."
        _log.warning(why)
        self.stop(self._told("emergency stop"), why)
