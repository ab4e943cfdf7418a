"""From a model's text to a decision: one ladder, every rung recorded, nothing evaluated, nothing silently defaulted.

    1 finish reason and refusal first: a reply that was cut off is never repaired into a decision
    2 the whole text as strict JSON; one of the plain form needs no further rung              (`plain_reading`)
    3 a scan for objects outside of reasoning, fences and prose; the last complete one wins   (`lexical`)
    4 lexical repair, when an object with a known section comes out of it                     (`lexical`)
    5 keys, names and values matched and coerced by documented rules                          (`sections`)
    6 validation per field: bad ones dropped, good ones kept                                  (`sections`)

Asking again and the fallback decision are the caller's. Reading is a pure function and raises on no text.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final, NamedTuple

from erpsim.argument_text import read_arguments
from erpsim.decision import SECTIONS, Decision
from erpsim.events import Event, ItemDropped
from erpsim.field_reading import ITEM_LIMIT, read_fields
from erpsim.json_text import JsonObject, decode, duplicates
from erpsim.key_matching import match
from erpsim.lexical import Found, Wanted, find_object
from erpsim.plain_reading import read_plain
from erpsim.reading import Failure, Notes, Reading, compact, presentable
from erpsim.sections import READERS, Section, read_rationale

__all__ = ["Failure", "Reading", "read_arguments", "read_decision"]

ENDED: Final = (
    "stop", "end_turn", "stop_sequence", "eos", "eos_token", "end", "done", "complete", "completed",
    "tool_calls", "tool_call", "tool_use", "function_call",
)  # fmt: skip
"""Why a reply ends that ended by itself, as servers spell it."""
TRUNCATED: Final = (
    "length", "max_tokens", "max_output_tokens", "max_new_tokens", "max_length", "max_completion_tokens",
    "model_length", "model_context_window_exceeded", "context_length_exceeded", "token_limit", "incomplete",
)  # fmt: skip
BROKEN_OFF: Final = (
    "error", "abort", "aborted", "cancelled", "canceled", "user_cancel", "network_error", "error_limit",
    "insufficient_system_resource", "pause_turn", "malformed_function_call",
)  # fmt: skip
FILTERED: Final = (
    "content_filter", "content_filtered", "guardrail_intervened", "safety", "recitation", "blocklist", "blocked",
    "prohibited_content", "spii", "image_safety", "sensitive", "error_toxic",
)  # fmt: skip
REFUSED: Final = ("refusal", "refused")
WRAPPING: Final = 3
"""Levels of wrapping, such as {"decision": {…}}, in which a decision is looked for."""
NAMED_FAULTS: Final = 6
"""How many faults an error message spells out."""
SHOWN: Final = 60
"""Characters of a path or a value that an error message shows."""


def read_decision(text: str | None, finish_reason: str | None, refusal: str | None = None) -> Reading:
    """Read a model's reply, or the arguments of its `submit_decision` call, as a decision.

    Args:
        text: the reply's text.
        finish_reason: why the server says the reply ended, None when it does not say.
        refusal: the reply's own refusal field, if it has one.
    """
    reason = _plain(finish_reason or "")
    stopped = _stopped(reason, refusal)
    if stopped is not None:
        return Reading(None, (), stopped)
    if not text or not text.strip("\ufeff\u200b\u2060 \t\r\n\f\v\u00a0"):
        return Reading(None, (), Failure("empty", "the reply is empty; answer with one JSON object"))
    return read_plain(text) or _search(text, complete=reason in ENDED)


def _search(text: str, *, complete: bool) -> Reading:
    found = find_object(text, _WANTED, complete)
    if isinstance(found, Failure):
        return Reading(None, (), found if found.message else Failure("invalid", _NO_SECTION))
    return _read_object(found)


def _plain(finish_reason: str) -> str:
    """A finish reason without what only its spelling adds: `FinishReason.MAX_TOKENS` is max_tokens."""
    plain = finish_reason.strip().lower().replace("-", "_").replace(" ", "_").rpartition(".")[2]
    return plain.removeprefix("finish_reason_").removeprefix("stop_reason_")


def _stopped(reason: str, refusal: str | None) -> Failure | None:
    if refusal and refusal.strip():
        return Failure("refusal", f"the reply is a refusal: {presentable(refusal.strip())}")
    if reason in REFUSED:
        return Failure("refusal", "the reply is a refusal")
    if reason in TRUNCATED:
        return Failure("truncated", "the reply was cut off at its token limit; answer with the JSON object alone")
    if reason in BROKEN_OFF:
        return Failure("truncated", f"the reply was broken off ({reason}); answer with the JSON object alone")
    if reason in FILTERED:
        return Failure("content_filter", "the reply was withheld by the server's content filter")
    return None


_NO_SECTION: Final = f"the object has no known section; give at least one of {', '.join(READERS)}"


class _Unwrapped(NamedTuple):
    value: dict[str, Any]
    codes: tuple[str, ...]


def _unwrap(value: Any, levels: int = WRAPPING) -> _Unwrapped | None:
    """The object with a known section: the value itself, or the last one that it wraps."""
    if isinstance(value, dict) and _names_acting(value):
        return _Unwrapped(value, ())
    if levels == 0 or not isinstance(value, dict | list):
        return None
    parts = islice(value.values(), ITEM_LIMIT) if isinstance(value, dict) else value[-ITEM_LIMIT:]
    inner = [found for part in parts if (found := _unwrap(_decoded(part), levels - 1)) is not None]
    if not inner:
        return None
    several = len(inner) > 1 or (isinstance(value, JsonObject) and value.duplicates)
    codes = ("wrapper", "several_objects") if several else ("wrapper",)
    return _Unwrapped(inner[-1].value, tuple(dict.fromkeys((*codes, *inner[-1].codes))))


def _names_acting(value: dict[str, Any]) -> bool:
    return any(part is not None and match(key, _ACTING) for key, part in islice(value.items(), ITEM_LIMIT))


def _decoded(part: Any) -> Any:
    """An object written as JSON text, as the arguments of a tool call are; anything else as it is."""
    if not isinstance(part, str) or not part.lstrip().startswith("{"):
        return part
    try:
        return decode(part)
    except ValueError:
        return part


def _in_order(value: Any) -> bool:
    """Whether no section stands inside of another one, as it does when a bracket was guessed at the wrong place."""
    unwrapped = _unwrap(value)
    return unwrapped is not None and not any(_names_a_section(part) for part in unwrapped.value.values())


def _names_a_section(value: Any) -> bool:
    if isinstance(value, dict):
        return any(match(key, _ACTING) or _names_a_section(part) for key, part in value.items())
    return isinstance(value, list) and any(_names_a_section(part) for part in value)


_ACTING: Final = tuple(READERS)
_WANTED: Final = Wanted(lambda value: _unwrap(value) is not None, _in_order)


def _read_object(found: Found) -> Reading:
    unwrapped = _unwrap(found.value)
    assert unwrapped is not None, "find_object gives only what is wanted"
    notes = Notes()
    for code in dict.fromkeys((*found.codes, *unwrapped.codes)):
        notes.recovered(code, _RUNGS[code])
    for path in duplicates(unwrapped.value):
        notes.coerced("duplicate_key", path, (None, None), "given more than once; the last one holds")
    return _read_sections(unwrapped.value, notes)


def _read_sections(value: dict[str, Any], notes: Notes) -> Reading:
    given = read_fields(notes, "", value, SECTIONS)
    plain: dict[str, Any] = {}
    read: dict[str, Section] = {}
    for name, part in given.items():
        if part is None:
            notes.not_given(name)
        elif name == "rationale":
            plain[name] = read_rationale(notes, part)
        else:
            read[name] = READERS[name].read(notes, part)
    bad = [name for name, section in read.items() if section.unusable]
    plain |= {name: section.value for name, section in read.items() if name not in bad}
    decision = Decision.model_validate(plain) if len(bad) < len(read) else None
    failure = Failure("invalid", _unusable(bad, notes.events)) if bad else None
    return Reading(decision, notes.events, failure)


def _unusable(sections: list[str], events: tuple[Event, ...]) -> str:
    """The precise error: what is wrong with each section that has no usable item, and what is valid."""
    parts = []
    for name in sections:
        faults = [_fault(event) for event in events if isinstance(event, ItemDropped) and _section(event) == name]
        more = f" and {len(faults) - NAMED_FAULTS} more" if len(faults) > NAMED_FAULTS else ""
        parts.append(f"no item of {name} can be used ({'; '.join(faults[:NAMED_FAULTS])}{more}); {READERS[name].valid}")
    return ". ".join(parts)


def _section(event: Event) -> str:
    return event.field.split(".")[0].split("[")[0]


def _fault(event: Event) -> str:
    """Place, value and fault of one item that was dropped; a name that the place ends on is not told twice."""
    asked = event.asked if isinstance(event.asked, str) and event.asked[:1] in "{[" else compact(event.asked)
    named = isinstance(event.asked, str) and event.field.endswith(f".{event.asked}")
    value = "" if named or event.code == "missing_field" else f" = {_short(asked)}"
    return f"{_short(event.field)}{value}: {event.cause}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


_RUNGS: Final = {
    "fence": "the object stood in a code fence",
    "prose": "the object stood in other text",
    "reasoning": "reasoning was set aside",
    "several_objects": "there were several objects; the last one is used",
    "trailing_comma": "a comma before a closing bracket was left out",
    "typographic": "typographic quotes or full-width marks were read as the plain ones",
    "raw_line_break": "raw control characters in a text were escaped",
    "lexical_repair": "damaged JSON was repaired",
    "bare_number": "a number that JSON does not know was read as text",
    "duplicate_key": "a damaged object gave a key more than once; the last one holds",
    "unclosed": "missing closing brackets were added",
    "json_text": "the object was written as JSON text inside JSON",
    "wrapper": "the object was wrapped in another one",
}
