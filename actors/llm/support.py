"""What the client cannot do yet: settings of a models file that would be taken in silence are refused instead."""

from __future__ import annotations

from collections.abc import Iterable

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
    """Say for each setting of one model that has no effect yet what to do instead."""
    faults: list[str] = []
    if entry.dialect == "anthropic":
        faults.append(
            "dialect 'anthropic' is not spoken yet; use the provider's OpenAI-compatible address and dialect 'openai'"
        )
    if entry.policy == "http":
        faults += [f"{name} has no effect on policy 'http'; leave it out" for name in _of_models(entry)]
    if entry.reasoning_echo == "drop":
        faults.append("reasoning_echo 'drop' is not done yet, replies are echoed as they came; use 'auto'")
    return faults


def _of_models(entry: ModelEntry) -> list[str]:
    """Settings of an entry that are about models alone."""
    keys = [name for name in _MODELS_KEYS if name in entry.model_fields_set]
    return keys + [f"quirks.{name}" for name in _MODELS_QUIRKS if getattr(entry.quirks, name) is not None]


_MODELS_KEYS = ("dialect", "sampling", "response_format", "reasoning_echo")
_MODELS_QUIRKS = ("token_parameter", "max_tokens", "last_turn", "mark_caches")
