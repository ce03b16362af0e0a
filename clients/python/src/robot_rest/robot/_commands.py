"""The commands of a robot: its own, and those about missions."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from ._missions import MissionCommands, Missions
from ._refusals import Declined, Refused, invalid
from ._safety import Safety
from ._signature import Signature, assert_plain, title_of

DRIVES = ("go_to_relative", "go_to_absolute")
ID = "0b9b5c2e-6a52-4c9a-9d4d-1f3a2b8c7d10"
TEXT, YES_NO = {"type": "string"}, {"type": "boolean"}


def members(**properties: Any) -> Dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


CALLED = members(called=YES_NO, msg=TEXT)
STARTED = members(started=YES_NO, msg=TEXT)
CANCELLED = members(cancelled=YES_NO, msg=TEXT)
CALLED_EXAMPLE = {"called": True, "msg": ID}


class Call:
    """One call of a command."""

    def __init__(self, message: Dict[str, Any]) -> None:
        self.value: Any = message.get("value")
        self.client_id: str = message["sender"]["client_id"]
        self.fence: Optional[int] = message.get("fence")


class Command:
    """A command: its catalogue entry, and what it runs."""

    def __init__(
        self,
        function: Callable[..., Any],
        entry: Dict[str, Any],
        check: Optional[Callable[..., Any]] = None,
        shared: bool = False,
    ) -> None:
        self.function, self.check, self.shared = function, check, shared
        self.signature = Signature(function if not shared else _no_arguments)
        self.entry = {**self.signature.entry, **entry}
        self.mission = self.signature.takes_task
        self.motion: bool = self.entry["motion"]
        self.replaces = self.entry.get("replaces", False)
        self.finishes = self.entry.get("on_lapse") == "finish"

    def bind(self, message: Dict[str, Any]) -> Dict[str, Any]:
        """The arguments of the function. @raises Refused"""
        if not self.shared:
            return self.signature.bind(self.entry["name"], message)
        kind, value = self.entry["kind"], message.get("value")
        if ("value" in message) == (kind == "none") or kind == "str" and type(value) is not str:
            raise Refused("wrong_value_type", f"The command {self.entry['name']} takes a value of kind {kind}.")
        return {}


def _no_arguments() -> None:
    """In the place of a function whose arguments the package knows."""


class Commands:
    """The catalogue."""

    def __init__(self, missions: Missions, safety: Safety) -> None:
        self._own: Dict[str, Command] = {}
        self._shared: Dict[str, Command] = {}
        self._work = MissionCommands(self, missions, safety)

    def add(self, function: Callable[..., Any], *, effect: str, title: Optional[str], **more: Any) -> None:
        """Registers a function. Raises TypeError or ValueError where it cannot be a command."""
        name, check, examples = more.pop("name") or function.__name__, more.pop("check", None), more.pop("examples", None)
        assert_plain(function)
        if check is not None:
            assert_plain(check)
        if name == "stop":
            raise ValueError(
                "A command cannot be named stop: it would not stop what else is under way. The stop of a robot is "
                "POST /api/v2/stop, which calls the function with @robot.on_stop."
            )
        result, replaces = more.pop("result", None), more.pop("replaces", None)
        if name in self._own:
            raise ValueError(f"There are two commands {name}.")
        entry = {"name": name, "title": title or title_of(function), "effect": effect, **more}
        if replaces if replaces is not None else name in DRIVES and more["motion"]:
            entry["replaces"] = True
        command = Command(function, entry, check)
        schema = result if result is not None else CALLED if command.mission else command.signature.result
        if schema:
            command.entry["result"] = schema
        if examples is not None:
            command.entry["examples"] = examples
        self._own[name] = command
        if command.mission:
            self._share()

    def _share(self) -> None:
        """Adds the commands about missions, for a robot that has one."""
        work = self._work
        wait = {"awaited": True, "start_result": {"started": True, "msg": "Mission started"}, "msg": "Mission finished"}
        awaited = members(awaited=YES_NO, start_result=STARTED, msg=TEXT)
        every = members(cancelled=YES_NO, cancelled_missions={"type": "integer"}, msg=TEXT)
        skill = members(name=TEXT, title=TEXT, takes={"type": "object"})
        cancelled = {"cancelled": True, "msg": "Mission cancelled"}
        rows: List[Any] = [
            (work.get_skills, "none", "Skills of the robot", "query", {"type": "array", "items": skill}, []),
            (work.wait_for_skill, "str", "Wait until a mission is over", "query", awaited, wait),
            (
                work.wait_for_skill_started,
                *("str", "Wait until a mission has started", "query", STARTED),
                {"started": True, "msg": "Mission started"},
            ),
            (work.cancel_skill, "str", "Cancel a mission", "action", CANCELLED, cancelled),
            (
                work.cancel_and_wait_for_mission,
                *("str", "Cancel a mission and wait until it is over", "action", CANCELLED, cancelled),
            ),
            (
                work.cancel_client_missions,
                *("none", "Cancel every mission of this client", "action", every),
                {"cancelled": True, "cancelled_missions": 1, "msg": "1 of this client's missions cancelled"},
            ),
        ]
        for function, kind, title, effect, schema, result in rows:
            name = function.__name__
            entry = {"name": name, "kind": kind, "title": title, "effect": effect, "motion": False, "result": schema}
            entry["examples"] = [{**({"value": ID} if kind == "str" else {}), "result": result}]
            waits = {"waits": True} if "wait" in name and name != "wait_for_skill_started" else {}
            self._shared[name] = Command(function, {**entry, **waits}, shared=True)
        self._shared["skill"] = Command(
            lambda call: None,
            {
                **{"name": "skill", "kind": "dict", "title": "Call a skill by its name, with its arguments"},
                **{"effect": "action", "motion": any(each.motion for each in self.skills().values()), "result": CALLED},
                "examples": [{"value": {"name": next(iter(self.skills()), "")}, "result": CALLED_EXAMPLE}],
            },
            shared=True,
        )

    def skills(self) -> Dict[str, Command]:
        """The missions that clients can call as skills, with named arguments. Drives are no skills."""
        own = self._own.items()
        return {name: each for name, each in own if each.mission and each.entry["kind"] != "coordinates"}

    def catalogue(self) -> List[Dict[str, Any]]:
        return [each.entry for each in {**self._shared, **self._own}.values()]

    @property
    def blind(self) -> List[str]:
        """Those that move the robot and have no task, so that nothing can end them."""
        return [name for name, each in self._own.items() if each.motion and not each.mission]

    @property
    def moves(self) -> bool:
        return any(each.motion for each in self._own.values())

    def find(self, message: Dict[str, Any]) -> Command:
        """The command that a message calls. The command `skill` calls another by its name."""
        name = message["command"]
        command = self._own.get(name) or self._shared.get(name)
        if command is None:
            raise Refused("unknown_command", f"The robot does not know {name!r}.")
        return command

    def resolve(self, command: Command, message: Dict[str, Any]) -> tuple[Command, Dict[str, Any]]:
        """The command to run and its arguments. @raises Refused, or Declined for an unknown skill"""
        if command is not self._shared.get("skill"):
            return command, command.bind(message)
        value = message.get("value")
        if type(value) is not dict:
            raise Refused("wrong_value_type", "The command skill takes a value of kind dict.")
        arguments = dict(value)
        name = arguments.pop("name", None)
        skill = self.skills().get(name) if type(name) is str else None
        if skill is None:
            result = {"called": False, "msg": "Unknown skill"}
            raise Declined("The robot has no such skill; get_skills lists them.", result)
        if skill.entry["kind"] == "none" and arguments:
            raise invalid(f"The skill {name} takes no arguments.")
        return skill, skill.signature.members(str(name), arguments) if skill.entry["kind"] != "none" else {}
