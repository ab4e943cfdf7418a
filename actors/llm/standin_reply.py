"""A stand-in's answer to one request: tool calls until it has its figures, then the decision that follows from them.

The answer is a function of the request's bytes and the server's seed; nothing is remembered from call to call.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from actors.llm.standin_defects import Written, write
from actors.llm.standin_planner import Noise, plan
from actors.llm.standin_reply_faults import (
    ENDLESS,
    NO_SUCH_TOOL,
    calls_message,
    can_spoil,
    spoil_calls,
    spoil_decision,
)
from actors.llm.standin_styles import STYLES, Style
from actors.llm.standin_view import NEEDED_TOOLS, Talk, has_figures, read_talk, read_view

FINGERPRINT: Final = "stand-in-1"
SUBMIT: Final = "submit_decision"
CHARACTERS_PER_TOKEN: Final = 4


def noise_of(raw: bytes, seed: int) -> Noise:
    """Uniform numbers in [0, 1) by purpose, fixed by a request's bytes and a seed."""
    root = hashlib.sha256(seed.to_bytes(8, "big", signed=True) + raw).digest()

    def noise(purpose: str) -> float:
        drawn = hashlib.blake2b(purpose.encode(), key=root, digest_size=8).digest()
        return int.from_bytes(drawn, "big") / 2.0**64

    return noise


@dataclass(frozen=True)
class Manner:
    """How a server's stand-ins answer.

    Attributes:
        seed: every answer depends on it.
        defects: whether the styles' own defects spoil answers.
        forced: the fault that this reply is to have, where it can.
    """

    seed: int = 0
    defects: bool = True
    forced: str | None = None


class Completed(NamedTuple):
    """A chat completion, and the forced fault when it was played."""

    completion: dict[str, Any]
    fault: str | None


def complete(body: Mapping[str, Any], raw: bytes, seed: int) -> dict[str, Any]:
    """A chat completion for a request whose model is one of `STYLES`."""
    return answer(body, raw, Manner(seed)).completion


def answer(body: Mapping[str, Any], raw: bytes, manner: Manner) -> Completed:
    """The same in a manner of answering."""
    style, talk = STYLES[body["model"]], read_talk(body)
    forced = manner.forced
    if forced is not None and not can_spoil(forced, talk, decides=has_figures(talk)):
        forced = None
    if forced or not manner.defects:
        style = replace(style, defects={})
    digest = hashlib.sha256(manner.seed.to_bytes(8, "big", signed=True) + raw).hexdigest()
    request = _Request(raw, style, noise_of(raw, manner.seed), digest)
    message, finish_reason = _reply(talk, request, forced)
    most = body.get("max_completion_tokens", body.get("max_tokens"))
    return Completed(_completion(request, message, finish_reason, most), forced)


def estimate_tokens(text: str | bytes) -> int:
    """Plain estimate of a text's tokens."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True)
class _Request:
    """One request and what its answer depends on."""

    raw: bytes
    style: Style
    noise: Noise
    digest: str


def _reply(talk: Talk, request: _Request, forced: str | None) -> tuple[dict[str, Any], str]:
    endless = forced is not None and forced.startswith(ENDLESS)
    if has_figures(talk) and not endless:
        return _decide(talk, request, forced)
    if talk.tools_offered or endless:
        message = _look_up(talk, request, None if endless else forced)
        return message, "tool_calls" if message.get("tool_calls") else "stop"
    return _said("This is a stand-in model: without the tools' figures it has no decision."), "stop"


def _look_up(talk: Talk, request: _Request, forced: str | None) -> dict[str, Any]:
    names = [name for name in NEEDED_TOOLS if name not in talk.results]
    if request.style.green_steps and not talk.results:
        names.append("get_carbon")
    if request.noise("defect unknown_tool") < request.style.defects.get("unknown_tool", 0.0):
        names[-1] = NO_SUCH_TOOL
    offered = [name for name in names if name in talk.tools_offered or name == NO_SUCH_TOOL]
    wanted = offered or talk.tools_offered[:1] or NEEDED_TOOLS[:1]
    calls = [_call(name, "{}", request.digest, index) for index, name in enumerate(wanted)]
    return spoil_calls(forced, calls) if forced else calls_message(calls)


def _decide(talk: Talk, request: _Request, forced: str | None) -> tuple[dict[str, Any], str]:
    style, noise = request.style, request.noise
    try:
        decision = plan(read_view(talk), style, noise)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError):
        return _said("This is a stand-in model: it cannot read the tools' figures, so it has no decision."), "stop"
    if forced:
        written = spoil_decision(forced, decision)
    else:
        written = write(decision, style, noise, asked_again=talk.reasks > 0)
    if style.submits and SUBMIT in talk.tools_offered and written.text and written.finish_reason == "stop":
        return calls_message([_call(SUBMIT, written.text, request.digest, 0)]), "tool_calls"
    return _message(written), written.finish_reason


def _message(written: Written) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": written.text}
    return message | ({"refusal": written.refusal} if written.refusal else {})


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _call(name: str, arguments: str, digest: str, index: int) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{digest[:12]}_{index}", "type": "function", "function": function}


def _completion(request: _Request, message: dict[str, Any], finish_reason: str, most: object) -> dict[str, Any]:
    text = message["content"] or ""
    if isinstance(most, int) and estimate_tokens(text) > most:
        message, finish_reason = {**message, "content": text[: most * CHARACTERS_PER_TOKEN]}, "length"
    prompt, completion = estimate_tokens(request.raw), estimate_tokens(json.dumps(message))
    return {
        "id": f"chatcmpl-standin-{request.digest[:24]}",
        "object": "chat.completion",
        "created": 0,  # no clock: equal requests get equal answers, byte for byte
        "model": request.style.model,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    }
