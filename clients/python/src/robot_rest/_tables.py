"""Tables of the robot's database, and its skill files."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._http import bad_answer
from ._session import Session, query, segment

Row = Dict[str, Any]


class Table:
    """A table. Rows are dicts with the columns as keys."""

    def __init__(self, session: Session, name: str) -> None:
        self.name = name
        self._session = session

    async def rows(self, limit: Optional[int] = None, offset: Optional[int] = None) -> List[Row]:
        """Rows in the order of their keys; all of them, or one page."""
        target = "/api/v2/database/read/" + query(tablename=self.name, limit=limit, offset=offset)
        rows = (await self._session.request("GET", target)).json()
        if not isinstance(rows, list):
            raise bad_answer("not a list of rows")
        return rows

    async def get(self, id: Any) -> Row:
        """Fetches a row. Raises RobotRestError, code ``row_not_found``."""
        data = json.dumps(self._item({"id": id}), allow_nan=False)
        return (await self._session.request("GET", "/api/v2/database/read_item/" + query(data=data))).object()

    async def add(self, **row: Any) -> Row:
        """Adds a row and returns it as stored. An integer id may be omitted and is then assigned."""
        return await self._change("POST", "add_item", self._item(row))

    async def update(self, id: Any, column: str, value: Any) -> Row:
        """Changes one column and returns the row."""
        body = {**self._item({"id": id}), "attribute": column, "new_value": value}
        return await self._change("PUT", "update_item", body)

    async def delete(self, id: Any) -> Row:
        """Deletes a row and returns it as it was."""
        return await self._change("DELETE", "delete_item", self._item({"id": id}))

    def _item(self, item: Mapping[str, Any]) -> Dict[str, Any]:
        return {"tablename": self.name, "item": dict(item)}

    async def _change(self, method: str, route: str, body: Dict[str, Any]) -> Row:
        return (await self._session.request(method, f"/api/v2/database/{route}/", body)).object()

    def __repr__(self) -> str:
        return f"<Table {self.name}>"


@dataclass(frozen=True)
class SkillFile:
    """A skill file. ``functions`` has the ``name``, ``access_level`` and ``description`` of each skill in it."""

    name: str
    enabled: bool
    functions: Tuple[Mapping[str, str], ...]
    sha256: Optional[str]
    #: Why it is not managed, or is not valid Python.
    problem: Optional[str] = None

    @classmethod
    def of(cls, skill: Mapping[str, Any]) -> SkillFile:
        functions = tuple(skill.get("functions") or ())
        return cls(str(skill["name"]), skill.get("enabled") is True, functions, skill.get("sha256"), skill.get("problem"))


class Skills:
    """Skill files; requires ADMIN. Names may be passed with or without ``.py``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def list(self) -> List[SkillFile]:
        answer = (await self._session.request("GET", "/api/v2/skill/list/")).object()
        return [SkillFile.of(skill) for skill in answer.get("skills", [])]

    async def upload(self, path: Union[str, os.PathLike[str]]) -> SkillFile:
        """Uploads a file, replacing one of the same name. Raises ValidationFailed, code ``invalid_python``."""
        file = Path(path)
        source = await asyncio.get_running_loop().run_in_executor(None, file.read_bytes)
        boundary = secrets.token_hex(16)
        if not file.name.isprintable() or '"' in file.name:
            raise ValueError("The file name contains invalid characters.")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="skill"; filename="{file.name}"\r\n'
        body = head.encode("utf-8") + b"Content-Type: text/x-python\r\n\r\n" + source + f"\r\n--{boundary}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        answer = await self._session.request("POST", "/api/v2/skill/upload/", body=body, headers=headers)
        return SkillFile.of(answer.object()["skill"])

    async def enable(self, name: str) -> SkillFile:
        return await self._change("PATCH", "enable/", {"command": name, "value": True})

    async def disable(self, name: str) -> SkillFile:
        return await self._change("PATCH", "enable/", {"command": name, "value": False})

    async def rename(self, old: str, new: str) -> SkillFile:
        return await self._change("PATCH", "rename/", {"old_name": old, "new_name": new})

    async def remove(self, name: str) -> SkillFile:
        return await self._change("DELETE", "remove/" + query(skill_name=name), None)

    async def download(self, name: str) -> bytes:
        """The content of the file, as uploaded."""
        return (await self._session.request("GET", "/api/v2/skill/download/" + segment(name))).body

    async def _change(self, method: str, route: str, body: Optional[Dict[str, Any]]) -> SkillFile:
        return SkillFile.of((await self._session.request(method, "/api/v2/skill/" + route, body)).object()["skill"])
