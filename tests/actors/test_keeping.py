"""A firm actor keeps of finished rounds what its firms look at again, and nothing that holds on to a message."""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

from actors.keeping import as_remembered, with_own_reports
from ecologies import RULE_NAMES, rule_policy
from ecologies.local import play_rounds
from ecologies.policy import PolicySpec
from erpsim.offer import MarketReport, Sales
from erpsim.round import observe
from erpsim.state import NOTHING_ASKED, FirmState
from tests.actors.scripts import short_problems

(PROBLEM,) = short_problems(1)


async def sales_and_states() -> tuple[tuple[Sales, ...], tuple[FirmState, ...]]:
    """The sales of a last round and the states after it, all seats played by rules."""
    played = [one async for one in play_rounds(PROBLEM, [rule_policy(name) for name in RULE_NAMES])]
    return played[-1].sales, tuple(settled.state for settled in played[-1].settled)


def arrays_of(report: MarketReport) -> dict[str, np.ndarray]:
    values = {field.name: getattr(report, field.name) for field in fields(report)}
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


async def test_reports_are_copies_that_share_what_the_message_shares() -> None:
    sales, _ = await sales_and_states()
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(sales, protocol=5, buffer_callback=buffers.append)
    received: tuple[Sales, ...] = pickle.loads(text, buffers=buffers)
    kept = with_own_reports(received)
    for mine, theirs in zip(kept, received, strict=True):
        assert mine.sold is theirs.sold
        assert (mine.report.n_firms, mine.report.seats) == (theirs.report.n_firms, theirs.report.seats)
        for name, array in arrays_of(mine.report).items():
            assert array.base is None
            assert not array.flags.writeable
            np.testing.assert_array_equal(array, getattr(theirs.report, name))
    first = kept[0].report
    for other in kept[1:]:
        assert other.report.prices is first.prices
        assert other.report.shares is first.shares
        assert other.report.volume is first.volume
        assert other.report.rival_units is not first.rival_units


async def test_a_rule_forgets_what_it_decided_and_a_model_does_not() -> None:
    _, (state, *_) = await sales_and_states()
    assert all(past.decision.production for past in state.history)
    assert as_remembered(state, PolicySpec("model", "stand-in")) is state
    remembered = as_remembered(state, PolicySpec("rule", "balanced"))
    assert [past.decision for past in remembered.history] == [NOTHING_ASKED] * len(state.history)
    for mine, theirs in zip(remembered.history, state.history, strict=True):
        assert mine.prices is theirs.prices
        assert mine.report is theirs.report
    assert replace(remembered, history=state.history).balances is state.balances


@pytest.mark.parametrize("name", RULE_NAMES)
async def test_a_rule_decides_the_same_without_its_earlier_decisions(name: str) -> None:
    rule, problem = rule_policy(name), replace(PROBLEM, horizon=PROBLEM.horizon + 1)
    _, states = await sales_and_states()
    for state in states:
        forgetful = as_remembered(state, PolicySpec("rule", name))
        whole, part = observe(state, problem, len(states)), observe(forgetful, problem, len(states))
        assert (await rule.decide(part)).decision == (await rule.decide(whole)).decision
