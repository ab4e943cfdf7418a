"""From readings to a proposal, without any server."""

from __future__ import annotations

import pytest

from actors.llm.asking import propose
from actors.llm.calls import CallFailure, InfraFailure
from actors.llm.conversation import Conversation
from ecologies.models import Prices
from erpsim.events import Event, FallbackDecision, ParseRecovered, Reask, ValueCoerced
from erpsim.parsing import Failure, Reading
from erpsim.proposal import Proposal
from erpsim.reading import Cause
from tests.actors.llm.worlds import DECISION, PLACE

FENCE = ParseRecovered("fence")
UNREACHED = InfraFailure(PLACE, CallFailure("server", 500, 8, "boom"))


class Script:
    """Gives readings in order, and remembers what each ask was told."""

    def __init__(self, *readings: Reading | InfraFailure) -> None:
        self.readings = readings
        self.told: list[str | None] = []

    async def ask(self, number: int, failure: Failure | None) -> Reading | InfraFailure:
        assert number == len(self.told)
        self.told.append(failure.message if failure else None)
        return self.readings[number]


async def outcome(script: Script, reasks: int = 1) -> Proposal | InfraFailure:
    return await propose(Conversation(Prices(), []), reasks, script.ask)


async def proposed(*readings: Reading | InfraFailure, reasks: int = 1) -> Proposal:
    proposal = await outcome(Script(*readings), reasks)
    assert isinstance(proposal, Proposal)
    return proposal


def good(*events: Event) -> Reading:
    return Reading(DECISION, events, None)


def bad(message: str, cause: Cause = "invalid", partly: bool = False) -> Reading:
    return Reading(DECISION if partly else None, (), Failure(cause, message))


@pytest.mark.parametrize(
    ("events", "status"), [((), "clean"), ((ValueCoerced("absent_price"),), "clean"), ((FENCE,), "recovered")]
)
async def test_a_good_reading_is_proposed_with_the_worst_rung(events: tuple[Event, ...], status: str) -> None:
    proposal = await proposed(good(*events))
    assert (proposal.decision, proposal.status, proposal.events) == (DECISION, status, events)


async def test_a_bad_reading_is_asked_for_again_with_its_error() -> None:
    script = Script(bad("no prices"), good())
    proposal = await outcome(script)
    assert script.told == [None, "no prices"]
    assert isinstance(proposal, Proposal)
    assert (proposal.status, proposal.events) == ("reasked", (Reask("invalid", cause="no prices"),))


async def test_the_last_error_is_the_cause_of_the_fallback() -> None:
    proposal = await proposed(bad("first"), bad("second"), bad("third", "no_json"), reasks=2)
    assert (proposal.decision, proposal.status) == (None, "fallback")
    reasks = (Reask("invalid", cause="first"), Reask("invalid", cause="second"))
    assert proposal.events == (*reasks, FallbackDecision("no_json", cause="third"))


async def test_what_could_be_used_of_an_earlier_answer_is_used_at_last() -> None:
    proposal = await proposed(bad("half", partly=True), bad("none"))
    assert (proposal.decision, proposal.status) == (DECISION, "reasked")
    assert not [event for event in proposal.events if isinstance(event, FallbackDecision)]


async def test_a_content_filter_is_not_asked_again() -> None:
    script = Script(bad("withheld", "content_filter"), good())
    proposal = await outcome(script)
    assert script.told == [None]
    assert isinstance(proposal, Proposal)
    assert proposal.events == (FallbackDecision("content_filter", cause="withheld"),)


async def test_a_failure_of_the_infrastructure_ends_the_asking() -> None:
    assert await outcome(Script(UNREACHED)) is UNREACHED
    assert await outcome(Script(bad("none"), UNREACHED)) is UNREACHED
