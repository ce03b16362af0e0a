"""Blocking wrappers: missions, leases, tables, skills, runs."""

from __future__ import annotations

import os
import threading
from typing import Any, List, Mapping, Optional, Union

from . import _commands, _jog, _lease, _runs, _tables
from ._commands import Result
from ._portal import Portal, Stream
from ._tables import Row, SkillFile


class Mission:
    """See :class:`robot_rest.Mission`."""

    def __init__(self, portal: Portal, mission: _commands.Mission) -> None:
        self._portal = portal
        self._mission = mission
        self.id = mission.id

    def started(self) -> None:
        self._portal.call(self._mission.started())

    def completed(self, timeout: Optional[float] = None) -> Result:
        return self._portal.call(self._mission.completed(timeout))

    def cancel(self) -> bool:
        return self._portal.call(self._mission.cancel())


class Jog:
    """See :class:`robot_rest.Jog`."""

    def __init__(self, portal: Portal, jog: _jog.Jog) -> None:
        self._portal = portal
        self._jog = jog

    def __enter__(self) -> Jog:
        self._portal.call(self._jog.__aenter__())
        return self

    def __exit__(self, *error: Any) -> None:
        self._portal.call(self._jog.__aexit__(*error))

    @property
    def waiting(self) -> bool:
        return self._jog.waiting

    def set_velocity(self, vx: float = 0.0, vy: float = 0.0, wz: float = 0.0) -> None:
        self._portal.run(self._jog.set_velocity, vx, vy, wz)


class Lease:
    """See :class:`robot_rest.Lease`; ``lost`` is a ``threading.Event``."""

    def __init__(self, portal: Portal, lease: _lease.Lease) -> None:
        self._portal = portal
        self._lease = lease
        self.lost = threading.Event()
        lease.on_lost = self.lost.set

    def __enter__(self) -> Lease:
        self._portal.call(self._lease.__aenter__())
        return self

    def __exit__(self, *error: Any) -> None:
        self._portal.call(self._lease.__aexit__(*error))

    @property
    def stop_confirmed(self) -> bool:
        return self._lease.stop_confirmed

    def jog(self, deadline: float = 0.3) -> Jog:
        return Jog(self._portal, self._lease.jog(deadline))


class Table:
    """See :class:`robot_rest._tables.Table`."""

    def __init__(self, portal: Portal, table: _tables.Table) -> None:
        self._portal = portal
        self._table = table
        self.name = table.name

    def rows(self, limit: Optional[int] = None, offset: Optional[int] = None) -> List[Row]:
        return self._portal.call(self._table.rows(limit, offset))

    def get(self, id: Any) -> Row:
        return self._portal.call(self._table.get(id))

    def add(self, **row: Any) -> Row:
        return self._portal.call(self._table.add(**row))

    def update(self, id: Any, column: str, value: Any) -> Row:
        return self._portal.call(self._table.update(id, column, value))

    def delete(self, id: Any) -> Row:
        return self._portal.call(self._table.delete(id))


class Skills:
    """See :class:`robot_rest._tables.Skills`."""

    def __init__(self, portal: Portal, skills: _tables.Skills) -> None:
        self._portal = portal
        self._skills = skills

    def list(self) -> List[SkillFile]:
        return self._portal.call(self._skills.list())

    def upload(self, path: Union[str, os.PathLike[str]]) -> SkillFile:
        return self._portal.call(self._skills.upload(path))

    def enable(self, name: str) -> SkillFile:
        return self._portal.call(self._skills.enable(name))

    def disable(self, name: str) -> SkillFile:
        return self._portal.call(self._skills.disable(name))

    def rename(self, old: str, new: str) -> SkillFile:
        return self._portal.call(self._skills.rename(old, new))

    def remove(self, name: str) -> SkillFile:
        return self._portal.call(self._skills.remove(name))

    def download(self, name: str) -> bytes:
        return self._portal.call(self._skills.download(name))


class Run:
    """See :class:`robot_rest.Run`."""

    def __init__(self, portal: Portal, run: _runs.Run) -> None:
        self._portal = portal
        self._run = run
        self.id = run.id

    @property
    def state(self) -> str:
        return self._run.state

    @property
    def result(self) -> Any:
        return self._run.result

    def completed(self, timeout: Optional[float] = None) -> Run:
        self._portal.call(self._run.completed(timeout))
        return self

    def stop(self) -> Run:
        self._portal.call(self._run.stop())
        return self

    def logs(self, follow: bool = False) -> Stream[str]:
        return Stream(self._portal, self._run.logs(follow))


class Runs:
    """See :class:`robot_rest._runs.Runs`."""

    def __init__(self, portal: Portal, runs: _runs.Runs) -> None:
        self._portal = portal
        self._runs = runs

    def start(
        self,
        skill: str,
        args: Optional[Mapping[str, Any]] = None,
        function: Optional[str] = None,
        timeout_s: int = 3600,
        lease: Optional[Lease] = None,
    ) -> Run:
        under = None if lease is None else lease._lease
        return Run(self._portal, self._portal.call(self._runs.start(skill, args, function, timeout_s, under)))

    def list(self) -> List[Run]:
        return [Run(self._portal, run) for run in self._portal.call(self._runs.list())]

    def get(self, id: str) -> Run:
        return Run(self._portal, self._portal.call(self._runs.get(id)))
