import re
from dataclasses import replace

import pytest

from actors.llm.prompts.figures import figures
from actors.llm.prompts.render import fill, prompts_digest, round_prompt, system_prompt
from actors.llm.prompts.sheet import sheet
from erpsim.catalogue import FIRM_NAMES
from erpsim.errors import InvariantError
from erpsim.parameters import RULES
from tests.actors.llm.prompts.snapshots import FOLDER, prompts
from tests.actors.llm.worlds import later_observation, opening_observation

SYSTEM_TOKENS = 3_000
ROUND_TOKENS = 2_500
PIECE = re.compile(r"\d{1,3}|[A-Za-z]{1,6}|[^\sA-Za-z\d]")
"""Splits more finely than the tokenizers of language models do, so the count is an upper bound."""

TELLING = re.compile(
    r"\b(solo|arena|mixed ecology|stand-?in|policy|policies|rule-based|llm|language model|gpt|claude|gemini|qwen)\b",
    re.I,
)


def tokens(text: str) -> int:
    return len(PIECE.findall(text))


@pytest.mark.parametrize("name", sorted(prompts()))
def test_a_prompt_is_its_snapshot(name: str) -> None:
    assert prompts()[name] + "\n" == (FOLDER / name).read_text(encoding="utf-8")


def test_prompts_keep_within_their_tokens() -> None:
    assert tokens(system_prompt(6, 6, 6)) <= SYSTEM_TOKENS
    later = later_observation()
    longest = replace(later, history=tuple(later.history[-1] for _ in range(5)))
    assert tokens(round_prompt(longest)) <= ROUND_TOKENS


def test_no_prompt_names_a_model_a_policy_or_the_ecology() -> None:
    assert {name: TELLING.findall(text) for name, text in prompts().items()} == {name: [] for name in prompts()}


def test_no_prompt_names_a_rival() -> None:
    text = "\n".join(prompts().values())
    assert [name for name in FIRM_NAMES if name in text] == [FIRM_NAMES[0]]


def test_a_placeholder_without_a_value_and_a_value_without_a_placeholder_are_errors() -> None:
    with pytest.raises(InvariantError, match=r"without a value \['error'\], without a place \[\]"):
        fill("reask.txt", {})
    with pytest.raises(InvariantError, match=r"without a value \[\], without a place \['other'\]"):
        fill("reask.txt", {"error": "x", "other": "y"})


def test_a_value_with_a_placeholder_inside_is_not_filled_again() -> None:
    assert "${error} $x" in fill("reask.txt", {"error": "${error} $x"})


def test_every_figure_of_the_rules_reaches_the_prompt_from_the_table() -> None:
    text = system_prompt(6, 6, 6)
    assert f"{RULES.capacity_cost:,}".replace(",", " ") in text
    assert f"Tax {RULES.tax_rate * 100:g} %" in text
    assert "9.5 M EUR 6.25%" in text
    assert all(value for value in figures().values())


def test_the_digest_is_stable_and_long() -> None:
    assert prompts_digest() == prompts_digest()
    assert re.fullmatch(r"[0-9a-f]{64}", prompts_digest())


def test_the_sheet_shows_the_own_figures_of_the_observation() -> None:
    seen = later_observation()
    rows = sheet(seen)
    assert (rows["round"], rows["horizon"], rows["firm"]) == ("3", "6", "Almond")
    assert f"cash {seen.finance.cash / 100:.0f}, loan {seen.finance.loan / 100:.0f}" in rows["finance"]
    past = seen.history[-1]
    cell = next(row for row in rows["cells"].splitlines() if row.startswith("NUT-500 grocery"))
    assert f"| {past.demanded[0, 1]} {past.sold[0, 1]} {past.unmet[0, 1]} |" in cell
    assert len(rows["history"].splitlines()) == 2
    assert f"round 2: revenue {past.revenue / 100:.0f}" in rows["history"]
    assert past.sold.sum() > 0
    assert rows["history"].splitlines()[1].endswith("made NUT-500 32000")


def test_distress_and_a_credit_freeze_are_told() -> None:
    seen = opening_observation()
    troubled = replace(seen, finance=replace(seen.finance, distressed=True, credit_frozen=True))
    assert "DISTRESSED" in sheet(troubled)["finance"]
    assert "CREDIT FROZEN" in sheet(troubled)["finance"]
    assert "DISTRESSED" not in sheet(seen)["finance"]


def test_materials_under_way_stand_with_their_days() -> None:
    seen = later_observation()
    order = seen.open_orders[0]
    rows = sheet(seen)["materials"].splitlines()
    assert len(rows) == 11
    assert f"{order.quantity}@{order.receipt_day}" in rows[order.material + 1]
