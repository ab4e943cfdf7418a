from dataclasses import replace

import pytest

from actors.llm.prompt_sizes import FIRMS, ROUND_LIMIT, SYSTEM_LIMIT, fullest, most_told, observations, prompt_sizes
from actors.llm.prompts.render import round_prompt, system_prompt
from actors.llm.token_counts import PACKAGE, count_tokens
from ecologies.problems import shipped_panel
from tests.actors.llm.test_token_counts import WHY
from tests.actors.llm.worlds import later_observation, opening_observation, small_problem


def test_the_system_prompt_keeps_within_its_tokens() -> None:
    pytest.importorskip(PACKAGE, reason=WHY)
    assert count_tokens(system_prompt(FIRMS, 60, 12)) <= SYSTEM_LIMIT


@pytest.mark.slow
async def test_every_round_prompt_keeps_within_its_tokens_whatever_happens() -> None:
    pytest.importorskip(PACKAGE, reason=WHY)
    problem = most_told(shipped_panel().problems)
    seen = await observations(problem, FIRMS)
    assert len(seen) == FIRMS * problem.horizon
    assert max(count_tokens(round_prompt(fullest(one))) for one in seen) <= ROUND_LIMIT


async def test_what_the_firms_of_a_market_see_is_gathered() -> None:
    seen = await observations(replace(small_problem(), horizon=2), 2)
    assert [(one.firm, one.round_number) for one in seen] == [
        ("Almond", 1),
        ("Almond", 2),
        ("Barley", 1),
        ("Barley", 2),
    ]


def test_a_firm_in_all_trouble_is_told_all_of_it() -> None:
    assert fullest(opening_observation()) == opening_observation()
    full = fullest(later_observation())
    assert full.finance.distressed
    assert "and 1 more" in round_prompt(full)


@pytest.mark.slow
async def test_the_sizes_add_up_and_keep_within_their_limits() -> None:
    pytest.importorskip(PACKAGE, reason=WHY)
    sizes = {size.what: size for size in await prompt_sizes(shipped_panel().problems)}
    assert [size for size in sizes.values() if size.limit is not None and size.tokens > size.limit] == []
    parts = ("system prompt", "round prompt, round 1", "tools with their schemas")
    assert sizes["first request: system, round 1, tools"].tokens == sum(sizes[name].tokens for name in parts)
    assert sizes["tool answer, typical"].tokens < sizes["tool answer, largest"].tokens
    assert sizes["decision schema, a part of them"].tokens < sizes["tools with their schemas"].tokens
