"""The catalogue entry of a command, and its arguments, from the signature and docstring of a function."""

from __future__ import annotations

import inspect
import json
import re
import typing
from typing import Any, Callable, Dict, Optional

from ._refusals import Refused, invalid
from ._schema import faults, is_number, schema_of

AXES = ("x", "y", "z", "theta")
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
_ITEMS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


class Signature:
    """What a function takes. A first parameter ``task`` belongs to the package, the others to the caller:

    - none: kind ``none``
    - ``x`` and ``y``, perhaps with ``z`` and ``theta``: ``coordinates``, in metres and degrees
    - one parameter without a default: the kind of its annotation
    - anything else: a ``dict`` with these members; those with a default may be left out
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters.values())
        for each in parameters:
            if each.kind in (each.VAR_POSITIONAL, each.POSITIONAL_ONLY):
                raise TypeError(f"{function.__name__} cannot be a command: {each.name} cannot be passed by its name")
        self.takes_task = bool(parameters) and parameters[0].name == "task"
        self._open = any(each.kind is each.VAR_KEYWORD for each in parameters)
        self._parameters = [each for each in parameters[self.takes_task :] if each.kind is not each.VAR_KEYWORD]
        self._schemas = {each.name: schema_of(hints.get(each.name, Any)) for each in self._parameters}
        self._defaults = {each.name: each.default for each in self._parameters if each.default is not each.empty}
        self._texts = _parameter_texts(function)
        self.entry: Dict[str, Any] = {"kind": self._kind()}
        self._describe()
        self.result = schema_of(hints["return"]) if "return" in hints else {}

    def _kind(self) -> str:
        names = [each.name for each in self._parameters]
        if not names:
            return "dict" if self._open else "none"
        if {"x", "y"} <= set(names) <= set(AXES) and not self._open:
            return "coordinates"
        if len(names) == 1 and not self._open and names[0] not in self._defaults:
            return _SCALARS.get(str(self._schemas[names[0]].get("type")), "dict")
        return "dict"

    @property
    def _single(self) -> Optional[str]:
        """The parameter that takes the whole value."""
        if self.entry["kind"] in ("none", "coordinates"):
            return None
        names = list(self._schemas)
        if len(names) != 1 or self._open or names[0] in self._defaults:
            return None
        return names[0] if self.entry["kind"] != "dict" or self._schemas[names[0]].get("type") == "object" else None

    def _describe(self) -> None:
        single, kind = self._single, self.entry["kind"]
        if single is not None:
            schema = self._schemas[single]
            bounds = {name: schema[name] for name in ("minimum", "maximum") if name in schema}
            if bounds:
                self.entry["bounds"] = bounds
            if "x-unit" in schema:
                self.entry["unit"] = schema["x-unit"]
            item = schema.get("items", {}).get("type")
            if kind == "list" and item in _ITEMS:
                self.entry["items"] = _ITEMS[item]
            if "properties" in schema or kind == "list" and item not in _ITEMS and item is not None:
                self.entry["args"] = schema
        elif kind == "dict":
            self.entry["args"] = self._object()

    def _object(self) -> Dict[str, Any]:
        properties = {name: dict(schema) for name, schema in self._schemas.items()}
        for name, default in self._defaults.items():
            if _is_json(default) and default is not None:
                properties[name]["default"] = default
        for name, text in self._texts.items():
            if name in properties:
                properties[name]["description"] = text
        required = [name for name in self._schemas if name not in self._defaults]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": self._open}

    def takes(self) -> Dict[str, str]:
        """The parameters and what is said about them, for the list of skills."""
        return {name: self._texts.get(name, schema.get("type", "")) for name, schema in self._schemas.items()}

    def bind(self, name: str, message: Dict[str, Any]) -> Dict[str, Any]:
        """The arguments for the value in a message. @raises Refused"""
        kind, has_value, value = self.entry["kind"], "value" in message, message.get("value")
        if has_value == (kind == "none"):
            raise Refused("wrong_value_type", f"The command {name} takes a value of kind {kind}.")
        if kind == "none":
            return {}
        if kind == "coordinates":
            return self._axes(name, value)
        single = self._single
        if single is not None:
            return {single: self._checked(name, self._schemas[single], value)}
        return self.members(name, value)

    def members(self, name: str, value: Any, pointer: str = "/value") -> Dict[str, Any]:
        """The arguments for the members of an object."""
        if type(value) is not dict:
            raise Refused("wrong_value_type", f"The command {name} takes a value of kind dict.")
        found = list(faults(self._object(), value, pointer))
        if found:
            raise invalid(f"{name}: {found[0]['pointer']} {found[0]['message']}.", found[:10])
        return {key: _as_float(self._schemas.get(key, {}), each) for key, each in value.items()}

    def _checked(self, name: str, schema: Dict[str, Any], value: Any) -> Any:
        found = list(faults(schema, value))
        if not found:
            return _as_float(schema, value)
        if found[0]["pointer"] == "/value" and "type" in found[0]["message"]:
            raise Refused("wrong_value_type", f"The command {name} takes a value of kind {self.entry['kind']}.")
        raise invalid(f"{name}: the value {found[0]['message']}.", found[:10])

    def _axes(self, name: str, value: Any) -> Dict[str, Any]:
        if type(value) is not dict or not set(value) <= set(AXES) or not all(map(is_number, value.values())):
            raise Refused("wrong_value_type", f"The command {name} takes a value of kind coordinates.")
        foreign = [axis for axis in AXES if axis not in self._schemas and value.get(axis, 0) != 0]
        found = [{"pointer": f"/value/{axis}", "message": "must be 0"} for axis in foreign]
        given = {axis: float(value.get(axis, self._defaults.get(axis, 0))) for axis in self._schemas}
        for axis, schema in self._schemas.items():
            found += faults({**schema, "type": "number"}, given[axis], f"/value/{axis}")
        if found:
            raise invalid(f"{name}: {found[0]['pointer']} {found[0]['message']}.", found)
        return given


def assert_plain(function: Callable[..., Any]) -> None:
    """Raises TypeError for a function that only begins to run once something awaits or iterates over it."""
    for each in (function, getattr(function, "__call__", None)):
        kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction, inspect.isgeneratorfunction)
        if any(kind(each) for kind in kinds):
            name = getattr(function, "__name__", "the function")
            raise TypeError(f"{name} must be a plain function: without async, and without yield. It has its own thread.")


def title_of(function: Callable[..., Any]) -> str:
    """The first line of the docstring, or the name."""
    text = inspect.getdoc(function) or function.__name__.replace("_", " ").capitalize()
    return text.split("\n", 1)[0].strip().rstrip(".")


def _parameter_texts(function: Callable[..., Any]) -> Dict[str, str]:
    """What the docstring says about each parameter: `:param name: text`, or `name: text` on a line of its own."""
    lines = (inspect.getdoc(function) or "").split("\n")[1:]
    found = (re.fullmatch(r"\s*(?::param )?(\w+)(?: \([^)]*\))?: (.+)", line) for line in lines)
    return {match.group(1): match.group(2).strip() for match in found if match}


def _as_float(schema: Dict[str, Any], value: Any) -> Any:
    return float(value) if schema.get("type") == "number" and type(value) is int else value


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
        return True
    except (TypeError, ValueError):
        return False
