"""All statistics of whole runs: planted effects are found exactly, and no dirty run breaks a statistic."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

from erpsim.records import OutcomeRow
from tests.analysis.panels import cell, names, record
from tests.analysis.runs import outcomes, taken
from tests.analysis.samples import event

RNG = np.random.default_rng(11)
LEVELS = RNG.normal(200, 40, (100, 1)).round(2)
# Six models some 1 M EUR apart in every problem, m0 ahead of m1 and so on.
SOLO = LEVELS + np.arange(6, 0, -1)


@pytest.mark.slow
def test_a_shift_of_one_model_is_found_exactly_in_it_alone() -> None:
    arena = SOLO.copy()
    arena[:, 3] += 20
    found = taken(outcomes(SOLO, arena), draws=300)
    moved = record(found.effects, model="m3")
    assert [moved[name] for name in ("delta_m", "ci_low_m", "ci_high_m")] == pytest.approx([20, 20, 20])
    assert moved["q"] < 1e-15
    assert found.effects["all_zero"].tolist() == [True, True, True, False, True, True]
    assert found.effects["family_size"].tolist() == [6] * 6
    assert found.stratum_effects["delta_m"][3::6].tolist() == pytest.approx([20] * 4)
    assert found.same_winner == (0, 100)
    assert cell(found.transitions, "n", winner_base="m0", winner_other="m3") == 100


def test_winners_flipped_in_79_problems_leave_21() -> None:
    arena = SOLO.copy()
    arena[:79, [0, 1]] = arena[:79, [1, 0]]
    found = taken(outcomes(SOLO, arena), draws=300)
    assert found.same_winner == (21, 100)
    assert cell(found.transitions, "n", winner_base="m0", winner_other="m1") == 79
    assert cell(found.transitions, "n", winner_base="m0", winner_other="m0") == 21
    # One swap of neighbours costs 6 * 2 / (6 * 35).
    assert found.rank_agreement.mean == pytest.approx(1 - 0.79 * 12 / 210)


def test_a_model_always_last_in_solo_and_never_in_the_arena() -> None:
    arena = SOLO.copy()
    arena[:, 5] = arena[:, 0] + 1
    summary = taken(outcomes(SOLO, arena), draws=300).summary
    assert cell(summary, "bottom_rate", ecology="solo", model="m5") == 1
    assert cell(summary, "bottom_rate", ecology="arena", model="m5") == 0
    assert cell(summary, "p90_regret", ecology="solo", model="m5") == 1
    assert cell(summary, "p90_regret", ecology="arena", model="m5") == 0
    assert cell(summary, "bottom_rate", ecology="arena", model="m4") == 1


def test_reversed_ranks_correlate_with_minus_one_everywhere() -> None:
    found = taken(outcomes(SOLO, SOLO[:, ::-1]), draws=300)
    assert found.rank_agreement.mean == pytest.approx(-1)
    assert found.rank_agreement.interval == pytest.approx((-1, -1))
    levels = [cell(found.pyramid, "l3", ecology=name, model="m0") for name in ("solo", "arena")]
    assert levels == pytest.approx([1, 0])
    assert cell(found.pyramid, "l3", ecology="arena", model="m4") == pytest.approx(0.8)


def _infallible(rows: list[OutcomeRow]) -> None:
    found = taken(rows, [event("solo", "m0", "order_adjusted")], draws=60)
    for field in fields(found):
        value = getattr(found, field.name)
        if isinstance(value, pd.DataFrame):
            numbers = value.select_dtypes("number").to_numpy(dtype=np.float64)
            assert not np.isinf(numbers).any(), field.name


SHAPES = {
    "complete": (SOLO[:6], SOLO[:6] + 1),
    "one problem": (SOLO[:1], SOLO[:1] + 1),
    "one model": (SOLO[:5, :1], SOLO[:5, :1] + 1),
    "one model on one problem": (SOLO[:1, :1], SOLO[:1, :1]),
    "all equal": (np.full((4, 3), 7.0), np.full((4, 3), 7.0)),
    "all zero": (np.zeros((4, 3)), np.zeros((4, 3))),
    "below zero": (-SOLO[:4], -SOLO[:4]),
    "a model that failed everywhere": (
        np.where(np.arange(6) == 2, np.nan, SOLO[:5]),
        SOLO[:5] * [1, 1, np.nan, 1, 1, 1],
    ),
    "a model that failed in the arena": (SOLO[:5], SOLO[:5] * [1, 1, np.nan, 1, 1, 1]),
    "a problem lost to all": (SOLO[:4], SOLO[:4] * np.array([1, np.nan, 1, 1])[:, None]),
    "an ecology lost": (SOLO[:4], np.full((4, 6), np.nan)),
    "everything lost": (np.full((4, 6), np.nan), np.full((4, 6), np.nan)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_run_has_statistics_without_an_infinite_number(shape: str) -> None:
    _infallible(outcomes(*SHAPES[shape]))


def test_solo_alone_has_statistics() -> None:
    _infallible([row for row in outcomes(SOLO[:4], SOLO[:4]) if row.ecology == "solo"])


def test_a_model_that_failed_everywhere_does_not_take_the_others_agreement_away() -> None:
    found = taken(outcomes(*SHAPES["a model that failed everywhere"]), draws=60)
    assert found.compared == ("m0", "m1", "m3", "m4", "m5")
    assert found.same_winner == (5, 5)
    assert found.rank_agreement.n_defined == 5
    assert cell(found.effects, "n", model="m2") == 0
    assert cell(found.bounds, "missing", ecology="arena", model="m2") == 5


def test_one_model_left_is_compared_with_nobody() -> None:
    values = np.array([[1.0, np.nan], [2.0, np.nan]])
    found = taken(outcomes(values, values), draws=20)
    assert found.compared == ()
    assert found.same_winner == (None, 0)


@pytest.mark.slow
def test_a_seed_gives_the_same_findings_and_another_only_other_intervals() -> None:
    rows = outcomes(SOLO[:9], SOLO[:9] + RNG.normal(0, 9, (9, 6)))
    one, again, other = (taken(rows, draws=80, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one.effects, again.effects, check_exact=True)
    pd.testing.assert_frame_equal(one.standings, again.standings, check_exact=True)
    assert one.rank_agreement == again.rank_agreement
    assert one.effects["ci_low_m"].tolist() != other.effects["ci_low_m"].tolist()
    assert one.effects["p"].tolist() == other.effects["p"].tolist()


@pytest.mark.slow
def test_the_order_of_records_changes_nothing() -> None:
    rows = outcomes(SOLO[:6], SOLO[:6] + RNG.normal(0, 9, (6, 6)))
    one, two = taken(rows, draws=80), taken([rows[place] for place in RNG.permutation(len(rows))], draws=80)
    for field in ("effects", "transitions", "standings", "pyramid", "bounds", "differences"):
        before, after = getattr(one, field), getattr(two, field)
        keys = [name for name in ("ecology", "model", "other", "winner_base", "winner_other") if name in before]
        pd.testing.assert_frame_equal(*(part.sort_values(keys, ignore_index=True) for part in (before, after)))


def test_every_interval_comes_from_one_draw_of_problems() -> None:
    # Two models with the same differences have the same limits, and so has one model in another run with others.
    arena = SOLO[:20] + RNG.normal(0, 9, (20, 1))
    effects = taken(outcomes(SOLO[:20], arena), draws=200).effects
    assert effects["ci_low_m"].to_numpy() == pytest.approx(np.full(6, effects["ci_low_m"][0]))
    alone = taken(outcomes(SOLO[:20, :1], arena[:, :1]), draws=200).effects
    assert alone["ci_low_m"][0] == pytest.approx(effects["ci_low_m"][0])


def test_a_mixed_line_up_is_a_setting_of_its_own() -> None:
    rows = [
        replace(row, ecology="mixed", lineup="digest", market_id=f"mixed/digest/{row.problem_id}")
        for row in outcomes(SOLO[:3], SOLO[:3])
        if row.ecology == "arena"
    ]
    found = taken(rows, draws=20)
    assert set(zip(found.summary["ecology"], found.summary["lineup"], strict=True)) == {("mixed", "digest")}
    assert found.effects["n"].tolist() == [0] * 6
    assert list(found.models) == list(names(6))
