"""What a failure of a model's server says to the person who has to mend it; a key is never part of it."""

from __future__ import annotations

from typing import Final

from actors.llm.exchange import address_of
from ecologies.model_entry import ModelEntry

STOPS: Final[frozenset[str]] = frozenset({"auth", "model_not_found"})
"""Failures that say the set-up is wrong; a run ends at the first, and nothing of it is the model's."""


def refusal_line(entry: ModelEntry, error_class: str, message: str) -> str:
    """Name the model, what was met and the mend in one line.

    Args:
        entry: the model.
        error_class: of the failure.
        message: what the server or the network said, without keys.
    """
    start = f"model {entry.label}: "
    said = message.removeprefix(start).strip()
    return f"{start}{_met(entry, error_class, said)}; {_mend(entry, error_class)}"


def _met(entry: ModelEntry, error_class: str, said: str) -> str:
    variable = entry.api_key_env
    if said.startswith("no key in "):
        return said.partition(";")[0]
    if error_class == "auth":
        words = said.partition(" was refused: ")[2] or said
        return f"the key in {variable} was refused: {words}" if variable else f"its server wants a key: {words}"
    names = {
        "model_not_found": "is not known at its server",
        "quota": "the quota of its account is spent",
        "bad_request": "its server takes no such request",
        "context_overflow": "its context is too short for one decision",
        "network": f"{address_of(entry)} cannot be reached",
    }
    return f"{names.get(error_class, error_class)}: {said}"


def _mend(entry: ModelEntry, error_class: str) -> str:
    mends = {
        "auth": f"set {entry.api_key_env} to a key that may use {entry.model!r}"
        if entry.api_key_env
        else "name the variable that holds it in api_key_env",
        "model_not_found": "mend model or base_url in the models file",
        "quota": "fill it up, or take the model out",
        "bad_request": "mend dialect, quirks, sampling or extra in the models file",
        "context_overflow": "raise the context at its server, or take the model out",
        "network": "see whether it runs, and base_url in the models file",
    }
    return mends.get(error_class, "try again later")
