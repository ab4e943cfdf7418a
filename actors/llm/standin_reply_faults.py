"""Replies that are wrong on request: what each fault of a reply makes of the plan, or of the calls of tools.

A fault that is played takes the place of the style's own defects. What is wrong with a decision is wrong with the first
answer, unless its name ends with `_always`; what is wrong with calls is wrong with the first calls of a conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from actors.llm.standin_defects import IN_PLAN, IN_TEXT, Written
from actors.llm.standin_kinds import ALWAYS
from actors.llm.standin_view import Talk

ENDLESS: Final = "endless_tools"
NO_SUCH_TOOL: Final = "get_competitor_costs"

Plan = dict[str, Any]
Call = dict[str, Any]


def can_spoil(kind: str, talk: Talk, decides: bool) -> bool:
    """Whether a fault can be that of the next reply of a conversation; `decides` says that it is to be a decision."""
    base = kind.removesuffix(ALWAYS)
    if base in _CALLS:
        return not decides and not talk.answered and bool(talk.tools_offered)
    return (decides or base == ENDLESS) and (talk.reasks == 0 or kind.endswith(ALWAYS))


def spoil_decision(kind: str, plan: Plan) -> Written:
    """Write a plan down with a fault."""
    return _DECISIONS[kind.removesuffix(ALWAYS)](plan)


def spoil_calls(kind: str, calls: list[Call]) -> dict[str, Any]:
    """The message that makes calls with a fault; `calls` holds at least one."""
    return _CALLS[kind](calls)


def calls_message(calls: list[Call]) -> dict[str, Any]:
    """The message that makes calls."""
    return {"role": "assistant", "content": None, "tool_calls": calls}


def as_text(plan: Plan) -> str:
    """A plan as a model writes it."""
    return json.dumps(plan, separators=(", ", ": "))


def _draft(plan: Plan) -> str:
    """A first thought, which is another decision."""
    return as_text({"prices": plan["prices"], "production": plan["production"][:1]})


def _think(plan: Plan) -> Written:
    return Written(f"<think>\nA first draft: {_draft(plan)}\nBetter to make more.\n</think>\n\n{as_text(plan)}")


def _two_objects(plan: Plan) -> Written:
    return Written(f"{_draft(plan)}\n\n{as_text(plan)}")


def _typographic(plan: Plan) -> Written:
    pieces = as_text({**plan, "rationale": "Prices as planned."}).split('"')
    return Written(
        "".join(piece + ("\u201c", "\u201d")[index % 2] for index, piece in enumerate(pieces[:-1])) + pieces[-1]
    )


def _unknown_only(plan: Plan) -> Written:
    return Written(as_text({**plan, "production": [{"sku": "HAZELNUT-750", "quantity": 16_000}]}))


def _nothing(finish_reason: str) -> Callable[[Plan], Written]:
    return lambda _: Written("", finish_reason)


def _by_defects(*names: str) -> Callable[[Plan], Written]:
    """What the defects of styles of these names do, each always."""

    def write(plan: Plan) -> Written:
        for name in names:
            if name in IN_PLAN:
                plan = IN_PLAN[name](plan)
        text = as_text(plan)
        return next((IN_TEXT[name](text) for name in names if name in IN_TEXT), Written(text))

    return write


_DECISIONS: Final[Mapping[str, Callable[[Plan], Written]]] = {
    "fence": _by_defects("fence"),
    "prose": _by_defects("prose"),
    "think": _think,
    "two_objects": _two_objects,
    "trailing_comma": _by_defects("comma"),
    "typographic": _typographic,
    "number_text": _by_defects("number_text"),
    "title_keys": _by_defects("title_keys"),
    "unknown_ids": _by_defects("unknown_sku"),
    "filter": _nothing("content_filter"),
    "truncated": _by_defects("truncated"),
    "refusal": _by_defects("refused"),
    "no_json": _by_defects("no_json"),
    "empty_content": _nothing("stop"),
    "unknown_only": _unknown_only,
}


def _unknown_tool(calls: list[Call]) -> dict[str, Any]:
    last = {**calls[-1], "function": {"name": NO_SUCH_TOOL, "arguments": "{}"}}
    return calls_message([*calls[:-1], last])


def _bad_arguments(calls: list[Call]) -> dict[str, Any]:
    last = {**calls[-1], "function": {**calls[-1]["function"], "arguments": '{"of": '}}
    return calls_message([*calls[:-1], last])


def _equal_ids(calls: list[Call]) -> dict[str, Any]:
    return calls_message([{**call, "id": calls[0]["id"]} for call in calls])


def _no_ids(calls: list[Call]) -> dict[str, Any]:
    return calls_message([{name: part for name, part in call.items() if name != "id"} for call in calls])


def _markup(calls: list[Call]) -> dict[str, Any]:
    wanted = [
        json.dumps({"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])})
        for call in calls
    ]
    return {"role": "assistant", "content": "\n".join(f"<tool_call>\n{text}\n</tool_call>" for text in wanted)}


_CALLS: Final[Mapping[str, Callable[[list[Call]], dict[str, Any]]]] = {
    "unknown_tool": _unknown_tool,
    "bad_arguments": _bad_arguments,
    "equal_ids": _equal_ids,
    "no_ids": _no_ids,
    "markup": _markup,
}
