import os

from robot_client import (
    ApiClient, ApiException, AuthenticationApi, CommandsApi, Configuration, DatabaseApi, DatabaseItem, IntCommand,
    KnownRunesTableRow, Problem, SubcategoriesTableRow, TableName,
)


def show(*words: object) -> None:
    print(*("nothing" if word is None else str(word).lower() if isinstance(word, bool) else word for word in words))


url, key = os.environ["ROBOT_URL"], os.environ["ROBOT_KEY"]
by_key = ApiClient(Configuration(host=url, api_key={"apiKeyAuth": key}))
auth = AuthenticationApi(by_key).authenticate()
robot = ApiClient(Configuration(host=url, access_token=auth.token))
commands, database = CommandsApi(robot), DatabaseApi(robot)
show("level", auth.access_level.value)

show("stopped", commands.stop_robot().stopped)

rune = KnownRunesTableRow(id="r1", virtual_id="7", label="hello", class_="big")
item = DatabaseItem(tablename=TableName.KNOWN_RUNES_TABLE, item=rune.to_dict())
added = KnownRunesTableRow.model_validate(database.add_row(item))
show("added", added.id, added.virtual_id, added.label, added.description, added.class_)

for row in database.read_table(TableName.SUBCATEGORIES_TABLE):
    sub = SubcategoriesTableRow.model_validate(row)
    show("subcategory", sub.id, sub.name, sub.logo, sub.category_id, sub.local)

named = DatabaseItem(tablename=TableName.KNOWN_RUNES_TABLE, item={"id": "r1"})
show("deleted", KnownRunesTableRow.model_validate(database.delete_row(named)).id)

for spec in commands.list_commands().commands:
    if spec.name == "sound_level" and spec.bounds:
        show("sound_level", spec.kind, f"{spec.bounds.minimum:g}", f"{spec.bounds.maximum:g}")

try:
    commands.send_int(IntCommand(command="sound_level", value=1000))
except ApiException as refused:
    problem = refused.data
    show("refused", refused.status, problem.code if isinstance(problem, Problem) else None)
