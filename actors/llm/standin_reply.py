"""A stand-in's answer to one request: tool calls until it has its figures, then the decision that follows from them.

The answer is a function of the request's bytes and the server's seed; nothing is remembered from call to call.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from actors.llm.standin_defects import Written, write
from actors.llm.standin_planner import Noise, plan
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


def complete(body: Mapping[str, Any], raw: bytes, seed: int) -> dict[str, Any]:
    """A chat completion for a request whose model is one of `STYLES`."""
    noise = noise_of(raw, seed)
    style = STYLES[body["model"]]
    talk = read_talk(body)
    digest = hashlib.sha256(seed.to_bytes(8, "big", signed=True) + raw).hexdigest()
    if has_figures(talk):
        message, finish_reason = _decide(talk, style, noise, digest)
    elif talk.tools_offered:
        message, finish_reason = _look_up(talk, style, noise, digest), "tool_calls"
    else:
        message, finish_reason = (
            _said("This is a stand-in model: without the tools' figures it has no decision."),
            "stop",
        )
    return _completion(style, message, finish_reason, (raw, body.get("max_tokens"), digest))


def estimate_tokens(text: str | bytes) -> int:
    """Plain estimate of a text's tokens."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _look_up(talk: Talk, style: Style, noise: Noise, digest: str) -> dict[str, Any]:
    names = [name for name in NEEDED_TOOLS if name not in talk.results]
    if style.green_steps and not talk.results:
        names.append("get_carbon")
    if noise("defect unknown_tool") < style.defects.get("unknown_tool", 0.0):
        names[-1] = "get_competitor_costs"
    offered = [name for name in names if name in talk.tools_offered or name == "get_competitor_costs"]
    calls = [_call(name, "{}", digest, index) for index, name in enumerate(offered or talk.tools_offered[:1])]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _decide(talk: Talk, style: Style, noise: Noise, digest: str) -> tuple[dict[str, Any], str]:
    try:
        decision = plan(read_view(talk), style, noise)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError):
        return _said("This is a stand-in model: it cannot read the tools' figures, so it has no decision."), "stop"
    written = write(decision, style, noise, asked_again=talk.reasks > 0)
    if style.submits and SUBMIT in talk.tools_offered and written.text and written.finish_reason == "stop":
        message = {"role": "assistant", "content": None, "tool_calls": [_call(SUBMIT, written.text, digest, 0)]}
        return message, "tool_calls"
    return _message(written), written.finish_reason


def _message(written: Written) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": written.text}
    return message | ({"refusal": written.refusal} if written.refusal else {})


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _call(name: str, arguments: str, digest: str, index: int) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{digest[:12]}_{index}", "type": "function", "function": function}


def _completion(
    style: Style, message: dict[str, Any], finish_reason: str, request: tuple[bytes, Any, str]
) -> dict[str, Any]:
    raw, most, digest = request
    text = message["content"] or ""
    if isinstance(most, int) and estimate_tokens(text) > most:
        message, finish_reason = {**message, "content": text[: most * CHARACTERS_PER_TOKEN]}, "length"
    prompt, completion = estimate_tokens(raw), estimate_tokens(json.dumps(message))
    return {
        "id": f"chatcmpl-standin-{digest[:24]}",
        "object": "chat.completion",
        "created": 0,  # no clock: equal requests get equal answers, byte for byte
        "model": style.model,
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    }
