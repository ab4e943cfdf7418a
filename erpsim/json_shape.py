"""How a value is written as plain JSON and, from the same table, the JSON schema of what is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from erpsim.catalogue import CHANNEL_INDEX, CHANNELS_OF
from erpsim.units import euros

Schema = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """A kind of value: how one is written, and the schema of every one written so."""

    write: Callable[[Any], Any]
    schema: Schema


@dataclass(frozen=True)
class Member:
    """One member of an object.

    Attributes:
        name: its key.
        shape: its kind.
        meaning: what it is, with its unit.
        read: takes it from the value that the object is written from; None reads the attribute called `name`.
    """

    name: str
    shape: Shape
    meaning: str
    read: Callable[[Any], Any] | None = None

    def written(self, value: Any) -> Any:
        """The member as plain JSON."""
        return self.shape.write(self.read(value) if self.read else getattr(value, self.name))


TEXT: Final = Shape(str, {"type": "string"})
WHOLE: Final = Shape(int, {"type": "integer"})
NUMBER: Final = Shape(float, {"type": "number"})
FLAG: Final = Shape(bool, {"type": "boolean"})
EUR: Final = Shape(euros, {"type": "number"})
"""Cents, written as EUR."""


def one_of(names: Sequence[str]) -> Shape:
    """A text out of a closed list."""
    return Shape(str, {"type": "string", "enum": list(names)})


def name_at(names: Sequence[str]) -> Shape:
    """An index, written as the name that stands there."""
    return Shape(lambda index: names[index], one_of(names).schema)


def nullable(shape: Shape) -> Shape:
    """A value that may be None."""
    schema = {**shape.schema, "type": [shape.schema["type"], "null"]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return Shape(lambda value: None if value is None else shape.write(value), schema)


def listed(shape: Shape, length: int | None = None) -> Shape:
    """A list of values of one kind, of a fixed length if one is given."""
    bounds = {} if length is None else {"minItems": length, "maxItems": length}
    schema = {"type": "array", "items": shape.schema, **bounds}
    return Shape(lambda values: [shape.write(value) for value in values], schema)


def keyed(names: Sequence[str], shape: Shape) -> Shape:
    """An array whose first index stands for names, written as an object with a key for each name."""
    return Shape(
        lambda array: {name: shape.write(array[index]) for index, name in enumerate(names)},
        _object(dict.fromkeys(names, shape.schema)),
    )


def by_cell(shape: Shape) -> Shape:
    """A (12, 3) array, written by SKU and then by channel; a channel that does not sell the SKU has no key."""

    def write(array: Any) -> dict[str, Any]:
        rows = zip(CHANNELS_OF.items(), array.tolist(), strict=True)
        return {
            sku: {channel: shape.write(row[CHANNEL_INDEX[channel]]) for channel in sold} for (sku, sold), row in rows
        }

    cells = {sku: _object(dict.fromkeys(sold, shape.schema)) for sku, sold in CHANNELS_OF.items()}
    return Shape(write, _object(cells))


def record(*members: Member) -> Shape:
    """An object with named members, in their order."""
    properties = {member.name: {**member.shape.schema, "description": member.meaning} for member in members}
    return Shape(lambda value: {member.name: member.written(value) for member in members}, _object(properties))


def named(definition: str, shape: Shape) -> Shape:
    """The same shape, its schema being a reference to a definition of the document."""
    return Shape(shape.write, {"$ref": f"#/$defs/{definition}"})


def _object(properties: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
