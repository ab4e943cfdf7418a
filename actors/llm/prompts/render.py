"""Fill the prompt files, strictly: a placeholder without a value and a value without a placeholder are both errors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from string import Template

from actors.llm.prompts.figures import figures
from actors.llm.prompts.sheet import sheet
from erpsim.errors import InvariantError
from erpsim.observation import Observation


@lru_cache
def system_prompt(n_firms: int, horizon: int, tool_turns: int) -> str:
    """The rules of the game, and how to answer; the same for every firm of a market and in every round."""
    given = {"n_firms": str(n_firms), "horizon": str(horizon), "tool_turns": str(tool_turns)}
    return fill("system.txt", {**figures(), **given})


def round_prompt(observation: Observation) -> str:
    """What a firm sees at the start of a round, and what it remembers of the rounds before."""
    return fill("round.txt", sheet(observation))


def reask_prompt(error: str) -> str:
    """Ask again, with the precise error."""
    return fill("reask.txt", {"error": error})


def last_turn_prompt() -> str:
    """Ask for the decision when no tool may be called any more."""
    return fill("last_turn.txt", {})


def fill(name: str, values: Mapping[str, str]) -> str:
    """Fill one prompt file.

    Raises:
        InvariantError: the file and the values do not name the same placeholders.
    """
    template = _template(name)
    wanted = set(template.get_identifiers())
    if not template.is_valid() or wanted != set(values):
        missing, unknown = sorted(wanted - set(values)), sorted(set(values) - wanted)
        raise InvariantError(f"prompt {name}: without a value {missing}, without a place {unknown}; mend the file")
    return template.substitute(values).rstrip("\n")


@lru_cache
def prompts_digest() -> str:
    """SHA-256 of everything that shapes a prompt: the files, the code that fills them and the figures of the rules."""
    digest = hashlib.sha256(json.dumps(figures(), sort_keys=True).encode())
    for file in sorted(resources.files(__package__).iterdir(), key=lambda file: file.name):
        if file.name.endswith((".txt", ".py")):
            digest.update(f"\n{file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


@lru_cache
def _template(name: str) -> Template:
    return Template(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
