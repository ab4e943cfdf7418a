"""Siblings of the public cases G1-01 to G1-11: where in a text the object stands, and whether it is whole."""

import json

import pytest

from tests.erpsim.replies import DECISION, DRAFT, FENCE, TEXT, D, codes, decided, failed, read, told, with_rationale

TILDES = "~" * 3


@pytest.mark.parametrize(
    "text",
    [
        f"{FENCE}JSON\n{TEXT}\n{FENCE}",
        f"{FENCE}\n{TEXT}\n{FENCE}",
        f"{FENCE}json5\r\n{TEXT}\r\n{FENCE}",
        f'{FENCE}json title="decision.json"\n{TEXT}\n{FENCE}',
        f"{FENCE}python\n{TEXT}{FENCE}",
        f"{TILDES}json\n{TEXT}\n{TILDES}",
        f"`{FENCE}json\n{TEXT}\n{FENCE}`",
        f"My decision:\n\n{FENCE}json\n{TEXT}\n{FENCE}\n\nGood luck!",
        f"{FENCE}text\nno object here\n{FENCE}\n{FENCE}json\n{TEXT}\n{FENCE}",
    ],
)
def test_g1_01_siblings_a_fence_of_any_make_is_set_aside(text: str) -> None:
    assert decided(text) == DECISION
    assert codes(text) == ["fence"]


@pytest.mark.parametrize("rationale", [f"{FENCE}json\n{{}}\n{FENCE}", TILDES, "`} {`", f'say "{FENCE}" twice {FENCE}'])
def test_g1_01_siblings_a_fence_inside_a_string_is_text(rationale: str) -> None:
    text = with_rationale(rationale)
    assert decided(text).rationale == rationale
    assert decided(f"{FENCE}json\n{text}\n{FENCE}").rationale == rationale
    assert codes(text) == []


@pytest.mark.parametrize("inside", ["", "\n\n", "hold all prices", "# nothing", "{}", "[]", "null"])
def test_g1_01_siblings_a_fence_without_a_decision_is_a_failure(inside: str) -> None:
    assert failed(f"{FENCE}json\n{inside}\n{FENCE}").cause == ("invalid" if inside == "{}" else "no_json")


def test_g1_01_siblings_a_fence_that_is_never_closed_or_holds_a_fence_is_set_aside() -> None:
    assert decided(f"{FENCE}json\n{TEXT}") == DECISION
    assert decided(f"{FENCE}markdown\n{FENCE}json\n{TEXT}\n{FENCE}\n{FENCE}") == DECISION


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT}</think>{TEXT}",
        f"<thinking>\n{DRAFT}\n</thinking>\n\n{TEXT}",
        f"<THOUGHT>{DRAFT}</Thought>{TEXT}",
        f"<reasoning effort='high'>{DRAFT}</reasoning>{TEXT}",
        f"<reflection>{DRAFT} {{</reflection>{TEXT}",
        f"<seed:think>{DRAFT}</seed:think>{TEXT}",
        f"<antThinking>{DRAFT}</antThinking>{TEXT}",
        f"[THINK]{DRAFT}[/THINK]{TEXT}",
        f"◁think▷{DRAFT}◁/think▷{TEXT}",
        f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>{TEXT}",
        f"<|START_THINKING|>{DRAFT}<|END_THINKING|>{TEXT}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{TEXT}<|return|>",
        f"<|channel>thought\n{DRAFT}<channel|>{TEXT}",
        f"{DRAFT} so </think> {TEXT}",
        f"<think>a <think>b</think> {DRAFT} </think>{TEXT}",
        f"<think>one</think>{{}}<think>{DRAFT}</think>{TEXT}",
        f"{TEXT} <think>or rather {DRAFT}",
    ],
)
def test_g1_03_siblings_reasoning_of_any_make_is_not_read(text: str) -> None:
    assert decided(text) == DECISION
    assert "reasoning" in codes(text)
    assert "several_objects" not in codes(text)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>I settle on {TEXT}",
        f"<|channel|>analysis<|message|>{TEXT}",
        f"◁think▷{TEXT}",
        f"[THINK]{TEXT}[/THINK]",
        f"<|START_THINKING|>{TEXT}<|END_THINKING|>\n",
    ],
)
def test_g1_03_siblings_a_decision_that_was_only_thought_of_is_none(text: str) -> None:
    assert failed(text).cause == "empty"


@pytest.mark.parametrize(
    "rationale", ["</think>", "<think>", "[THINK] a", "◁/think▷", "<|channel|>analysis", "<reasoning> {"]
)
def test_g1_03_siblings_a_tag_inside_a_string_is_text(rationale: str) -> None:
    text = with_rationale(rationale)
    assert decided(text).rationale == rationale
    assert decided(f"{FENCE}\n{text}\n{FENCE}").rationale == rationale
    assert decided(f"<think>hm</think>{text}").rationale == rationale


@pytest.mark.parametrize(
    "text",
    [
        f"[{DRAFT}, {TEXT}]",
        f"{DRAFT}\n{TEXT}\n",
        f"{DRAFT}{TEXT}",
        f"{FENCE}json\n{DRAFT}\n{FENCE}\nFinal:\n{FENCE}json\n{TEXT}\n{FENCE}",
        f"Draft: {DRAFT}\nFinal: {TEXT}",
        json.dumps({"draft": json.loads(DRAFT), "final": D}),
        json.dumps({"answers": [json.loads(DRAFT), D]}),
        f'{{"decision": {DRAFT}, "decision": {TEXT}}}',
        f"{DRAFT}\n{TEXT}\nas in {{this}} and {{}}.",
        f"{{'prices': {{'NUT-500': 0.01}}}} then {TEXT} then {{'prices': {{'NUT-500': 0.01}}}}",
    ],
)
def test_g1_05_siblings_the_last_whole_object_wins_and_several_are_told(text: str) -> None:
    assert decided(text) == DECISION
    assert "several_objects" in codes(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{{sku}} stands for a product, {{}} for nothing: {TEXT}",
        f'The form was {{"a": 1}}, so {TEXT}',
        f'{TEXT} (not {{"name": "get_finance", "arguments": {{}}}})',
        f"{TEXT}}}",
        f"{TEXT} }} }}",
        f"}} {TEXT}",
        f"[{TEXT}]",
    ],
)
def test_g1_05_siblings_other_braces_are_no_second_decision(text: str) -> None:
    assert decided(text) == DECISION
    assert "several_objects" not in codes(text)


def test_g1_05_siblings_two_objects_are_never_merged() -> None:
    first, second = json.dumps({"prices": {"NUT-500": 4.2}}), json.dumps({"finance": {"borrow": 5}})
    for text in (f"{first}\n{second}", f"[{first},{second}]", f"{first},{second}"):
        assert decided(text).model_dump(exclude_defaults=True) == {"finance": {"borrow": 5.0}}
        assert "several_objects" in codes(text)


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace('}}, "production"', '}}}, "production"'),
        TEXT.replace('], "marketing"', ']}, "marketing"'),
        TEXT.replace('}}, "production"', '}}}\n,\n"production"'),
    ],
)
def test_g1_05_siblings_a_stray_brace_in_the_middle_cuts_no_section_off(text: str) -> None:
    assert "closed too early" in failed(text).message


CUT = TEXT[: TEXT.index("4.02") + 3]
LENGTHS = ["length", "LENGTH", "max_tokens", "MAX_TOKENS", "max_output_tokens", "FinishReason.MAX_TOKENS", "Length "]
LENGTHS += ["FINISH_REASON_MAX_TOKENS", "max-tokens", "model_length", "model_context_window_exceeded", "incomplete"]


@pytest.mark.parametrize("reason", LENGTHS)
@pytest.mark.parametrize("text", [CUT, TEXT, f"{FENCE}json\n{CUT}", f"{DRAFT}\n{CUT}", TEXT[:-1], "", None])
def test_g1_07_siblings_a_reply_that_says_it_was_cut_is_no_decision(text: str | None, reason: str) -> None:
    assert failed(text, reason).cause == "truncated"


@pytest.mark.parametrize("reason", ["error", "abort", "cancelled", "network_error", "insufficient_system_resource"])
def test_g1_07_siblings_a_reply_that_was_broken_off_by_the_server_is_no_decision(reason: str) -> None:
    failure = failed(TEXT, reason)
    assert failure.cause == "truncated"
    assert reason in failure.message


@pytest.mark.parametrize("reason", ["stop", None, "", "end_turn", "unheard_of", "tool_calls"])
@pytest.mark.parametrize(
    "text",
    [
        CUT,
        f"{FENCE}json\n{CUT}",
        f"<think>hm</think>{CUT}",
        f"{DRAFT}\nNo, rather:\n{CUT}",
        TEXT[: TEXT.index('"production"') + 5],
        TEXT[: TEXT.index("16000") + 2],
        TEXT[: TEXT.index('"as before"') + 4],
        TEXT[: TEXT.index('"as before"') - 2],
    ],
)
def test_g1_07_siblings_a_cut_object_is_no_decision_whatever_the_server_says(text: str, reason: str | None) -> None:
    failure = failed(text, reason)
    assert failure.cause == "truncated"
    assert failure.message.startswith("the JSON object breaks off before it is closed, at `…")


@pytest.mark.parametrize("reason", [None, "", "unheard_of", "other"])
def test_g1_07_siblings_missing_brackets_are_added_only_when_the_reply_ended_by_itself(reason: str | None) -> None:
    assert failed(TEXT[:-1], reason).cause == "truncated"
    assert decided(TEXT[:-1]) == DECISION
    assert codes(TEXT[:-1]) == ["unclosed"]


def test_g1_07_siblings_a_bracket_missing_in_the_middle_is_not_added_at_the_end() -> None:
    assert failed(TEXT.replace('}}, "production"', '}, "production"')).cause == "truncated"
    assert failed(TEXT.replace('], "marketing"', ', "marketing"')).cause in ("no_json", "truncated")
    assert read(TEXT.replace('}}, "production"', '}, "production"').replace('"', "'")).decision is None


@pytest.mark.parametrize(
    ("slip", "code"),
    [
        (('as before"}', 'as before",}'), "trailing_comma"),
        (("], ", ",\n], "), "trailing_comma"),
        (("16000},", "16000 ,\t},"), "trailing_comma"),
        (("as before", "as\nbefore"), "raw_line_break"),
        (("as before", "as\tbefore"), "raw_line_break"),
        (('"prices"', "prices"), "lexical_repair"),
        (('"prices"', "'prices'"), "lexical_repair"),
        (('16000}, {"sku"', '16000} {"sku"'), "lexical_repair"),
        (('{"sku": "NUT-500"', '{"sku": "NUT-500" /* best */'), "lexical_repair"),
    ],
)
def test_g1_09_siblings_a_small_slip_is_mended_and_told(slip: tuple[str, str], code: str) -> None:
    kept = "cut {S03,} and [S04,] 'so' // or /* so */"
    text = with_rationale(kept + " as before").replace(*slip)
    decision = decided(text)
    assert decision.model_copy(update={"rationale": ""}) == DECISION.model_copy(update={"rationale": ""})
    assert decision.rationale.startswith(kept)
    assert codes(text) == [code]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace('"quantity": 16000', '"quantity" 16000,, :', 1),
        TEXT.replace('[{"sku"', '[[{"sku"', 1),
        TEXT.replace(": ", " ", 40),
        TEXT.replace('{"sku": "MIXED-1000", "quantity": 16000}', "..."),
        TEXT.replace('16000}, {"sku"', "16000}, ..., {"),
    ],
)
def test_g1_09_siblings_other_damage_stays_an_error(text: str) -> None:
    assert failed(text).cause in ("no_json", "truncated")


@pytest.mark.parametrize(
    "text",
    [
        "Hold everything as it is.",
        "I'm sorry, but I can't help with that.",
        "prices: 4.10 for all, production: 16000 each",
        "| SKU | price |\n|---|---|\n| NUT-500 | 4.10 |",
        "{hold}",
        "{...}",
        "[1, 2, 3]",
        '["prices", "production"]',
        "true",
        "-1",
        "NaN",
        '"prices"',
        "<decision><prices>4.1</prices></decision>",
        '{"NUT-500" 4.1 "MIXED-500" 4.2',
        ":::",
        '"',
        "\\",
    ],
)
def test_g1_11_siblings_no_scrap_of_text_becomes_a_decision(text: str) -> None:
    assert failed(text).cause in ("no_json", "truncated")


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t", "\ufeff", "\u200b", "\u00a0 ", None, "<think></think>", "<think>only</think> \n"]
)
def test_g1_11_siblings_nothing_is_empty_and_no_decision(text: str | None) -> None:
    assert failed(text).cause == "empty"


@pytest.mark.parametrize(
    "text", ["{}", '{"decision": {}}', '{"action": "hold"}', '{"NUT-500": 4.1}', '[{"sku": "NUT-500"}]']
)
def test_g1_11_siblings_an_object_that_decides_nothing_known_is_invalid(text: str) -> None:
    failure = failed(text)
    assert failure.cause == "invalid"
    assert "prices, production, purchase_orders, marketing, finance" in failure.message


def test_g1_11_siblings_a_plain_refusal_to_decide_is_told_as_no_json_and_not_as_a_decision() -> None:
    assert told("I must decline.") == []
    assert failed("I must decline.").message == "there is no JSON object in the reply; answer with one JSON object"
