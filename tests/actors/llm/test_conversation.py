"""What a conversation took: an unknown count stays unknown."""

import pytest

from actors.llm.calls import Called, Reply, Tokens
from actors.llm.conversation import Conversation
from ecologies.model_entry import Prices
from erpsim.proposal import Usage


def _usage(*tokens: Tokens) -> Usage:
    talk = Conversation(Prices(input=1.0, output=1.0), [])
    for number, counted in enumerate(tokens):
        reply = Reply("{}", {"role": "assistant"}, f"text {number}", (), "stop", None, counted, "m||")
        talk.take(Called(reply, 0.0, 0.0))
    return talk.usage()


def test_counts_of_all_replies_are_added() -> None:
    usage = _usage(Tokens(prompt=10, completion=1), Tokens(prompt=20, completion=2))
    assert (usage.llm_calls, usage.tokens_in, usage.tokens_out) == (2, 30, 3)


@pytest.mark.parametrize("unknown", [Tokens(), Tokens(completion=5)])
def test_g2_25_a_reply_without_usage_leaves_the_count_unknown_and_not_too_small(unknown: Tokens) -> None:
    usage = _usage(Tokens(prompt=10, completion=1), unknown)
    assert (usage.llm_calls, usage.tokens_in, usage.cost_usd) == (2, None, None)


def test_each_kind_is_unknown_by_itself() -> None:
    assert _usage(Tokens(prompt=10)).tokens_in == 10
    assert _usage(Tokens(prompt=10)).tokens_out is None


def test_a_decision_without_any_reply_took_nothing() -> None:
    assert (_usage().tokens_in, _usage().tokens_out, _usage().cost_usd) == (0, 0, 0)
