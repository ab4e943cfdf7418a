import copy
import json
from typing import Any

import pytest

from actors.llm.calls import Reply
from actors.llm.chat import read_reply
from actors.llm.standin_reply import complete, noise_of
from actors.llm.standin_styles import STYLES
from actors.llm.standin_view import FIGURES, NEEDED_TOOLS
from erpsim.parsing import read_decision
from tests.actors.llm.standin_talks import (
    Result,
    ask,
    asked_again,
    at_the_end,
    looked_up,
    message_of,
    opening,
    results,
    text_of,
)
from tests.actors.llm.worlds import later_observation, opening_observation

EVERY_MODEL = pytest.mark.parametrize("model", list(STYLES))
CLEAN = "standin/a"


def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every chance of a defect away."""
    for style in STYLES.values():
        monkeypatch.setattr("actors.llm.standin_reply.STYLES", STYLES)
        monkeypatch.setitem(style.__dict__, "defects", {})


@EVERY_MODEL
def test_a_decision_starts_with_tool_calls(model: str) -> None:
    answer = ask(model, opening(opening_observation()))
    names = [call["function"]["name"] for call in message_of(answer)["tool_calls"]]
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
    assert len(set(NEEDED_TOOLS) & set(names)) >= len(NEEDED_TOOLS) - 1
    assert len({call["id"] for call in message_of(answer)["tool_calls"]}) == len(names)


@EVERY_MODEL
def test_an_answer_is_a_function_of_request_and_seed(model: str) -> None:
    messages = looked_up(later_observation())
    assert ask(model, messages, seed=3) == ask(model, messages, seed=3)
    assert ask(model, messages, seed=3)["id"] != ask(model, messages, seed=4)["id"]


@EVERY_MODEL
def test_most_answers_hold_a_whole_decision(model: str) -> None:
    messages = looked_up(later_observation())
    answers = [ask(model, messages, seed) for seed in range(40)]
    readings = [
        read_decision(text_of(answer), answer["choices"][0]["finish_reason"])
        for answer in answers
        if "refusal" not in message_of(answer)
    ]
    good = [reading for reading in readings if reading.failure is None]
    assert len(good) >= 34
    assert all(reading.decision and reading.decision.production for reading in good)


def change_demand(answers: dict[str, Result]) -> None:
    for channels in answers["get_demand"]["cells"].values():
        for cell in channels.values():
            cell["by_round"][-1]["demanded"] //= 50


def change_rivals(answers: dict[str, Result]) -> None:
    for product in answers["get_market_prices"]["products"].values():
        for cell in product["channels"].values():
            cell["rivals"] = [price * 0.9 for price in cell["rivals"]]


def change_stock(answers: dict[str, Result]) -> None:
    for goods in answers["get_inventory"]["goods"].values():
        goods["stock"] = dict.fromkeys(goods["stock"], 40000)


def change_materials(answers: dict[str, Result]) -> None:
    for row in answers["get_raw_materials"]["materials"].values():
        row["stock"] += 500_000


def change_money(answers: dict[str, Result]) -> None:
    answers["get_finance"]["limits"] |= {"funds": 150_000, "borrow": 0}


@pytest.mark.parametrize(
    ("change", "section"),
    [
        (change_demand, "prices"),
        (change_demand, "production"),
        (change_rivals, "prices"),
        (change_stock, "production"),
        (change_materials, "purchase_orders"),
        (change_money, "production"),
    ],
)
def test_altered_numbers_in_the_tool_results_alter_the_decision(
    change: Any, section: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet(monkeypatch)
    seen = later_observation()
    altered = copy.deepcopy(results(seen))
    change(altered)
    before = json.loads(text_of(ask(CLEAN, looked_up(seen))))
    after = json.loads(text_of(ask(CLEAN, looked_up(seen, altered))))
    assert before[section] != after[section]


def test_the_same_numbers_in_other_bytes_give_the_same_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet(monkeypatch)
    seen = later_observation()
    reworded = looked_up(seen)
    reworded[0] = {"role": "system", "content": "Play well."}
    assert text_of(ask(CLEAN, looked_up(seen))) == text_of(ask(CLEAN, reworded))


def test_a_tool_that_did_not_answer_is_called_again() -> None:
    answers = results(opening_observation())
    del answers["get_demand"]
    answer = ask("standin/b", looked_up(opening_observation(), answers))
    assert [call["function"]["name"] for call in message_of(answer)["tool_calls"]] == ["get_demand"]


def test_without_tools_and_figures_it_says_that_it_has_no_decision() -> None:
    answer = ask(CLEAN, opening(opening_observation()), with_tools=False)
    assert "stand-in" in message_of(answer)["content"]
    assert answer["choices"][0]["finish_reason"] == "stop"


def test_figures_of_another_shape_give_no_decision_and_no_crash() -> None:
    answer = ask(CLEAN, looked_up(opening_observation(), {name: {part: {"a": 1}} for name, part in FIGURES.items()}))
    assert "stand-in" in message_of(answer)["content"]


def test_the_submitting_style_hands_in_when_it_can_and_says_it_when_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet(monkeypatch)
    handed = ask("standin/c", looked_up(opening_observation()))
    said = ask("standin/c", at_the_end(opening_observation()), with_tools=False)
    assert message_of(handed)["tool_calls"][0]["function"]["name"] == "submit_decision"
    assert handed["choices"][0]["finish_reason"] == "tool_calls"
    assert "tool_calls" not in message_of(said)
    assert json.loads(text_of(handed))["production"] == json.loads(text_of(said))["production"]


@EVERY_MODEL
def test_asked_again_it_mostly_answers(model: str) -> None:
    messages = asked_again(opening_observation())
    answers = [ask(model, messages, seed) for seed in range(20)]
    good = [
        answer
        for answer in answers
        if "refusal" not in message_of(answer)
        and read_decision(text_of(answer), answer["choices"][0]["finish_reason"]).failure is None
    ]
    assert len(good) >= 5


def test_a_completion_has_the_protocols_shape_and_is_labelled() -> None:
    answer = ask(CLEAN, looked_up(opening_observation()))
    reply = read_reply(json.dumps(answer), 1)
    assert isinstance(reply, Reply)
    assert reply.route == "standin/a|stand-in-1|"
    assert reply.tokens.prompt is not None
    assert reply.tokens.prompt > 2_000
    assert answer["usage"]["total_tokens"] == answer["usage"]["prompt_tokens"] + answer["usage"]["completion_tokens"]


def test_a_token_limit_cuts_the_answer_and_says_so() -> None:
    raw = json.dumps({"model": CLEAN, "messages": looked_up(opening_observation()), "max_tokens": 10}).encode()
    answer = complete(json.loads(raw), raw, 0)
    assert answer["choices"][0]["finish_reason"] == "length"
    assert len(message_of(answer)["content"]) == 40


def test_noise_is_uniform_and_differs_by_purpose() -> None:
    noise = noise_of(b"body", 1)
    drawn = [noise(str(number)) for number in range(2_000)]
    assert all(0.0 <= value < 1.0 for value in drawn)
    assert sum(drawn) / len(drawn) == pytest.approx(0.5, abs=0.03)
    assert noise_of(b"body", 2)("x") != noise("x")
