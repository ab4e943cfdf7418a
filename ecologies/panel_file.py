"""A panel as a file: canonical JSON out, strict validation in, with errors that name place, value, bound and mend.

A file is `{"format": 1, "name": …, "problems": […]}`, one problem a line; fields that have their default are left out.
The digest is that of the canonical text, so layout does not matter and `sha256sum` agrees for a file that we wrote.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NoReturn

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ecologies.text_file import read_at_most
from ecologies.validity import check_panel
from erpsim.errors import ProblemError
from erpsim.problem import Problem

LARGEST_FILE: Final = 2**26
"""Bytes of a panel; fifty thousand problems take less."""
SHOWN_CHARACTERS: Final = 80
"""Length to which a name or a value that is wrong is shown."""


@dataclass(frozen=True)
class Panel:
    """A set of problems; ids are unique."""

    # Plain dataclasses inside inherit this configuration.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    format: Literal[1]
    name: str
    problems: tuple[Problem, ...]


def encode(panel: Panel) -> bytes:
    """Write a panel as canonical JSON text in ASCII."""
    rows = ",\n".join(json.dumps(plain(problem), separators=(",", ":")) for problem in panel.problems)
    return f'{{"format":{panel.format},"name":{json.dumps(panel.name)},"problems":[\n{rows}\n]}}\n'.encode("ascii")


def panel_digest(panel: Panel) -> str:
    """SHA-256 of the panel's canonical text, in hex."""
    return hashlib.sha256(encode(panel)).hexdigest()


def plain(value: Any) -> Any:
    """Give a dataclass as JSON-able data without the fields that have their default."""
    if dataclasses.is_dataclass(value):
        fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {field.name: plain(item) for field, item in fields if item != field.default}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def load_panel(path: Path) -> Panel:
    """Read a panel file.

    Raises:
        ProblemError: naming file, problem, field, value, bound and mend.
    """
    try:
        data = read_at_most(path, LARGEST_FILE)
    except OSError as error:
        raise ProblemError(f"{path}: cannot be read ({error.strerror}); name a panel file that exists") from None
    if data is None:
        raise ProblemError(f"{path}: is longer than the {LARGEST_FILE:,} bytes of a panel; name one, or split it")
    return decode(data, str(path))


def decode(data: bytes, source: str) -> Panel:
    """Read a panel from bytes; `source` names them in messages.

    Raises:
        ProblemError: naming source, problem, field, value, bound and mend.
    """
    document = _document(data, source)
    try:
        panel = _adapter().validate_json(json.dumps(document))
    except ValidationError as error:
        raise ProblemError("\n".join(_fault(one, document, source) for one in error.errors()[:5])) from None
    check_panel(panel.problems, source)
    return panel


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[Panel]:
    return TypeAdapter(Panel)


def _document(data: bytes, source: str) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise ProblemError(f"{source}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except RecursionError:
        raise ProblemError(f"{source}: is nested too deeply; a panel is a list of problems") from None
    except ValueError as error:
        raise ProblemError(f"{source}: is no JSON: {error}; mend that place") from None


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        twice = next(name for position, (name, _) in enumerate(pairs) if name in dict(pairs[:position]))
        raise ValueError(f"key {twice!r} stands twice in one object")
    return names


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _fault(detail: ErrorDetails, document: Any, source: str) -> str:
    """Say one fault with the problem's id where it has one."""
    location = detail["loc"]
    place = source
    if len(location) > 1 and location[0] == "problems":
        row = document["problems"][location[1]]
        name = row.get("problem_id") if isinstance(row, Mapping) else None
        place = f"{source}: problem {str(name or f'number {int(location[1]) + 1}')[:SHOWN_CHARACTERS]}"
        location = location[2:]
    field = ".".join(map(str, location))[:SHOWN_CHARACTERS] or "the whole"
    if detail["type"] == "missing":
        return f"{place}: field {field} is missing; add it"
    if detail["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{place}: field {field} is unknown; remove it"
    return f"{place}: field {field} is {json.dumps(detail['input'])[:SHOWN_CHARACTERS]}: {detail['msg']}; mend it"
