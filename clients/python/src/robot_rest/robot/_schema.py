"""JSON Schemas from type annotations, and checks of values against them."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Literal, Optional, Union

#: Larger numbers are refused, as are those that are not finite: Python's JSON parser accepts NaN and 1e999.
MAX_NUMBER = 1e15
_SIMPLE: Dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
    type(None): "null",
}
_UNIONS: List[Any] = [Union, getattr(__import__("types"), "UnionType", Union)]


@dataclass(frozen=True)
class Between:
    """Bounds of a number, inclusive, and its unit: ``percent: Annotated[int, Between(0, 100, "%")]``."""

    minimum: Optional[float] = None
    maximum: Optional[float] = None
    unit: Optional[str] = None

    def __post_init__(self) -> None:
        if self.minimum is not None and self.maximum is not None and not self.minimum <= self.maximum:
            raise ValueError(f"No value is between {self.minimum} and {self.maximum}: write the smaller one first.")

    def schema(self) -> Dict[str, Any]:
        members = {"minimum": self.minimum, "maximum": self.maximum, "x-unit": self.unit}
        return {name: value for name, value in members.items() if value is not None}


def schema_of(annotation: Any) -> Dict[str, Any]:
    """The JSON Schema for a type; an empty one where the type says nothing. Raises TypeError for one that is no JSON."""
    if annotation is Any:
        return {}
    if annotation in _SIMPLE:
        return {"type": _SIMPLE[annotation]}
    origin, of = typing.get_origin(annotation), typing.get_args(annotation)
    if hasattr(annotation, "__metadata__"):  # Annotated
        schema = schema_of(annotation.__origin__)
        for more in annotation.__metadata__:
            schema.update(more.schema() if isinstance(more, Between) else {})
        return schema
    if origin is Literal:
        return {"enum": list(of)}
    if origin in _UNIONS:
        return {"anyOf": [schema_of(each) for each in of]}
    if origin is list:
        items = schema_of(of[0]) if of else {}
        return {"type": "array", "items": items} if items else {"type": "array"}
    if origin is dict:
        return {"type": "object"}
    if hasattr(annotation, "__total__"):  # a TypedDict
        hints = typing.get_type_hints(annotation, include_extras=True)
        properties = {name: schema_of(hint) for name, hint in hints.items()}
        return {"type": "object", "properties": properties, "required": sorted(annotation.__required_keys__)}
    raise TypeError(f"{annotation!r} is not a type of JSON; use str, int, float, bool, list, dict, Optional or Literal")


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MAX_NUMBER


_IS: Dict[str, Any] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int and abs(value) < 2**53,
    "number": is_number,
    "boolean": lambda value: type(value) is bool,
    "object": lambda value: type(value) is dict,
    "array": lambda value: type(value) is list,
    "null": lambda value: value is None,
}


def faults(schema: Dict[str, Any], value: Any, pointer: str = "/value") -> Iterator[Dict[str, str]]:
    """What is wrong with a value, by JSON pointer. Reads the schemas that `schema_of` writes."""

    def fault(message: str) -> Dict[str, str]:
        return {"pointer": pointer, "message": message}

    if "anyOf" in schema:
        if all(any(True for _ in faults(each, value, pointer)) for each in schema["anyOf"]):
            yield fault("fits none of the types allowed here")
        return
    if "enum" in schema:
        if not any(type(value) is type(each) and value == each for each in schema["enum"]):
            yield fault(f"must be one of {schema['enum']}")
        return
    kind = schema.get("type")
    if kind is not None and not _IS[kind](value):
        yield fault(f"must be of type {kind}")
    elif kind in ("integer", "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield fault(f"must be from {schema.get('minimum', '-∞')} to {schema.get('maximum', '∞')}")
    elif kind == "array":
        for index, item in enumerate(value):
            yield from faults(schema.get("items", {}), item, f"{pointer}/{index}")
    elif kind == "object" and "properties" in schema:
        for name in schema.get("required", []):
            if name not in value:
                yield {"pointer": f"{pointer}/{name}", "message": "is missing"}
        for name, member in value.items():
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in schema["properties"]:
                yield from faults(schema["properties"][name], member, place)
            elif schema.get("additionalProperties") is False:
                yield {"pointer": place, "message": "is not known here"}
