"""What each fault of the stand-in server is to come to, as data: one case for each kind, and what follows from its log.

A decision without a fault takes two requests: the calls of tools, then the decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from actors.llm.agent import AgentOptions
from actors.llm.calls import CallClass
from actors.llm.standin_faults import read_faults
from actors.llm.standin_kinds import ALWAYS, REPLY

FIRST: Final = "@1=1"
"""At the first attempt of every request, and never again."""
TOOL_TURNS: Final = 6
LIMIT: Final = {"max_tokens": 8_000}
AT_ONCE: Final = 48


@dataclass(frozen=True)
class Case:
    """One fault, or several, and what a decision that meets it comes to.

    Attributes:
        faults: as `--fault` takes them.
        outcome: of a decision that meets the fault; all others are clean.
        error_class: of the attempts that it spoils; "" when it spoils none, or where there are several faults.
        meets: how often the fault meets one decision; 0 where there are several faults, and chance decides.
        per: whether it meets every decision, or each model's first one only.
        events: category:code of what such a decision has on record.
        changes: what the models' entries say otherwise.
        tool_turns: requests that a decision may answer by calls.
        retry_after_s: what a rate limit asks for.
        at_once: decisions under way together; few where some calls hang, so that no other one is late for want of a
            processor.
    """

    faults: tuple[str, ...]
    outcome: str
    error_class: CallClass | Literal[""] = ""
    meets: int = 2
    per: Literal["decision", "model"] = "decision"
    events: tuple[str, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    tool_turns: int = TOOL_TURNS
    retry_after_s: int = 1
    at_once: int = AT_ONCE

    @property
    def name(self) -> str:
        """The kind, or how many there are."""
        kinds = list(read_faults(self.faults))
        return kinds[0] if len(kinds) == 1 else f"{len(kinds)} kinds"

    @property
    def options(self) -> AgentOptions:
        """Bounds of a decision."""
        return AgentOptions(tool_turns=self.tool_turns)


@dataclass(frozen=True)
class Result:
    """What some decisions came to, as expected or as measured.

    Attributes:
        outcomes: decisions by outcome: clean, retried (clean after failed attempts), recovered, reasked,
            fallback:CAUSE, infra:CLASS.
        failed: attempts that failed, by class.
        events: decisions that have such an event on record, by category:code.
        faults: faults that the server counted, by kind.
        requests: requests that the server counted.
        attempts: attempts on record.
        early: requests that came before a Retry-After was over.
    """

    outcomes: Counter[str]
    failed: Counter[str]
    events: Counter[str]
    faults: Counter[str]
    requests: int
    attempts: int
    early: int = 0


def expected(case: Case, decisions: int, models: int, measured: Result) -> Result:
    """What a case must come to, by its configuration and by what the server says that it did.

    Where every request meets the fault the configuration alone says how often; where there are several faults, the
    server's log says which were met, and each comes to what it comes to by itself.
    """
    if case.meets == 0:
        return _by_the_log(decisions, measured)
    met = models if case.per == "model" and case.outcome == "retried" else decisions
    injected = case.meets * (models if case.per == "model" else decisions)
    outcomes = Counter({case.outcome: met})
    outcomes["clean"] += decisions - met
    return Result(
        outcomes=+outcomes,
        failed=Counter({case.error_class: injected} if case.error_class else {}),
        events=Counter(dict.fromkeys(case.events, met)),
        faults=Counter({case.name: injected}),
        requests=measured.requests,
        attempts=measured.requests,
    )


def _by_the_log(decisions: int, measured: Result) -> Result:
    """Several faults: a decision whose failed attempts all passed counts as clean here."""
    single = {case.name: case for case in CASES if case.meets and case.retry_after_s == 1}
    outcomes, failed, events = Counter[str](), Counter[str](), Counter[str]()
    for kind, count in measured.faults.items():
        case = single[kind]
        met = count // case.meets
        outcomes[case.outcome] += met if case.outcome not in ("clean", "retried") else 0
        failed[case.error_class] += count
        events.update(dict.fromkeys(case.events, met))
    outcomes["clean"] = decisions - outcomes.total()
    del failed[""]
    return Result(+outcomes, failed, events, measured.faults, measured.requests, measured.requests)


def _passing(kind: str, error_class: CallClass) -> Case:
    return Case((kind + FIRST,), "retried", error_class)


def _stopping(kind: str, error_class: CallClass) -> Case:
    return Case((kind + "=1",), f"infra:{error_class}", error_class, meets=1, per="model")


def _parameter(kind: str, meets: int = 1, tool_turns: int = TOOL_TURNS, **changes: Any) -> Case:
    return Case(
        (kind + "=1",), "retried", "bad_request", meets=meets, per="model", changes=changes, tool_turns=tool_turns
    )


def _recovered(kind: str, *events: str) -> Case:
    return Case((kind + "=1",), "recovered", meets=1, events=events)


def _asked_again(kind: str, cause: str, meets: int = 1) -> tuple[Case, Case]:
    again = f"reask:{cause}"
    last = (again, f"fallback_decision:{cause}")
    return (
        Case((kind + "=1",), "reasked", meets=meets, events=(again,)),
        Case((kind + ALWAYS + "=1",), f"fallback:{cause}", meets=meets + 1, events=last),
    )


PASSING: Final[Mapping[str, CallClass]] = {
    "429": "rate",
    "429_date": "rate",
    "429_bare": "rate",
    "500": "server",
    "502": "server",
    "503": "overloaded",
    "529": "overloaded",
    "502_html": "html_body",
    "html": "html_body",
    "reset": "network",
    "half": "broken_body",
    "hang": "timeout",
    "empty_choices": "empty_choices",
    "error_200": "server",
}
"""Faults that pass by themselves, and their classes."""

MIXED: Final = Case(
    tuple(f"{kind}={0.3 / (len(PASSING) + 2):.4f}" for kind in (*PASSING, "drip", "text_plain")),
    "clean",
    meets=0,
    changes={"retries": {"attempts": 30}},
    at_once=8,
)
"""All that pass together, at 30 % of the attempts in all."""

MIXED_REPLIES: Final = Case(tuple(f"{kind}={0.9 / len(REPLY):.4f}" for kind in REPLY), "clean", meets=0)
"""All faults of replies together, one in nine of ten decisions."""

CASES: Final[tuple[Case, ...]] = (
    *(_passing(kind, error_class) for kind, error_class in PASSING.items()),
    *(Case((kind + FIRST,), "clean") for kind in ("drip", "text_plain", "octet_stream")),
    *(_stopping(kind, "auth") for kind in ("401", "403", "key_400")),
    _stopping("quota", "quota"),
    Case(("429=1",), "infra:quota", "quota", meets=1, per="model", retry_after_s=3_600),
    Case(("404=1",), "infra:model_not_found", "model_not_found", meets=1),
    _parameter("bad_parameter", sampling=LIMIT, quirks={"token_parameter": "max_tokens"}),
    _parameter("old_parameter", sampling=LIMIT, quirks={"token_parameter": "max_completion_tokens"}),
    _parameter("bad_temperature", sampling={"temperature": 0.2}),
    _parameter("bad_format", 2, tool_turns=1, response_format="json_schema"),
    _parameter("bad_tool_choice", tool_turns=1, quirks={"last_turn": "forbid"}),
    Case(("context_overflow@1=1",), "retried", "context_overflow", meets=1, events=("context_compacted:tool_answers",)),
    Case(("context_overflow=1",), "infra:context_overflow", "context_overflow", meets=2),
    Case(
        ("filter_400=1",), "fallback:content_filter", "content_filter", 1, events=("fallback_decision:content_filter",)
    ),
    Case(("filter=1",), "fallback:content_filter", meets=1, events=("fallback_decision:content_filter",)),
    _recovered("fence", "parse_recovered:fence"),
    _recovered("prose", "parse_recovered:prose"),
    _recovered("think", "parse_recovered:reasoning"),
    _recovered("two_objects", "parse_recovered:several_objects", "parse_recovered:prose"),
    _recovered("trailing_comma", "parse_recovered:trailing_comma"),
    _recovered("typographic", "parse_recovered:typographic"),
    _recovered("number_text", "value_coerced:number_text"),
    _recovered("title_keys", "value_coerced:alias"),
    _recovered("unknown_ids", "item_dropped:unknown_sku"),
    _recovered("markup", "parse_recovered:call_markup"),
    Case(("unknown_tool=1",), "clean", meets=1, events=("tool_error:unknown_tool",)),
    Case(("bad_arguments=1",), "clean", meets=1, events=("tool_error:bad_arguments",)),
    Case(("equal_ids=1",), "clean", meets=1),
    Case(("no_ids=1",), "clean", meets=1),
    *_asked_again("truncated", "truncated"),
    *_asked_again("refusal", "refusal"),
    *_asked_again("no_json", "no_json"),
    *_asked_again("empty_content", "empty"),
    *_asked_again("endless_tools", "tool_budget", TOOL_TURNS + 1),
    Case(("unknown_only=1",), "reasked", meets=1, events=("reask:invalid",)),
    Case(("unknown_only_always=1",), "reasked", meets=2, events=("reask:invalid", "item_dropped:unknown_sku")),
    MIXED,
    MIXED_REPLIES,
)
"""Every kind, in the order of the table."""
