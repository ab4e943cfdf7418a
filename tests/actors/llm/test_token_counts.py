import sys

import pytest

from actors.llm import token_counts
from actors.llm.prompts.render import round_prompt, system_prompt
from actors.llm.token_counts import BAND, PACKAGE, count_tokens, estimate_tokens, has_tokenizer
from actors.llm.toolbox import standard_toolbox
from actors.llm.wire import canonical
from erpsim.tools import TOOLS, call_tool
from tests.actors.llm.worlds import DECISION, later_observation, opening_observation

WHY = "the tokenizer is not installed; it is the extra `tokens`"


def texts() -> dict[str, str]:
    """Texts of every kind that goes to a model and comes from it."""
    seen = {"opening": opening_observation(), "later": later_observation()}
    answers = {
        f"{tool.name} {name}": call_tool(tool.name, {}, observation).text
        for tool in TOOLS
        for name, observation in seen.items()
    }
    return {
        "system": system_prompt(6, 6, 6),
        "tools": canonical(list(standard_toolbox().offered())).decode(),
        "decision": DECISION.model_dump_json(),
        **{f"round {name}": round_prompt(observation) for name, observation in seen.items()},
        **answers,
    }


def test_an_estimate_weighs_characters_by_kind() -> None:
    # 5 letters 1.43, 3 digits 1.839, one point 1.96; the blank weighs nothing
    assert estimate_tokens("price 4.40") == round(1.43 + 1.839 + 1.96) == 5
    assert estimate_tokens("") == 0
    assert estimate_tokens("ß" * 100) == 35
    assert estimate_tokens("|" * 10) == 21


def test_half_a_character_is_estimated_too() -> None:
    assert estimate_tokens("abc\ud800") == 1


def test_without_the_package_tokens_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    token_counts._encoder.cache_clear()
    try:
        assert not has_tokenizer()
        assert count_tokens("price 4.40") == estimate_tokens("price 4.40")
    finally:
        token_counts._encoder.cache_clear()


def test_tokens_are_counted_with_the_package() -> None:
    pytest.importorskip(PACKAGE, reason=WHY)
    assert has_tokenizer()
    assert count_tokens("price 4.40") == 5  # "price", " ", "4", ".", "40"


@pytest.mark.parametrize("name", sorted(texts()))
def test_the_estimate_lies_within_its_band_of_the_count(name: str) -> None:
    pytest.importorskip(PACKAGE, reason=WHY)
    text = texts()[name]
    assert estimate_tokens(text) == pytest.approx(count_tokens(text), rel=BAND)
