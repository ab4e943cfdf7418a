"""What every dialect must do alike: a whole decision, a re-ask, a submission, the last turn, and each error's class."""

import pytest

from actors.llm.calls import RETRYABLE, InfraFailure
from actors.llm.toolbox import SUBMIT
from erpsim.proposal import Proposal
from tests.actors.llm.dialects.provider import GOOD, Call, Error, Given, Provider, play
from tests.actors.llm.dialects.test_anthropic import ANTHROPIC
from tests.actors.llm.dialects.test_deepseek import DEEPSEEK
from tests.actors.llm.dialects.test_doubao import DOUBAO
from tests.actors.llm.dialects.test_gemini import GEMINI
from tests.actors.llm.dialects.test_llama_cpp import LLAMA_CPP
from tests.actors.llm.dialects.test_ollama import OLLAMA
from tests.actors.llm.dialects.test_openai import OPENAI
from tests.actors.llm.dialects.test_qwen import QWEN
from tests.actors.llm.dialects.test_vllm import VLLM
from tests.actors.llm.peers import CANARY
from tests.actors.llm.worlds import DECISION

PROVIDERS = (OPENAI, ANTHROPIC, GEMINI, DEEPSEEK, QWEN, DOUBAO, VLLM, LLAMA_CPP, OLLAMA)
each = pytest.mark.parametrize("provider", PROVIDERS, ids=[provider.dialect for provider in PROVIDERS])
ERRORS = [
    pytest.param(provider, error, id=f"{provider.dialect}-{error.status}-{error.error_class}-{index}")
    for provider in PROVIDERS
    for index, error in enumerate(provider.errors)
]
PARALLEL = [Call("call_a", "get_finance"), Call("call_b", "get_demand", {"skus": ["NUT-500"], "rounds": 2})]


@each
async def test_tools_then_a_decision(provider: Provider) -> None:
    played = await play(
        provider,
        provider.calls(PARALLEL),
        provider.calls([Call("call_c", "get_weather"), Call("call_d", "get_carbon")]),
        provider.text(GOOD, "stop"),
    )
    assert played.complaints == []
    assert played.proposal.decision == DECISION
    assert [code for code in played.codes if code.startswith("tool_error")] == ["tool_error:unknown_tool"]
    usage = played.proposal.usage
    assert (usage.llm_calls, usage.tool_calls) == (3, 4)
    assert (usage.tokens_in, usage.tokens_out) == (3 * provider.tokens[0], 3 * provider.tokens[1])
    assert played.proposal.usage.route.startswith("served-model|")


@each
async def test_an_unusable_answer_is_asked_for_again(provider: Provider) -> None:
    played = await play(
        provider, provider.text("I would rather not.", "stop"), provider.calls(PARALLEL), provider.text(GOOD, "stop")
    )
    assert played.complaints == []
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "reasked")


@each
async def test_an_empty_answer_is_asked_for_again_in_a_conversation_that_the_provider_takes(provider: Provider) -> None:
    played = await play(provider, provider.text("", "stop"), provider.text(GOOD, "stop"))
    assert played.complaints == []
    assert played.codes[0] == "reask:empty"
    assert played.proposal.decision == DECISION


@each
async def test_a_decision_that_is_handed_in_and_refused_is_handed_in_again(provider: Provider) -> None:
    played = await play(
        provider,
        provider.calls([Call("call_a", SUBMIT, {"production": [{"sku": "CORN-9", "quantity": 16000}]})]),
        provider.calls([Call("call_b", SUBMIT, DECISION.model_dump(mode="json"))]),
    )
    assert played.complaints == []
    assert (played.proposal.decision, played.proposal.status) == (DECISION, "reasked")


@each
async def test_the_last_turn_keeps_the_model_from_calling_and_the_provider_takes_it(provider: Provider) -> None:
    played = await play(provider, provider.calls(PARALLEL), provider.text(GOOD, "stop"), tool_turns=1)
    assert played.complaints == []
    assert played.proposal.decision == DECISION
    last = played.posted[-1].body
    assert "tools" not in last or last["tool_choice"] in ("none", {"type": "none"})


@each
async def test_an_answer_cut_at_its_limit_is_truncated_and_never_a_decision(provider: Provider) -> None:
    played = await play(provider, provider.text(GOOD[:300], provider.truncated), provider.text("", provider.truncated))
    assert played.complaints == []
    assert played.codes == ["reask:truncated", "fallback_decision:truncated"]


@each
async def test_a_name_that_no_provider_takes_back_is_answered_and_goes_back_in_a_form_that_it_takes(
    provider: Provider,
) -> None:
    played = await play(provider, provider.calls([Call("call_a", "get finance!")]), provider.text(GOOD, "stop"))
    assert played.complaints == []
    assert "tool_error:unknown_tool" in played.codes


@each
async def test_a_decision_goes_on_after_a_resume_with_the_very_bytes(provider: Provider) -> None:
    script = (provider.calls(PARALLEL), provider.text(GOOD, "stop"))
    whole = await play(provider, *script)
    cut = await play(provider, script[0], Given({"error": {"message": "gone"}}, 404))
    assert isinstance(cut.outcome, InfraFailure)
    resumed = await play(provider, script[1], journal=cut.journal)
    assert resumed.complaints == []
    assert [posted.body for posted in resumed.posted] == [whole.posted[1].body]
    assert resumed.proposal.decision == DECISION


@pytest.mark.parametrize(("provider", "error"), ERRORS)
async def test_errors_have_their_class(provider: Provider, error: Error) -> None:
    played = await play(provider, Given(error.body, error.status), provider.text(GOOD, "stop"))
    assert played.classes[0] == error.error_class
    if error.error_class in RETRYABLE:
        assert played.classes == [error.error_class, ""]
        assert played.proposal.status == "clean"
    elif error.error_class == "content_filter":
        assert isinstance(played.outcome, Proposal)
        assert played.codes == ["fallback_decision:content_filter"]
    else:
        assert len(played.posted) == 1
        assert isinstance(played.outcome, InfraFailure)
    assert CANARY not in repr(played.journal.records)
