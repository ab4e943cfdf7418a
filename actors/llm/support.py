"""Settings of a models file that would have no effect where they stand: they are refused, not taken in silence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ecologies.models import ModelEntry
from erpsim.errors import ModelsError


def refuse_unsupported(entries: Iterable[ModelEntry], source: str) -> None:
    """Hold models to what can be played.

    Raises:
        ModelsError: naming every model and setting that would have no effect, and what to write instead.
    """
    faults = [f"model {entry.label!r}: {fault}" for entry in entries for fault in unsupported(entry)]
    if faults:
        raise ModelsError(f"{source}: {'; '.join(faults)}")


def unsupported(entry: ModelEntry) -> list[str]:
    """Say for each setting of one model that has no effect what to do instead."""
    keys = _MODELS_KEYS if entry.policy == "http" else ()
    quirks = _QUIRKS[entry.speaks.protocol]
    subject = "policy 'http'" if entry.policy == "http" else f"dialect {entry.dialect!r}"
    named = [name for name in keys if name in entry.model_fields_set]
    named += [f"quirks.{name}" for name in quirks if getattr(entry.quirks, name) is not None]
    return [f"{name} has no effect on {subject}; leave it out" for name in named]


_MODELS_KEYS: Final = ("dialect", "sampling", "response_format", "reasoning_echo")
"""Settings of an entry that are about models alone."""
_QUIRKS: Final = {
    "chat": ("mark_caches",),
    "messages": ("token_parameter", "schemas"),
    "observed": ("token_parameter", "max_tokens", "last_turn", "mark_caches", "schemas"),
}
"""Quirks that have no effect in a protocol."""
