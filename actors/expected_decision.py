"""What one decision of a model is assumed to take, from the prompts as they are and from bounds and limits.

    low       one call: the decision comes at once, without a tool
    expected  two calls: `TOOLS_ASKED` tools, then the decision
    high      every turn with tools used up, the last one and the re-asks, every answer as long as it may be

Prompts are those of a market of rules; other tokenizers and other conversations are within `BAND` of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Final, NamedTuple

from actors.expectation import Cases, Taking
from actors.llm.agent import AgentOptions
from actors.llm.prompts.render import round_prompt, system_prompt
from actors.llm.token_counts import BAND, count_tokens
from actors.llm.toolbox import standard_toolbox
from actors.llm.wire import canonical
from ecologies.ecology import RULE_NAMES
from ecologies.local import play_rounds
from ecologies.model_entry import ModelEntry
from ecologies.rules import RulePolicy, rule_policy
from erpsim.observation import Observation
from erpsim.problem import Problem
from erpsim.proposal import Proposal
from erpsim.recording import decision_json
from erpsim.tools import TOOLS, call_tool

LATENCY_S: Final = 10.0
"""Seconds of one call, unless a person says otherwise."""
TOOLS_ASKED: Final = 2
"""Tools that a decision asks for in the expected case, in one reply."""
WORDS: Final = 2.0
"""Length of an expected answer, x the decision's: models explain themselves."""
LONGEST_ANSWER: Final = 4_096
"""Tokens of an answer in the high case, where neither models file nor dialect bound it."""
MEASURED_FIRMS: Final = 30
"""Firms of the market whose texts are counted, at most; those of a larger one hardly differ in length."""
CALL_TOKENS: Final = 40
"""Tokens of one tool call as a model writes it."""


class Texts(NamedTuple):
    """Tokens of what a decision is made of.

    Attributes:
        first: its first request: system prompt, round prompt, tools.
        answer: a tool's answer, the middle one of six.
        longest_answer: the longest.
        decision: a decision.
    """

    first: int
    answer: int
    longest_answer: int
    decision: int


async def measure(problem: Problem, n_firms: int, tool_turns: int) -> Texts:
    """Measure the texts of one market that rules play, no larger than `MEASURED_FIRMS`; means over firms and rounds."""
    names = [RULE_NAMES[seat % len(RULE_NAMES)] for seat in range(min(n_firms, MEASURED_FIRMS))]
    seats = [_Seen(rule_policy(name), []) for name in names]
    decisions = [
        count_tokens(decision_json(turn.decision))
        async for played in play_rounds(problem, seats)
        for turn in played.turns
    ]
    seen = [observation for seat in seats for observation in seat.seen]
    fixed = system_prompt(n_firms, problem.horizon, tool_turns) + canonical(list(standard_toolbox().offered())).decode()
    prompts = mean(count_tokens(round_prompt(observation)) for observation in seen)
    answers = [count_tokens(call_tool(tool.name, {}, seen[-1]).text) for tool in TOOLS]
    first = count_tokens(fixed) + round(prompts)
    return Texts(first, round(median(answers)), max(answers), round(mean(decisions)))


def assumed(texts: Texts, entry: ModelEntry, options: AgentOptions, latency_s: float = LATENCY_S) -> Cases:
    """The three cases of one decision of a model; of a policy over HTTP the calls alone are known."""
    if entry.policy == "http":
        once, asked_again = Taking(1, latency_s=latency_s), Taking(1 + options.reasks, latency_s=latency_s)
        return Cases(once, once, asked_again)
    turn = CALL_TOKENS * TOOLS_ASKED + TOOLS_ASKED * texts.answer
    longest = entry.sampling.max_tokens or math.inf
    low = Taking(1, texts.first * (1 - BAND), min(texts.decision, longest), latency_s=latency_s)
    written = CALL_TOKENS * TOOLS_ASKED + min(WORDS * texts.decision, longest)
    expected = Taking(2, 2 * texts.first + turn, written, latency_s=latency_s)
    return Cases(low, expected, _most(texts, entry, options, latency_s))


def grounds(texts: Texts, options: AgentOptions, latencies_s: Sequence[float]) -> tuple[str, ...]:
    """Say what the three cases rest on."""
    most = options.tool_turns + 1 + options.reasks
    bounds = f"{options.tool_turns} turns with tools, the last one, {options.reasks} re-asks"
    sizes = f"a first request has about {texts.first:,} tokens, a tool's answer {texts.answer:,}"
    lasting = f"{min(latencies_s):g}" + (f" to {max(latencies_s):g}" if len(set(latencies_s)) > 1 else "")
    limit = f"sampling.max_tokens at every call ({LONGEST_ANSWER:,} where nothing bounds it)"
    return (
        f"calls of a decision: 1, 2 or {most} ({bounds}); failed attempts are not foreseen",
        f"{sizes}, a decision {texts.decision:,}; tokenizers differ by {BAND:.0%}",
        f"an answer is the decision alone, {WORDS:g} times as long, or {limit}; no other case has room for reasoning",
        "nothing is taken as read from a cache, which would make it cheaper",
        f"a call is assumed to last {lasting} s (--latency); connections and limits are those of the models file",
    )


def _most(texts: Texts, entry: ModelEntry, options: AgentOptions, latency_s: float) -> Taking:
    """Every call is sent all that came before it; what is written is sent again, up to the longest answer."""
    calls = options.tool_turns + 1 + options.reasks
    longest = entry.sampling.max_tokens or entry.speaks.max_tokens or LONGEST_ANSWER
    step = CALL_TOKENS * TOOLS_ASKED + TOOLS_ASKED * texts.longest_answer
    turns = sum(texts.first + number * step for number in range(options.tool_turns + 1))
    again = sum(texts.first + options.tool_turns * step + number * longest for number in range(1, options.reasks + 1))
    return Taking(calls, (turns + again) * (1 + BAND), calls * longest, latency_s=latency_s)


@dataclass
class _Seen:
    """A rule, and what it was shown."""

    rule: RulePolicy
    seen: list[Observation]

    async def decide(self, observation: Observation) -> Proposal:
        self.seen.append(observation)
        return await self.rule.decide(observation)
