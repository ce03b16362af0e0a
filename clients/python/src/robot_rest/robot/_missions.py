"""Missions: work that continues after its command was answered, and the commands about it that all robots share."""

from __future__ import annotations

import collections
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, List, Optional

from ._refusals import Refused, said_by
from ._task import Task

if TYPE_CHECKING:
    from ._commands import Call, Commands
    from ._safety import Safety

#: How many missions that have ended are remembered, and how many events wait for the link.
MAX_ENDED, MAX_EVENTS = 100, 100
NOT_FOUND = "Mission not found"
CANCELLED = "Mission cancelled"


class Mission:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.over: Future[bool] = Future()  # whether it has finished
        self.how = CANCELLED
        self.problem: Optional[str] = None  # why the robot is not known to stand after its end


class Missions:
    """The missions under way and the latest ended ones, and the events about them until the link publishes them."""

    def __init__(self) -> None:
        self._known: collections.OrderedDict[str, Mission] = collections.OrderedDict()
        self._events: Deque[Dict[str, Any]] = collections.deque(maxlen=MAX_EVENTS)  # the oldest are dropped
        self._lock = threading.Lock()
        self._seq = 0

    def add(self, task: Task) -> None:
        with self._lock:
            self._known[task.id] = Mission(task)
            ended = [key for key, mission in self._known.items() if mission.over.done()]
            for key in ended[:-MAX_ENDED]:
                del self._known[key]
        client = {"client_id": task.client_id} if task.client_id else {}
        self._tell("mission_started", task.id, skills=[task.name], **client)

    def progress(self, task: Task, fraction: float) -> None:
        self._tell("mission_progressed", task.id, progress=fraction)

    def end(self, task: Task, failure: Optional[BaseException], problem: Optional[str]) -> None:
        """Records how a mission ended: it was cancelled, failed, or finished; and after which `problem` to halt the robot."""
        mission = self.find(task.id)
        if mission is None:
            return
        refusal, mission.problem = task.refusal, problem
        more = f". {problem}" if problem else ""
        if refusal is not None:
            mission.how = refusal.detail.rstrip("." if more else "") + more
            self._tell("mission_cancelled", task.id, message=mission.how)
        elif failure is not None:
            why = str(failure) if isinstance(failure, Exception) else ""
            mission.how = f"Mission failed: {why or said_by(failure)}".rstrip("." if more else "") + more
            self._tell("mission_failed", task.id, message=mission.how)
        else:
            mission.how = "Mission finished"
            self._tell("mission_finished", task.id)
        mission.over.set_result(refusal is None and failure is None)

    def find(self, key: str) -> Optional[Mission]:
        with self._lock:
            return self._known.get(key)

    def take_event(self) -> Optional[Dict[str, Any]]:
        """The oldest event that was not taken yet."""
        with self._lock:
            return self._events.popleft() if self._events else None

    def _tell(self, event: str, mission: str, **more: Any) -> None:
        with self._lock:
            self._seq += 1
            self._events.append({"v": 1, "seq": self._seq, "event": event, "mission": mission, **more})


class MissionCommands:
    """What clients call to start, await and cancel missions; the names and answers are those of docs/mqtt.md."""

    def __init__(self, commands: Commands, missions: Missions, safety: Safety) -> None:
        self._commands, self._missions, self._safety = commands, missions, safety

    def get_skills(self, call: Call) -> List[Dict[str, Any]]:
        skills = self._commands.skills().items()
        return [{"name": name, "title": each.entry["title"], "takes": each.signature.takes()} for name, each in skills]

    def wait_for_skill(self, call: Call) -> Any:
        mission = self._missions.find(call.value)
        if mission is None:
            start = {"started": False, "msg": NOT_FOUND}
            return {"awaited": False, "start_result": start, "msg": NOT_FOUND}
        known, start = mission, {"started": True, "msg": "Mission started"}
        return _later([known], lambda: {"awaited": known.over.result(), "start_result": start, "msg": known.how})

    def wait_for_skill_started(self, call: Call) -> Any:
        known = self._missions.find(call.value) is not None
        return {"started": known, "msg": "Mission started" if known else NOT_FOUND}

    def cancel_skill(self, call: Call) -> Any:
        return self._cancel(call.value, waits=False)

    def cancel_and_wait_for_mission(self, call: Call) -> Any:
        return self._cancel(call.value, waits=True)

    def _cancel(self, key: str, waits: bool) -> Any:
        """One that moves the robot is awaited in any case: it counts as cancelled once the robot was halted."""
        mission = self._missions.find(key)
        if mission is None or mission.over.done():
            return {"cancelled": False, "msg": NOT_FOUND}
        mission.task.cancel(CANCELLED)
        if not waits and not mission.task.motion:
            return {"cancelled": True, "msg": CANCELLED}
        known = mission

        def answer() -> Any:
            _assert_halted(known)
            finished = known.over.result()
            return {"cancelled": not finished, "msg": known.how if finished else CANCELLED}

        return _later([known], answer)

    def cancel_client_missions(self, call: Call) -> Any:
        tasks = self._safety.missions_of(call.client_id)
        for task in tasks:
            task.cancel(CANCELLED)
        moving = [mission for mission in (self._missions.find(task.id) for task in tasks if task.motion) if mission]

        def answer() -> Any:
            for mission in moving:
                _assert_halted(mission)
            count = len(tasks)
            msg = f"{count} of this client's missions cancelled"
            return {"cancelled": count > 0, "cancelled_missions": count, "msg": msg}

        return _later(moving, answer) if moving else answer()


def _assert_halted(mission: Mission) -> None:
    if mission.problem:
        raise Refused("robot_error", mission.how, "maybe")


def _later(missions: List[Mission], answer: Callable[[], Any]) -> Future[Any]:
    """The answer once all of them are over. Takes no thread."""
    future: Future[Any] = Future()
    lock, left = threading.Lock(), [len(missions)]

    def settle(_over: Future[bool]) -> None:
        with lock:
            left[0] -= 1
            if left[0]:
                return
        try:
            future.set_result(answer())
        except Refused as refusal:
            future.set_exception(refusal)

    for mission in missions:
        mission.over.add_done_callback(settle)
    return future
