"""From a model's text to a decision: one ladder, every rung recorded, nothing evaluated, nothing silently defaulted.

    1 finish reason and refusal first: a reply that was cut off is never repaired into a decision
    2 the whole text as strict JSON
    3 a scan for objects outside of reasoning, fences and prose; the last complete one wins   (`lexical`)
    4 lexical repair, when an object with a known section comes out of it                     (`lexical`)
    5 keys, names and values matched and coerced by documented rules                          (`sections`)
    6 validation per field: bad ones dropped, good ones kept                                  (`sections`)

Asking again and the fallback decision are the caller's. Reading is a pure function and raises on no text.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from erpsim.decision import SECTIONS, Decision
from erpsim.events import Event, ItemDropped
from erpsim.field_reading import read_fields
from erpsim.json_text import NonFinite, decode, duplicates
from erpsim.key_matching import match
from erpsim.lexical import Found, find_object
from erpsim.reading import Failure, Notes, Reading, presentable
from erpsim.sections import READERS, Section, read_rationale

__all__ = ["Failure", "Reading", "read_arguments", "read_decision"]

TRUNCATED: Final = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")
FILTERED: Final = ("content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii")
REFUSED: Final = ("refusal",)
WRAPPING: Final = 3
"""Levels of wrapping, such as {"decision": {…}}, in which a decision is looked for."""
NAMED_FAULTS: Final = 8
"""How many faults an error message spells out."""


def read_decision(text: str | None, finish_reason: str | None, refusal: str | None = None) -> Reading:
    """Read a model's reply, or the arguments of its `submit_decision` call, as a decision.

    Args:
        text: the reply's text.
        finish_reason: why the server says the reply ended, None when it does not say.
        refusal: the reply's own refusal field, if it has one.
    """
    stopped = _stopped(finish_reason, refusal)
    if stopped is not None:
        return Reading(None, (), stopped)
    if not text or not text.strip("\ufeff \t\r\n"):
        return Reading(None, (), Failure("empty", "the reply is empty; answer with one JSON object"))
    found = find_object(text, lambda value: _unwrap(value) is not None, complete=finish_reason is not None)
    if isinstance(found, Failure):
        return Reading(None, (), found if found.message else Failure("invalid", _NO_SECTION))
    return _read_object(found)


def read_arguments(raw: str | dict[str, Any] | None, schema: dict[str, Any]) -> dict[str, Any] | Failure:
    """Read a tool call's arguments.

    Nothing, blanks and null are no arguments. A value that is JSON text is unwrapped only where the schema wants a list
    or an object; any other text stays text. Damaged JSON is never repaired here: repair invents arguments.

    Args:
        raw: the arguments as the server gave them.
        schema: the tool's JSON schema.
    """
    arguments: Any = raw
    for _ in range(2):
        if isinstance(arguments, str):
            try:
                arguments = decode(arguments) if arguments.strip() else {}
            except ValueError as error:
                return Failure("invalid", f"the arguments are no JSON object: {error}")
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, dict):
        return Failure("invalid", f"the arguments must be a JSON object, not {type(arguments).__name__}")
    if _has_endless(arguments):
        return Failure("invalid", "the arguments hold a number that is not finite")
    properties = schema.get("properties", {})
    return {
        name: _nested(value, properties.get(match(name, tuple(properties)), {})) for name, value in arguments.items()
    }


def _stopped(finish_reason: str | None, refusal: str | None) -> Failure | None:
    reason = (finish_reason or "").lower()
    if refusal and refusal.strip():
        return Failure("refusal", f"the reply is a refusal: {presentable(refusal.strip())}")
    if reason in REFUSED:
        return Failure("refusal", "the reply is a refusal")
    if reason in TRUNCATED:
        return Failure("truncated", "the reply was cut off at its token limit; answer with the JSON object alone")
    if reason in FILTERED:
        return Failure("content_filter", "the reply was withheld by the server's content filter")
    return None


_NO_SECTION: Final = f"the object has no known section; give at least one of {', '.join(READERS)}"


class _Unwrapped(NamedTuple):
    value: dict[str, Any]
    codes: tuple[str, ...]


def _unwrap(value: Any, levels: int = WRAPPING) -> _Unwrapped | None:
    """The object with a known section: the value itself, or the last one that it wraps."""
    if not isinstance(value, dict):
        return None
    if any(match(key, tuple(READERS)) and part is not None for key, part in value.items()):
        return _Unwrapped(value, ())
    if levels == 0:
        return None
    inner = [found for part in value.values() if (found := _unwrap(_decoded(part), levels - 1)) is not None]
    if not inner:
        return None
    codes = ("wrapper",) if len(inner) == 1 else ("wrapper", "several_objects")
    return _Unwrapped(inner[-1].value, tuple(dict.fromkeys((*codes, *inner[-1].codes))))


def _decoded(part: Any) -> Any:
    """An object written as JSON text, as the arguments of a tool call are; anything else as it is."""
    if not isinstance(part, str) or not part.lstrip().startswith("{"):
        return part
    try:
        return decode(part)
    except ValueError:
        return part


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
        faults = [
            f"{event.field} = {event.asked!r}: {event.cause}"
            for event in events
            if isinstance(event, ItemDropped) and event.field.split(".")[0].split("[")[0] == name
        ]
        more = f" and {len(faults) - NAMED_FAULTS} more" if len(faults) > NAMED_FAULTS else ""
        parts.append(f"no item of {name} can be used ({'; '.join(faults[:NAMED_FAULTS])}{more}); {READERS[name].valid}")
    return ". ".join(parts)


_RUNGS: Final = {
    "fence": "the object stood in a code fence",
    "prose": "the object stood in other text",
    "reasoning": "reasoning was set aside",
    "several_objects": "there were several objects; the last one is used",
    "trailing_comma": "a comma before a closing bracket was left out",
    "typographic": "typographic quotes or full-width marks were read as the plain ones",
    "raw_line_break": "raw control characters in a text were escaped",
    "lexical_repair": "damaged JSON was repaired",
    "unclosed": "missing closing brackets were added",
    "json_text": "the object was written as JSON text inside JSON",
    "wrapper": "the object was wrapped in another one",
}


def _has_endless(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_endless(item) for item in value.values())
    if isinstance(value, list):
        return any(_has_endless(item) for item in value)
    return isinstance(value, NonFinite)


def _nested(value: Any, schema: dict[str, Any]) -> Any:
    wanted = _CONTAINERS.get(schema.get("type", ""))
    if wanted is None or not isinstance(value, str):
        return value
    try:
        inner = decode(value)
    except ValueError:
        return value
    return inner if isinstance(inner, wanted) and not _has_endless(inner) else value


_CONTAINERS: Final[dict[str, type]] = {"array": list, "object": dict}
