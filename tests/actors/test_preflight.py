"""One decision of each model before a run: what ends the run, what is said, what is journaled, what is learnt."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from actors.entries import read_learnt
from actors.journal import Journal
from actors.llm.agent import AgentOptions
from actors.llm.keys import Keys
from actors.llm.switches import Switches
from actors.preflight import Checked, Circumstances, View, check, require_usable, views
from actors.preflight_replies import PREFLIGHT, replies_of_preflights
from ecologies.arena import arena_market
from ecologies.model_entry import ModelEntry
from ecologies.policy import PolicySpec
from ecologies.solo import solo_market
from ecologies.work import WorkUnit
from erpsim.errors import ProviderError
from tests.actors.llm.peers import CANARY, Answer, called, entry, said, serving
from tests.actors.llm.worlds import DECISION, later_observation, opening_observation, small_problem

GOOD = DECISION.model_dump_json()
TOOLS = called(("a", "get_finance"))
MANY = {"prompt_tokens": 9_000, "completion_tokens": 10}
VIEW = View(0, opening_observation())


def counted(answer: Answer, usage: Any = MANY) -> Answer:
    """The answer with another count of tokens."""
    body = json.loads(answer.body)
    return Answer(json.dumps({**body, "usage": usage}))


def error(status: int, message: str, **fields: Any) -> Answer:
    return Answer(json.dumps({"error": {"message": message, **fields}}), status)


async def checked(*answers: Answer, **changes: Any) -> Checked:
    """Check one model against a script."""
    async with serving(answers) as peer:
        model = entry(peer.url, **changes)
        (found,) = await check([model], {model.label: VIEW}, Circumstances(Keys({"CANARY_KEY": CANARY})))
        return found


async def test_a_model_that_calls_tools_and_decides_has_no_warning() -> None:
    found = await checked(counted(TOOLS), counted(said(GOOD)))
    assert (found.failure, found.warnings, found.fatal) == (None, (), False)
    assert found.proposal is not None
    assert found.proposal.decision == DECISION
    assert (found.usage.tool_calls, found.usage.tokens_in) == (1, 18_000)
    require_usable([found])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            error(401, "Incorrect API key", code="invalid_api_key"),
            "the key in CANARY_KEY was refused: Incorrect API key",
        ),
        (error(403, "Forbidden"), "the key in CANARY_KEY was refused: Forbidden"),
        (error(400, "API key not valid. Please pass a valid API key."), "the key in CANARY_KEY was refused"),
        (error(404, "The model does not exist", code="model_not_found"), "is not known at its server"),
        (error(402, "Insufficient Balance"), "the quota of its account is spent"),
        (error(429, "You exceeded your current quota", code="insufficient_quota"), "the quota of its account is spent"),
        (error(400, "thinking.budget must be below max"), "its server takes no such request"),
        (error(400, "This model's maximum context length is 2048 tokens"), "its context is too short"),
    ],
)
async def test_g2_21_what_every_call_would_meet_ends_the_run_in_one_line_with_the_mend(
    answer: Answer, words: str
) -> None:
    found = await checked(answer)
    assert found.fatal
    with pytest.raises(ProviderError, match=r"^model test/model: ") as raised:
        require_usable([found])
    assert words in str(raised.value)
    assert CANARY not in str(raised.value)


async def test_a_key_that_the_server_repeats_is_hidden() -> None:
    found = await checked(error(401, f"Incorrect API key provided: {CANARY}"))
    with pytest.raises(ProviderError) as raised:
        require_usable([found])
    assert CANARY not in str(raised.value)
    assert "set CANARY_KEY to a key that may use 'm-1'" in str(raised.value)


async def test_a_server_that_is_not_there_is_fatal_and_named_with_its_address() -> None:
    model = entry("http://127.0.0.1:9/v1")
    (found,) = await check([model], {model.label: VIEW}, Circumstances(Keys({"CANARY_KEY": CANARY})))
    assert found.failure is not None
    assert found.failure.attempts == 3
    with pytest.raises(ProviderError, match=r"http://127\.0\.0\.1:9/v1/chat/completions cannot be reached"):
        require_usable([found])


async def test_a_busy_server_is_no_reason_to_stop() -> None:
    found = await checked(error(503, "overloaded"))
    assert not found.fatal
    assert len(found.warnings) == 1
    assert "could not be asked (overloaded: overloaded); the run will try again" in found.warnings[0]
    require_usable([found])


async def test_no_tool_call_is_a_warning() -> None:
    found = await checked(counted(said(GOOD)))
    assert found.warnings == ("made no tool call; see whether its server has tools turned on",)


async def test_no_usable_decision_is_a_warning_with_its_cause() -> None:
    found = await checked(counted(TOOLS), counted(said("I would rather not.")))
    (warning,) = found.warnings
    assert warning.startswith("gave no usable decision (no_json: ")


async def test_g2_27_an_empty_reply_whose_tokens_went_into_reasoning_is_told_with_the_numbers() -> None:
    usage = {"prompt_tokens": 9_000, "completion_tokens": 64, "completion_tokens_details": {"reasoning_tokens": 64}}
    found = await checked(counted(TOOLS), counted(said("", "stop"), usage))
    assert any(
        "a reply was empty after 64 tokens, 64 of them reasoning; raise sampling.max_tokens" in w
        for w in found.warnings
    )


async def test_a_reply_cut_at_its_limit_is_told() -> None:
    usage = {"prompt_tokens": 9_000, "completion_tokens": 50}
    found = await checked(counted(TOOLS), counted(said('{"prices": {', "length"), usage), counted(said(GOOD)))
    assert [w for w in found.warnings if w.startswith("a reply was cut off after 50 tokens; raise")]
    assert found.proposal is not None
    assert found.proposal.status == "reasked"


async def test_a_prompt_that_its_server_counts_far_too_low_is_told() -> None:
    found = await checked(counted(TOOLS, {"prompt_tokens": 900, "completion_tokens": 9}), counted(said(GOOD)))
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("its server counts 900 tokens of a prompt of about ")


async def test_a_count_a_third_lower_than_ours_is_another_tokenizer_and_no_cut() -> None:
    few = await checked(counted(TOOLS, {"prompt_tokens": 1, "completion_tokens": 9}), counted(said(GOOD)))
    about = re.search(r"of a prompt of about ([\d,]+)", few.warnings[0])
    assert about is not None
    usage = {"prompt_tokens": round(int(about[1].replace(",", "")) * 0.66), "completion_tokens": 9}
    assert not (await checked(counted(TOOLS, usage), counted(said(GOOD)))).warnings


async def test_g2_25_a_server_that_counts_nothing_is_told() -> None:
    found = await checked(counted(TOOLS, None), counted(said(GOOD), None))
    assert found.warnings == ("its server counts no tokens, so tokens and cost stay unknown",)


@contextmanager
def journal(folder: Path) -> Iterator[Journal]:
    opened = Journal(folder / "journal.db", writable=True)
    try:
        yield opened
    finally:
        opened.close()


async def test_its_calls_are_journaled_under_a_market_of_their_own_and_what_is_learnt_is_kept(tmp_path: Path) -> None:
    wants = error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens")
    with journal(tmp_path) as opened:
        async with serving([wants, counted(TOOLS), counted(said(GOOD))]) as peer:
            model = entry(peer.url, sampling={"max_tokens": 900}, prices={"input": 1.0, "output": 1.0})
            around = Circumstances(Keys({"CANARY_KEY": CANARY}), write=opened.write)
            (found,) = await check([model], {model.label: VIEW}, around)
        assert not found.warnings
        assert json.loads(found.switches) == {"token_parameter": "max_completion_tokens"}
        assert [row.key[:2] for row in opened.rows("calls")] == [(PREFLIGHT, 1)] * 3
        assert read_learnt(opened.rows("learnt"))[model.label] == Switches(token_parameter="max_completion_tokens")
        totals = opened.call_totals()
        assert (totals.calls, totals.failed, totals.tokens_in) == (3, 1, 18_000)
        assert totals.cost_usd == pytest.approx(0.01802)
        assert not list(opened.rows("events", uncommitted=True))


async def checked_on(opened: Journal, models: Sequence[ModelEntry], view: View = VIEW) -> tuple[Checked, ...]:
    """Check models as one play of a run does, by what its journal holds."""
    replies = replies_of_preflights(opened)
    around = Circumstances(Keys({"CANARY_KEY": CANARY}), replies=replies, write=opened.write)
    return await check(models, {model.label: view for model in models}, around)


async def test_a_reply_that_the_journal_holds_is_not_asked_for_again_and_its_warnings_are_told_again(
    tmp_path: Path,
) -> None:
    script = [counted(TOOLS, {"prompt_tokens": 900, "completion_tokens": 9}), counted(said(GOOD))]
    with journal(tmp_path) as opened:
        async with serving(script) as peer:
            plays = [await checked_on(opened, [entry(peer.url)]) for _ in range(3)]
            assert len(peer.bodies) == 2
        assert opened.call_totals().calls == 2
    first, *later = [found for (found,) in plays]
    assert first.warnings[0].startswith("its server counts 900 tokens of a prompt of about ")
    assert [found.warnings for found in later] == [first.warnings] * 2
    assert [found.proposal and found.proposal.decision for found in (first, *later)] == [DECISION] * 3


async def test_a_preflight_that_failed_on_its_way_goes_on_from_the_reply_that_came(tmp_path: Path) -> None:
    script = [counted(TOOLS), error(401, "no"), counted(said(GOOD))]
    with journal(tmp_path) as opened:
        async with serving(script) as peer:
            (failed,) = await checked_on(opened, [entry(peer.url)])
            assert failed.fatal
            (found,) = await checked_on(opened, [entry(peer.url)])
            assert len(peer.bodies) == 3
            assert peer.bodies[1] == peer.bodies[2]
    assert (found.failure, found.warnings) == (None, ())
    assert found.usage.tool_calls == 1


async def test_a_request_that_has_changed_is_sent(tmp_path: Path) -> None:
    other = View(0, later_observation())
    with journal(tmp_path) as opened:
        async with serving([counted(said(GOOD)), counted(said(GOOD))]) as peer:
            for view in (VIEW, other, other, VIEW):
                await checked_on(opened, [entry(peer.url)], view)
            assert len(peer.bodies) == 2
            assert peer.bodies[0] != peer.bodies[1]


async def test_two_labels_of_one_model_have_their_own_replies(tmp_path: Path) -> None:
    with journal(tmp_path) as opened:
        async with serving([counted(TOOLS), counted(said(GOOD))]) as one, serving([counted(said(GOOD))]) as two:
            models = [entry(one.url, label="one"), entry(two.url, label="two")]
            await checked_on(opened, models[:1])
            for _ in range(2):
                found = await checked_on(opened, models)
                assert [each.usage.tool_calls for each in found] == [1, 0]
            assert (len(one.bodies), len(two.bodies)) == (2, 1)


async def test_what_was_learnt_before_is_sent_from_the_first_request_on() -> None:
    async with serving([counted(TOOLS), counted(said(GOOD))]) as peer:
        model = entry(peer.url, sampling={"max_tokens": 900})
        known = {model.label: Switches(token_parameter="max_completion_tokens")}
        await check([model], {model.label: VIEW}, Circumstances(Keys({"CANARY_KEY": CANARY}), learnt=known))
        assert peer.bodies[0]["max_completion_tokens"] == 900
        assert "max_tokens" not in peer.bodies[0]


async def test_the_options_of_the_run_bound_the_decision() -> None:
    async with serving([counted(TOOLS)]) as peer:
        model = entry(peer.url)
        around = Circumstances(Keys({"CANARY_KEY": CANARY}), AgentOptions(tool_turns=1, reasks=0))
        (found,) = await check([model], {model.label: VIEW}, around)
        assert len(peer.bodies) == 2
    assert found.warnings[0].startswith("gave no usable decision (tool_budget")


async def test_a_wrong_key_does_not_wait_for_a_slow_model_and_is_told_once_for_its_account() -> None:
    async with serving([error(401, "no")]) as wrong, serving([Answer(how="hang")]) as slow:
        models = [
            entry(wrong.url, label="one", account="shared", limits={"connections": 1}),
            entry(wrong.url, label="two", account="shared", limits={"connections": 1}),
            entry(slow.url, label="slow", account="other"),
        ]
        shown = {model.label: VIEW for model in models}
        found = await check(models, shown, Circumstances(Keys({"CANARY_KEY": CANARY})))
    assert [one.entry.label for one in found] == ["one", "two"]
    with pytest.raises(ProviderError) as raised:
        require_usable(found)
    assert str(raised.value).count("model ") == 1


async def test_every_server_that_refuses_is_named() -> None:
    async with serving([error(401, "no")]) as wrong, serving([error(404, "no such model")]) as missing:
        models = [entry(wrong.url, label="one"), entry(missing.url, label="two")]
        found = await check(
            models, {model.label: VIEW for model in models}, Circumstances(Keys({"CANARY_KEY": CANARY}))
        )
    with pytest.raises(ProviderError, match=r"model one: the key in CANARY_KEY .*; and model two: is not known"):
        require_usable(found)


async def test_a_policy_over_http_is_asked_as_the_run_asks_it() -> None:
    body = json.dumps({"decision": DECISION.model_dump(mode="json")})
    async with serving([Answer(body)]) as peer:
        model = entry(f"{peer.url}/chat/completions", policy="http")
        (found,) = await check([model], {model.label: VIEW}, Circumstances(Keys({"CANARY_KEY": CANARY})))
        assert "observation" in peer.bodies[0]
    assert (found.failure, found.warnings) == (None, ())
    assert found.proposal is not None
    assert found.proposal.decision == DECISION


async def test_an_empty_answer_of_a_policy_over_http_is_told_without_a_models_mend() -> None:
    async with serving([Answer("")]) as peer:
        model = entry(f"{peer.url}/chat/completions", policy="http")
        (found,) = await check([model], {model.label: VIEW}, Circumstances(Keys({"CANARY_KEY": CANARY})))
    (warning,) = found.warnings
    assert warning.startswith("gave no usable decision (empty: ")


def test_each_model_is_shown_the_first_market_that_seats_it() -> None:
    entries: Sequence[ModelEntry] = [entry("http://127.0.0.1:9/v1", label=label) for label in "abcdef"]
    problem = small_problem()
    solo = WorkUnit(solo_market("P900", PolicySpec("model", "b"), 1), problem)
    arena = WorkUnit(arena_market("P900", tuple(one.spec for one in entries)), problem)
    assert set(views([solo], entries)) == {"b"}
    found = views([solo, arena], entries)
    assert set(found) == set("abcdef")
    assert (found["a"].seat, len(found["a"].observation.firms)) == (0, 6)
    assert found["b"].seat == solo.market.model_seats[0]
    assert found["a"].observation.round_number == 1


async def test_g2_29_a_retired_model_ends_the_run_and_is_named_with_its_address() -> None:
    async with serving([error(404, "not_found_error: model")]) as peer:
        model = entry(peer.url)
        (found,) = await check([model], {model.label: VIEW}, Circumstances(Keys({"CANARY_KEY": CANARY})))
    with pytest.raises(ProviderError) as raised:
        require_usable([found])
    assert f"is not known at its server: {peer.url}/chat/completions, model 'm-1': " in str(raised.value)
    assert str(raised.value).endswith("; mend model or base_url in the models file")
