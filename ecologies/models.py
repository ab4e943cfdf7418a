"""The models file: which models play, where they are served, with what sampling, limits and prices.

One table `[models."label"]` for each model. A key never stands in the file, only the name of the environment variable
that holds it. Without a file the stand-in panel plays.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ecologies.model_entry import Limits, ModelEntry, Prices, Retries, Sampling, Timeouts
from ecologies.policy import PolicySpec
from ecologies.text_file import read_at_most
from erpsim.errors import ModelsError

__all__ = [
    "Limits",
    "MissingKey",
    "ModelEntry",
    "Models",
    "Prices",
    "Retries",
    "Sampling",
    "Timeouts",
    "choose",
    "load_models",
    "missing_keys",
    "parse_models",
    "require_keys",
    "standin_models",
]

STANDIN_LABELS: Final = tuple(f"standin/{letter}" for letter in "abcdef")
LABEL: Final = re.compile(r"[^\s,*]{1,80}")
SHOWN_CHARACTERS: Final = 200
"""Length to which a wrong value is shown."""
LARGEST_FILE: Final = 2**20
"""Bytes of a models file; a thousand models take a third of it."""


@dataclass(frozen=True)
class Models:
    """The run's models in the order of the file; `source` is the file, or "stand-in panel"."""

    source: str
    entries: tuple[ModelEntry, ...]

    @property
    def specs(self) -> tuple[PolicySpec, ...]:
        """The models as policies, index = seat."""
        return tuple(entry.spec for entry in self.entries)

    def entry(self, label: str) -> ModelEntry:
        """Find a model by its label.

        Raises:
            ModelsError: there is no such label.
        """
        for entry in self.entries:
            if entry.label == label:
                return entry
        known = ", ".join(entry.label for entry in self.entries)
        raise ModelsError(f"{self.source}: no model is labelled {label!r}; known: {known}")

    def digest(self) -> str:
        """SHA-256 of everything that the entries say, whatever the file's layout."""
        plain = [entry.model_dump(mode="json") for entry in self.entries]
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


class MissingKey(NamedTuple):
    """A model whose key variable is blank or not set."""

    label: str
    variable: str


def load_models(path: Path) -> Models:
    """Read a models file.

    Raises:
        ModelsError: naming file, label, key and mend.
    """
    try:
        data = read_at_most(path, LARGEST_FILE)
    except OSError as error:
        raise ModelsError(f"{path}: cannot be read ({error.strerror}); name a models file that exists") from None
    if data is None:
        raise ModelsError(f"{path}: is longer than the {LARGEST_FILE:,} bytes of a models file; name one, or split it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelsError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    return parse_models(text, str(path))


def parse_models(text: str, source: str) -> Models:
    """Read the text of a models file; `source` names it in messages.

    Raises:
        ModelsError: naming file, label, key and mend.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelsError(f"{source}: is no TOML: {error}; mend that line") from None
    except RecursionError:
        raise ModelsError(f"{source}: is nested too deeply; a model is one table with a few below it") from None
    except ValueError:  # a whole number of thousands of digits
        raise ModelsError(f"{source}: holds a number that is too long to be read; write a shorter one") from None
    tables = document.pop("models", None)
    if document:
        raise ModelsError(f'{source}: unknown key {min(document)!r} at the top; only [models."label"] tables are known')
    if not isinstance(tables, dict) or not tables:
        raise ModelsError(f'{source}: names no model; add a table [models."label"] with base_url and model')
    return Models(source, tuple(_entry(label, table, source) for label, table in tables.items()))


def standin_models(base_url: str) -> Models:
    """Give the keyless default: six stand-in models served at an address on this machine."""
    return Models(
        "stand-in panel",
        tuple(
            ModelEntry(
                label=label,
                base_url=base_url,
                model=label,
                response_format="json_schema",
                limits=Limits(connections=64),
                prices=Prices(input=0.0, cached=0.0, output=0.0, reasoning=0.0),
                account=f"stand-in {label}",
                standin=True,
            )
            for label in STANDIN_LABELS
        ),
    )


def missing_keys(models: Models, environ: Mapping[str, str]) -> tuple[MissingKey, ...]:
    """List the models whose key variable is not set, or blank, in an environment."""
    return tuple(
        MissingKey(entry.label, entry.api_key_env)
        for entry in models.entries
        if entry.api_key_env and not environ.get(entry.api_key_env, "").strip()
    )


def require_keys(models: Models, environ: Mapping[str, str]) -> None:
    """Refuse to go on while the key variable of a model that plays is not set.

    Raises:
        ModelsError: naming every such model and variable.
    """
    missing = missing_keys(models, environ)
    if missing:
        named = ", ".join(f"{item.variable} (model {item.label!r})" for item in missing)
        raise ModelsError(f"{models.source}: no key in the environment: {named}; set each variable to its key")


def choose(models: Models, labels: Iterable[str]) -> Models:
    """Keep the models of the labels given, in the order given; their index is their seat.

    Raises:
        ModelsError: a label is unknown.
    """
    return Models(models.source, tuple(models.entry(label) for label in labels))


def _entry(label: str, table: object, source: str) -> ModelEntry:
    where = f"{source}: model {label!r}"
    if not (LABEL.fullmatch(label) and label.isprintable()):
        raise ModelsError(
            f"{where}: a label has 1-80 characters without blank, comma, star or what is not printed; rename it"
        )
    if not isinstance(table, dict):
        raise ModelsError(f'{where}: is no table; write [models."{label}"] and its keys below')
    if "label" in table:
        raise ModelsError(f"{where}: key 'label': unknown key; the label is the table's name")
    try:
        return ModelEntry.model_validate({**table, "label": label})
    except ValidationError as error:
        raise ModelsError(f"{where}: {'; '.join(map(_fault, error.errors()))}") from None


def _fault(detail: ErrorDetails) -> str:
    """Say one fault without its value where that might be a key."""
    key = ".".join(map(str, detail["loc"]))
    message = detail["msg"].removeprefix("Value error, ")
    if not key:
        return message
    if detail["type"] == "missing":
        return f"key {key!r} is missing; add it"
    if key == "api_key_env" or ("key" in key and detail["type"] == "extra_forbidden"):
        return (
            f"key {key!r}: must be the name of an environment variable; never write a key itself into the file, "
            "name its variable in api_key_env"
        )
    if detail["type"] == "extra_forbidden":
        return f"unknown key {key!r}; known: {', '.join(_known_keys(detail['loc']))}"
    value = "" if key.split(".")[0] in ("base_url", "extra", "quirks") else f" is {_shown(detail['input'])}"
    return f"key {key!r}{value}: {message}; mend it"


def _shown(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > SHOWN_CHARACTERS:
        return f"a whole number of {value.bit_length():,} bits"
    return repr(value)[:SHOWN_CHARACTERS]


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    part: Any = ModelEntry
    for name in location[:-1]:
        part = part.model_fields[name].annotation
    return [name for name in part.model_fields if name not in ("label", "standin")]
