import os
from typing import TypeVar

from robot_client import AuthenticatedClient
from robot_client.api.authentication import authenticate
from robot_client.api.commands import list_commands, send_int, stop_robot
from robot_client.api.database import add_row, delete_row, read_table
from robot_client.models import (
    Catalogue, DatabaseItem, DatabaseItemItem, IntCommand, KnownRunesTableRow, Problem, Row, StopReport,
    SubcategoriesTableRow, TableName, TokenAnswer,
)

T = TypeVar("T")


def must(kind: type[T], answer: object) -> T:
    """What cannot go on without an answer ends with the problem that came in its place."""
    if not isinstance(answer, kind):
        raise SystemExit(f"{answer.code}: {answer.detail}" if isinstance(answer, Problem) else "no answer")
    return answer


def show(*words: object) -> None:
    print(*("nothing" if word is None else str(word).lower() if isinstance(word, bool) else word for word in words))


url, key = os.environ["ROBOT_URL"], os.environ["ROBOT_KEY"]
by_key = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="X-API-Key")
auth = must(TokenAnswer, authenticate.sync(client=by_key))
robot = AuthenticatedClient(base_url=url, token=auth.token)
show("level", auth.access_level)

show("stopped", must(StopReport, stop_robot.sync(client=robot)).stopped)

rune = KnownRunesTableRow(id="r1", virtual_id="7", label="hello", class_="big")
item = DatabaseItem(tablename=TableName.KNOWN_RUNES_TABLE, item=DatabaseItemItem.from_dict(rune.to_dict()))
added = KnownRunesTableRow.from_dict(must(Row, add_row.sync(client=robot, body=item)).to_dict())
show("added", added.id, added.virtual_id, added.label, added.description, added.class_)

for row in must(list, read_table.sync(client=robot, tablename=TableName.SUBCATEGORIES_TABLE)):
    sub = SubcategoriesTableRow.from_dict(must(Row, row).to_dict())
    show("subcategory", sub.id, sub.name, sub.logo, sub.category_id, sub.local)

named = DatabaseItem(tablename=TableName.KNOWN_RUNES_TABLE, item=DatabaseItemItem.from_dict({"id": "r1"}))
show("deleted", must(Row, delete_row.sync(client=robot, body=named))["id"])

for spec in must(Catalogue, list_commands.sync(client=robot)).commands:
    if spec.name == "sound_level" and spec.bounds:
        show("sound_level", spec.kind, f"{spec.bounds.minimum:g}", f"{spec.bounds.maximum:g}")

refused = send_int.sync_detailed(client=robot, body=IntCommand(command="sound_level", value=1000))
show("refused", refused.status_code.value, must(Problem, refused.parsed).code)
