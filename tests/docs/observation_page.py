"""The reference page of observations and its schemas; `python -m tests.docs.observation_page` writes them anew."""

import json
import sys
from collections.abc import Iterator
from typing import Any, Final

from erpsim.catalogue import ACTIVE, CHANNELS, FOODS, LIST_PRICES, MATERIALS, RECIPES, SKUS, VENDORS
from erpsim.decision import decision_schema
from erpsim.observation_document import OBSERVATION_FORMAT, observation_schema
from tests.docs.pages import DOCS

FOLDER: Final = DOCS / "reference"

INTRODUCTION: Final = f"""\
# Observation

Made from the code by `python -m tests.docs.observation_page`.

What a firm may see when a round starts, as JSON: what a [policy over HTTP](../how-to/own-policy.md) is sent, and what
`erpsim.observation_json` gives. The layout is called `{OBSERVATION_FORMAT}`; a change that breaks a reader gets the
next number. [observation.schema.json](observation.schema.json) is the schema of it, and
[decision.schema.json](decision.schema.json) that of what a policy answers.

- Money is EUR. Floats are written in full. Days count from 1, a round has 30 of them, in six weeks of five.
- *By cell* is an object by SKU, each with an object by channel. A channel that does not sell the SKU has no key.
- Every member is always there. Null stands only where the table says so.
- Never a rival's books, a later price, a future shock, or the name of a model, a policy or the ecology.
"""

_GROUPS: Final = {"SKU": SKUS, "material": MATERIALS, "vendor": VENDORS, "channel": CHANNELS}
_DEFINED: Final = {
    "numbers_by_cell": "numbers by cell",
    "units_by_cell": "integers by cell",
    "decision": "[decision](decision.schema.json)",
}


def files() -> dict[str, str]:
    """Every generated file by its name."""
    schemas = {"observation.schema.json": observation_schema(), "decision.schema.json": decision_schema()}
    texts = {name: json.dumps(schema, indent=1) + "\n" for name, schema in schemas.items()}
    return {"observation.md": page(), **texts}


def page() -> str:
    """The page: one table for each object, then what the names stand for."""
    tables = [line for title, schema in records("observation", observation_schema()) for line in _table(title, schema)]
    return "\n".join([INTRODUCTION, *tables, *_catalogue()]) + "\n"


def records(title: str, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object with described members, by title, each before those inside it."""
    yield title, schema
    for name, part in schema["properties"].items():
        inner = _inner(part)
        if _is_record(inner):
            yield from records(name, inner)


def _inner(part: dict[str, Any]) -> dict[str, Any]:
    """What a list or an object with free keys holds; any other part itself."""
    extra = part.get("additionalProperties")
    inner: dict[str, Any] = part.get("items") or (extra if isinstance(extra, dict) else part)
    return inner


def _is_record(schema: dict[str, Any]) -> bool:
    members = schema.get("properties", {})
    return bool(members) and all("description" in part for part in members.values())


def _table(title: str, schema: dict[str, Any]) -> list[str]:
    rows = [f"| `{name}` | {type_name(name, part)} | {part['description']} |" for name, part in _members(schema)]
    return [f"## {title}", "", "| member | type | meaning |", "|---|---|---|", *rows, ""]


def _members(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return list(schema["properties"].items())


def type_name(name: str, part: dict[str, Any]) -> str:
    """Type of one member in words, with a link to the table of its own members."""
    if _is_record(_inner(part)):
        many = {"array": "list of objects", "object": "object"}[part["type"]]
        if "additionalProperties" in part and _inner(part) is not part:
            many = "object by name, of objects"
        return f"[{many}](#{name})"
    return _plain_type(part)


def _plain_type(part: dict[str, Any]) -> str:
    if "$ref" in part:
        return _DEFINED[part["$ref"].removeprefix("#/$defs/")]
    if part["type"] == "object":
        return _keyed_type(part["properties"])
    if part["type"] == "array":
        count = f"list of {part['minItems']}" if "minItems" in part else "list of"
        return f"{count} {_plain_type(part['items'])}s"
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    return " or ".join([_value_type(kinds[0], part), *kinds[1:]])


def _keyed_type(members: dict[str, Any]) -> str:
    values = next(iter(members.values()))
    group = next((noun for noun, names in _GROUPS.items() if tuple(members) == tuple(names)), None)
    inner = "`low` and `high`" if _is_record(values) else f"{_plain_type(values)}s".replace("ss", "s")
    return f"{inner} by {group}" if group else f"{inner} by {', '.join(f'`{name}`' for name in members)}"


def _value_type(kind: str, part: dict[str, Any]) -> str:
    if "const" in part:
        return f"`{part['const']}`"
    names = tuple(name for name in part.get("enum", ()) if name is not None)
    group = next((noun for noun, known in _GROUPS.items() if names == tuple(known)), None)
    if group or not names:
        return f"{group} name" if group else {"string": "text"}.get(kind, kind)
    return ", ".join(f"`{name}`" for name in names)


def _catalogue() -> list[str]:
    """SKUs with list price, channels and recipe, which hold in every problem."""
    rows = [
        f"| `{sku}` | {LIST_PRICES[j]:.2f} | {_named(CHANNELS, ACTIVE[j])} | {_recipe(j)} |"
        for j, sku in enumerate(SKUS)
    ]
    packaging = [name for name in MATERIALS if name not in FOODS]
    return [
        "## Names",
        "",
        f"Foods, in kg: {', '.join(FOODS)}.",
        f"Packaging, in pieces: {', '.join(packaging)}. What holds in every problem:",
        "",
        "| SKU | list price, EUR | channels | materials for 1,000 units |",
        "|---|---:|---|---|",
        *rows,
    ]


def _named(names: tuple[str, ...], mask: Any) -> str:
    return ", ".join(name for name, here in zip(names, mask, strict=True) if here)


def _recipe(sku: int) -> str:
    return ", ".join(f"{quantity} {name}" for name, quantity in zip(MATERIALS, RECIPES[sku], strict=True) if quantity)


def main() -> None:
    """Write every file."""
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote docs/reference/{name}\n")


if __name__ == "__main__":
    main()
