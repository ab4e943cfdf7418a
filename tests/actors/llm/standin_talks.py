"""Conversations with stand-in models, as their server would get them."""

import json
from typing import Any

from actors.llm.prompts.render import last_turn_prompt, reask_prompt, round_prompt, system_prompt
from actors.llm.standin_reply import complete
from actors.llm.standin_view import NEEDED_TOOLS, View, read_talk, read_view
from actors.llm.toolbox import standard_toolbox
from actors.llm.wire import Message, Setting, build_request, tool_message
from erpsim.observation import Observation
from erpsim.tools import call_tool

Result = dict[str, Any]


def opening(seen: Observation) -> list[Message]:
    """A decision's first two messages."""
    return [
        {"role": "system", "content": system_prompt(6, 6, 6)},
        {"role": "user", "content": round_prompt(seen)},
    ]


def results(seen: Observation) -> dict[str, Result]:
    """What the tools that a stand-in needs answer."""
    return {name: json.loads(call_tool(name, {}, seen).text) for name in NEEDED_TOOLS}


def looked_up(seen: Observation, answers: dict[str, Result] | None = None) -> list[Message]:
    """A conversation in which every needed tool has answered."""
    answers = answers if answers is not None else results(seen)
    function_calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}} for name in answers
    ]
    told = [tool_message(name, json.dumps(answer)) for name, answer in answers.items()]
    return [*opening(seen), {"role": "assistant", "content": None, "tool_calls": function_calls}, *told]


def asked_again(seen: Observation) -> list[Message]:
    """The same, after an answer that could not be used."""
    return [
        *looked_up(seen),
        {"role": "assistant", "content": "no"},
        {"role": "user", "content": reask_prompt("the reply holds no JSON object")},
    ]


def at_the_end(seen: Observation) -> list[Message]:
    """A conversation whose tools are used up."""
    return [*looked_up(seen), {"role": "user", "content": last_turn_prompt()}]


def ask(model: str, messages: list[Message], seed: int = 0, with_tools: bool = True) -> dict[str, Any]:
    """The stand-in's completion."""
    setting = Setting(model, {}, standard_toolbox().offered())
    raw = build_request(setting, messages, 0, with_tools).body
    return complete(json.loads(raw), raw, seed)


def message_of(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = answer["choices"][0]["message"]
    return found


def text_of(answer: dict[str, Any]) -> str:
    """The decision's text, whether it was said or handed in."""
    message = message_of(answer)
    if message["content"]:
        return str(message["content"])
    return str(message["tool_calls"][0]["function"]["arguments"])


def view_of(seen: Observation, answers: dict[str, Result] | None = None) -> View:
    """The view that a stand-in would read."""
    return read_view(read_talk({"model": "m", "messages": looked_up(seen, answers)}))
