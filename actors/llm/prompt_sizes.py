"""How many tokens a model is sent: the prompts, the schemas, the answers of the tools, and a first request in all.

Sizes depend on the problem and on what happens. The largest round prompt is looked for in the problem of a panel that
gives the most to tell, played by rules with as many firms as are still named each, and then with all that can happen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Final, NamedTuple

from actors.llm.prompts.memory import ITEMS_SHOWN
from actors.llm.prompts.render import round_prompt, system_prompt
from actors.llm.prompts.sheet import ORDERS_SHOWN
from actors.llm.token_counts import count_tokens
from actors.llm.toolbox import standard_toolbox
from actors.llm.wire import canonical
from ecologies.ecology import RULE_NAMES
from ecologies.local import play_rounds
from ecologies.rules import RulePolicy, rule_policy
from erpsim.catalogue import MATERIALS, SKUS
from erpsim.conditions import conditions
from erpsim.cuts import Cut
from erpsim.decision import decision_schema
from erpsim.exogenous import material_prices
from erpsim.observation import Observation
from erpsim.problem import Problem
from erpsim.proposal import Proposal
from erpsim.state import OpenOrder
from erpsim.tool_arguments import ROUNDS_LIMIT
from erpsim.tools import TOOLS, call_tool

FIRMS: Final = 12
"""The most firms of which a report names each; in a larger market it names fewer."""
PRICES_CHARACTERS: Final = 25
"""Characters that six prices take beyond one."""
SYSTEM_LIMIT: Final = 3_000
ROUND_LIMIT: Final = 2_500


class Size(NamedTuple):
    """Tokens of one text, and the most that it may have; None where nothing bounds it."""

    what: str
    tokens: int
    limit: int | None = None


async def prompt_sizes(problems: Sequence[Problem], tool_turns: int = 6) -> tuple[Size, ...]:
    """Measure everything that a model is sent; plays one market of rules, which takes seconds."""
    problem = most_told(problems)
    seen = await observations(problem, FIRMS)
    opening = max((one for one in seen if one.round_number == 1), key=_prompt_tokens)
    later = max((one for one in seen if one.round_number > 1), key=_prompt_tokens, default=opening)
    system = count_tokens(system_prompt(FIRMS, problem.horizon, tool_turns))
    tools = count_tokens(canonical(list(standard_toolbox().offered())).decode())
    first = _prompt_tokens(opening)
    answers = [count_tokens(call_tool(tool.name, {}, later).text) for tool in TOOLS]
    longest = count_tokens(call_tool("get_demand", {"rounds": ROUNDS_LIMIT}, later).text)
    return (
        Size("system prompt", system, SYSTEM_LIMIT),
        Size("round prompt, round 1", first, ROUND_LIMIT),
        Size("round prompt, largest as played", _prompt_tokens(later), ROUND_LIMIT),
        Size("round prompt, with all that it can tell", _prompt_tokens(fullest(later)), ROUND_LIMIT),
        Size("tools with their schemas", tools),
        Size("decision schema, a part of them", count_tokens(canonical(decision_schema()).decode())),
        Size("tool answer, typical", round(median(answers))),
        Size("tool answer, largest", max(*answers, longest)),
        Size("first request: system, round 1, tools", system + first + tools),
    )


def most_told(problems: Sequence[Problem]) -> Problem:
    """The problem whose news and material prices take the most room in one round."""
    return max(problems, key=lambda problem: max(_room(problem, number) for number in range(1, problem.horizon + 1)))


async def observations(problem: Problem, n_firms: int) -> tuple[Observation, ...]:
    """What the firms of a market of rules see, round by round."""
    seats = [_Watched(rule_policy(RULE_NAMES[seat % len(RULE_NAMES)])) for seat in range(n_firms)]
    async for _ in play_rounds(problem, seats):
        pass
    return tuple(observation for seat in seats for observation in seat.seen)


def fullest(observation: Observation) -> Observation:
    """The same firm in all possible trouble: deliveries of everything, distress, a freeze, and all wishes cut."""
    if not observation.history:
        return observation
    orders = tuple(
        OpenOrder(material, 123_456, 10 + day, 0) for material in range(len(MATERIALS)) for day in range(ORDERS_SHOWN)
    )
    cut = tuple(
        Cut("production", SKUS[n], 48_000, 16_000, f"{_REASONS[n % len(_REASONS)]}") for n in range(ITEMS_SHOWN + 1)
    )
    past = replace(observation.history[-1], cuts=cut)
    money = replace(observation.finance, distressed=True, credit_frozen=True)
    return replace(observation, open_orders=orders, finance=money, history=(*observation.history[:-1], past))


_REASONS: Final = (
    "materials do not arrive in time",
    "not enough hours left on the line",
    "cash and unused credit bind",
)


@dataclass
class _Watched:
    """A rule, and what it was shown."""

    rule: RulePolicy
    seen: list[Observation] = field(default_factory=list)

    async def decide(self, observation: Observation) -> Proposal:
        self.seen.append(observation)
        return await self.rule.decide(observation)


def _room(problem: Problem, round_number: int) -> int:
    """Characters of a round's news, and of the prices of materials that do not cost the same all round."""
    prices = material_prices(problem, round_number)
    changing = int((prices != prices[0]).any(axis=0).sum())
    return sum(map(len, conditions(problem, round_number).news)) + changing * PRICES_CHARACTERS


def _prompt_tokens(observation: Observation) -> int:
    return count_tokens(round_prompt(observation))
