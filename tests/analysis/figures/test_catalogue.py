from dataclasses import replace

import numpy as np
import pytest

from analysis.coverage import cover
from analysis.figures import CAPTIONS, FIGURES, draw, svg
from analysis.findings import Findings, Sampling, findings
from analysis.load import Records
from erpsim.records import OutcomeRow
from tests.analysis.figures.frames import said
from tests.analysis.samples import event, outcome, planned, records, two_by_two


def _found(made: Records, rows: list[OutcomeRow]) -> Findings:
    plan = planned(rows)
    return findings(made, plan, cover(made, plan), {}, Sampling(draws=50))


def _texts(rows: list[OutcomeRow], played: list[OutcomeRow] | None = None) -> dict[str, str]:
    """What each figure says; every one is also written out, where warnings are errors."""
    made = records(rows if played is None else played, [event("arena", "a", "production_capacity_skip", 3)])
    drawn = draw(_found(made, rows), made)
    assert all(svg(figure, name) for name, figure in drawn.items())
    return {name: said(figure) for name, figure in drawn.items()}


def test_every_figure_has_a_caption_and_is_drawn_in_order() -> None:
    assert tuple(CAPTIONS) == FIGURES
    made = records(two_by_two())
    assert tuple(draw(_found(made, two_by_two()), made)) == FIGURES


@pytest.mark.slow
def test_a_whole_run_leaves_no_figure_out() -> None:
    texts = _texts(two_by_two())
    # A mean price is empty in these records.
    assert [name for name, text in texts.items() if "Not drawn" in text] == ["price_paths"]


def test_only_the_figures_asked_for_are_drawn() -> None:
    made = records(two_by_two())
    assert tuple(draw(_found(made, two_by_two()), made, names=("audit",))) == ("audit",)


def test_standins_are_marked_on_every_figure_that_names_them() -> None:
    made = records(two_by_two())
    drawn = draw(_found(made, two_by_two()), made, frozenset({"a"}))
    assert all("† Stand-in" in said(figure) for figure in drawn.values())


def test_an_unknown_figure_is_refused() -> None:
    made = records(two_by_two())
    with pytest.raises(ValueError, match="figures pie are unknown; choose from aggregate"):
        draw(_found(made, two_by_two()), made, names=("pie",))


@pytest.mark.slow
def test_one_model_one_problem_is_drawn_as_far_as_it_goes() -> None:
    texts = _texts([outcome("solo", "P1", "a", 4e6), outcome("arena", "P1", "a", 5e6)])
    assert "+1.00 [–]" in texts["effect_forest"]
    assert "defined in no problem" in texts["transitions"]


@pytest.mark.slow
def test_one_ecology_has_no_effects_and_says_so() -> None:
    texts = _texts([row for row in two_by_two() if row.ecology == "solo"])
    without = {"effect_forest", "transitions", "reliability", "strata", "price_paths"}
    assert {name for name, text in texts.items() if "Not drawn" in text} == without


@pytest.mark.slow
def test_a_model_that_failed_everywhere_is_named_wherever_it_is_missed() -> None:
    rows = [*two_by_two(), outcome("solo", "P1", "c", 1e6, 2), outcome("arena", "P1", "c", 1e6, 2)]
    texts = _texts(rows, two_by_two())
    assert all(
        "c" in texts[name].split("Without data: ")[1] for name in ("aggregate", "effect_forest", "valuation_paths")
    )
    assert "Not compared, for want of a valuation in one ecology: c." in texts["transitions"]


@pytest.mark.slow
def test_a_valuation_that_is_no_number_is_left_out() -> None:
    rows = two_by_two()
    texts = _texts(rows, [replace(rows[0], valuation=np.nan), *rows[1:]])
    assert "in both ecologies: 1; same winner in 1." in texts["transitions"]
    assert "completed (1 to 2)" in texts["aggregate"]


@pytest.mark.slow
def test_twelve_models_are_drawn() -> None:
    rows = [
        outcome(ecology, "P1", f"family-{seat}/a-name-that-is-much-too-long-for-a-figure", (seat + 1) * 1e6, seat)
        for ecology in ("solo", "arena")
        for seat in range(12)
    ]
    assert "Names in full" in _texts(rows)["aggregate"]
