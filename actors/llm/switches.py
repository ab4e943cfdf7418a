"""Parameters that a model's server refused by name and that are sent otherwise from then on, for the whole run.

Model names say too little about what a server takes, and contracts change under a name. So a refusal is read: the one
parameter that it names is renamed, stepped down or left out, once, and the call goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import orjson
from pydantic import TypeAdapter

TOKEN_PARAMETERS: Final = ("max_tokens", "max_completion_tokens")
FORMATS: Final = ("json_schema", "json_object", "none")
"""Kinds of structured output; a refused one steps down to the next."""
_NEVER_LEFT_OUT: Final = frozenset({"model", "messages", "system", "tools", "role", "content", "tool_calls"})


@dataclass(frozen=True)
class Switches:
    """What is sent otherwise than dialect and models file say; the defaults change nothing.

    Attributes:
        token_parameter: name of the limit of a reply; "" as the dialect has it.
        answer_format: kind of structured output; "" as the models file has it.
        reasoning: whether reasoning goes back with the assistant's messages; "" as the models file has it.
        last_turn: how the last request keeps from tool calls; "" as the dialect has it.
        left_out: parameters of a request that are not sent.
        fields_left_out: fields of assistant messages that are not sent back.
    """

    token_parameter: str = ""
    answer_format: str = ""
    reasoning: Literal["", "echo", "drop"] = ""
    last_turn: Literal["", "omit", "forbid"] = ""
    left_out: tuple[str, ...] = ()
    fields_left_out: tuple[str, ...] = ()

    def text(self) -> str:
        """JSON of the switches that are set, "" when none is."""
        chosen = {name: value for name, value in asdict(self).items() if value}
        return orjson.dumps(chosen).decode() if chosen else ""


def read_switches(text: str) -> Switches:
    """The switches of a text that `Switches.text` gave."""
    return TypeAdapter(Switches).validate_json(text or "{}")


@dataclass(frozen=True)
class Refusal:
    """A request that a server refused as it stood.

    Attributes:
        words: the error's message.
        parameter: the parameter that the error names in a field of its own, "" without one.
        sent: the request's body.
    """

    words: str
    parameter: str
    sent: Mapping[str, Any]

    def names(self, name: str) -> bool:
        """Whether the error speaks of a parameter or field."""
        return self.parameter == name or re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", self.words) is not None


def learn(switches: Switches, refusal: Refusal) -> Switches | None:
    """The switches with the one that a refusal asks for; None when it asks for none that is not set already."""
    for read in _READERS:
        learnt = read(switches, refusal)
        if learnt is not None:
            return learnt if learnt != switches else None
    return None


def _token_parameter(switches: Switches, refusal: Refusal) -> Switches | None:
    """Two names for the limit of a reply; a complaint about its size is none about its name."""
    sent = next((name for name in TOKEN_PARAMETERS if name in refusal.sent), None)
    if sent is None or not refusal.names(sent) or not _UNKNOWN.search(refusal.words):
        return None
    other = TOKEN_PARAMETERS[1 - TOKEN_PARAMETERS.index(sent)]
    if switches.token_parameter:
        return replace(switches, left_out=(*switches.left_out, sent))
    return replace(switches, token_parameter=other)


def _reasoning(switches: Switches, refusal: Refusal) -> Switches | None:
    if not _REASONING.search(refusal.words) and not _REASONING.search(refusal.parameter):
        return None
    if _WANTED.search(refusal.words):
        return replace(switches, reasoning="echo")
    return replace(switches, reasoning="drop") if _echoes_reasoning(refusal.sent) else None


def _answer_format(switches: Switches, refusal: Refusal) -> Switches | None:
    sent = refusal.sent.get("response_format")
    if not isinstance(sent, dict) or not _FORMAT.search(f"{refusal.words} {refusal.parameter}"):
        return None
    return replace(switches, answer_format=FORMATS[FORMATS.index(sent["type"]) + 1])


def _last_turn(switches: Switches, refusal: Refusal) -> Switches | None:
    """A server that wants the tools named as long as the conversation holds calls, or one that knows no tool_choice."""
    if "tool_choice" in refusal.sent and refusal.names("tool_choice"):
        return replace(switches, last_turn="omit")
    if "tools" not in refusal.sent and _TOOLS_WANTED.search(refusal.words):
        return replace(switches, last_turn="forbid")
    return None


def _left_out(switches: Switches, refusal: Refusal) -> Switches | None:
    for name in refusal.sent:
        known = name in _NEVER_LEFT_OUT or name in TOKEN_PARAMETERS or name == "response_format"
        if not known and refusal.names(name) and _UNKNOWN.search(refusal.words):
            return replace(switches, left_out=(*switches.left_out, name))
    return None


def _field_left_out(switches: Switches, refusal: Refusal) -> Switches | None:
    fields = {name for message in _assistants(refusal.sent) for name in message} - _NEVER_LEFT_OUT
    for name in sorted(fields):
        if refusal.names(name) and _UNKNOWN.search(refusal.words):
            return replace(switches, fields_left_out=(*switches.fields_left_out, name))
    return None


def _assistants(sent: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [message for message in sent.get("messages", []) if message.get("role") == "assistant"]


def _echoes_reasoning(sent: Mapping[str, Any]) -> bool:
    return any(_REASONING.search(name) for message in _assistants(sent) for name in message)


_UNKNOWN: Final = re.compile(
    r"unsupported|not support|unknown|unrecognized|unexpected|not permitted|not allowed|deprecated|extra inputs"
    r"|extra fields|invalid parameter|is not available|cannot be (used|set|specified)|only the default",
    re.IGNORECASE,
)
_REASONING: Final = re.compile(r"reasoning(_content|_details)?\b(?!_)|thinking (content|blocks?)", re.IGNORECASE)
_WANTED: Final = re.compile(
    r"must be (passed|sent|included|provided)|missing|is required|pass(ed)? back", re.IGNORECASE
)
_FORMAT: Final = re.compile(r"response_format|json_schema|json_object|structured output|guided", re.IGNORECASE)
_TOOLS_WANTED: Final = re.compile(
    r"\btools\b.{0,60}(must|required|defined|provided|missing|at least one)", re.IGNORECASE
)

_READERS: Final[tuple[Callable[[Switches, Refusal], Switches | None], ...]] = (
    _token_parameter,
    _reasoning,
    _answer_format,
    _last_turn,
    _left_out,
    _field_left_out,
)
