from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from actors.journal import Journal
from actors.message_parts import Message, Part
from actors.run_file import JOURNAL_NAME
from actors.transcript import Place, Transcript, read_places, read_transcript
from tests.actors import talks


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    await talks.play(tmp_path)
    opened = Journal(tmp_path / JOURNAL_NAME, writable=False)
    yield opened
    opened.close()


def read(journal: Journal, seat: int, number: int, market: str = talks.ARENA) -> Transcript:
    (place,) = [one for one in read_places(journal, market) if (one.seat, one.round) == (seat, number)]
    return read_transcript(journal, place)


def test_places_name_firm_and_policy_also_of_rules_and_of_rounds_under_way(journal: Journal) -> None:
    places = read_places(journal, talks.ARENA)
    assert [(place.round, place.seat) for place in places] == [
        *((number, seat) for number in (1, 2) for seat in range(6)),
        (3, 0),
    ]
    assert places[0] == Place(talks.ARENA, 1, 0, "Almond", "ma", "model")
    assert {place.kind for place in read_places(journal, talks.SOLO)} == {"model", "rule"}
    assert read_places(journal, "nowhere") == ()


def test_a_conversation_is_told_in_order_with_every_attempt(journal: Journal) -> None:
    found = read(journal, 0, 1)
    assert [(one.ask, one.turn, len(one.messages)) for one in found.exchanges] == [(0, 0, 2), (0, 1, 1), (1, 2, 1)]
    first = found.exchanges[0]
    assert first.settings == {"model": "m-1", "temperature": 0.5, "tools_offered": True, "messages_before": 0}
    assert [message.role for message in first.messages] == ["system", "user"]
    assert first.messages[1].parts[0].text.endswith("end")
    assert first.reply == Message(
        "assistant",
        (
            Part("reasoning", f"let me {talks.ESCAPE} look"),
            Part("tool_call", '{"parts":["limits"]}', "get_finance", "c1"),
        ),
    )
    refused, replied = first.attempts
    assert (refused.number, refused.status, refused.error_class, refused.used) == (1, 429, "rate", False)
    assert (replied.number, replied.status, replied.error_class, replied.used) == (2, 200, "", True)
    assert replied.tokens == {"prompt": 1_200, "cached": None, "written": None, "completion": 30, "reasoning": 20}
    assert found.exchanges[1].messages[0].parts == (Part("tool_answer", '{"cash":1}', call_id="c1"),)
    assert found.seconds["queue_s"] == 0.5


def test_blocks_of_the_messages_form_are_read_and_a_body_without_a_message_is_shown(journal: Journal) -> None:
    first, second = read(journal, 1, 1).exchanges
    assert first.reply is not None
    assert [part.kind for part in first.reply.parts] == ["reasoning", "text", "tool_call", "other"]
    assert second.messages[0].parts == (Part("tool_answer", "{}", call_id="t1"),)
    assert second.reply == Message("assistant", (Part("other", "<html>", "body"),))


def test_what_was_executed_tells_what_repair_cut(journal: Journal) -> None:
    found = read(journal, 1, 1)
    assert found.executed is not None
    assert found.executed.committed
    (borrow,) = [cut for cut in found.executed.cuts if cut.what == "borrow"]
    assert borrow.asked == 1e9
    assert borrow.granted < 1e9
    assert borrow.why.startswith("at most the unused credit limit")
    assert "finance_adjusted" in {event["category"] for event in found.events}


def test_a_fallback_has_no_proposal_and_no_cut(journal: Journal) -> None:
    executed = read(journal, 3, 2).executed
    assert executed is not None
    assert (executed.status, executed.asked, executed.cuts) == ("fallback", None, ())


def test_a_round_that_is_not_committed_says_so_and_one_under_way_has_no_decision(journal: Journal) -> None:
    waiting, under_way = read(journal, 0, 2), read(journal, 0, 3)
    assert waiting.executed is not None
    assert not waiting.executed.committed
    assert [failure["cause"] for failure in waiting.failures] == ["overloaded"]
    assert under_way.executed is None
    assert under_way.exchanges[0].reply is None
    assert under_way.exchanges[0].attempts[0].status is None


def test_requests_that_differ_at_one_place_stand_apart_and_only_the_last_reply_is_used(journal: Journal) -> None:
    exchanges = read(journal, 0, 2).exchanges
    assert [(one.digest, one.attempts[0].used) for one in exchanges] == [("old", False), ("new", True)]


def test_a_rule_has_events_and_a_decision_but_no_call(journal: Journal) -> None:
    found = read(journal, 0, 1, talks.SOLO)
    assert found.place.kind == "rule"
    assert found.exchanges == ()
    assert found.executed is not None


def test_a_request_that_is_no_json_has_no_messages(journal: Journal) -> None:
    assert [one.messages for one in read(journal, 0, 1, talks.ODD).exchanges] == [(), (), ()]
