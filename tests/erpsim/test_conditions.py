"""A round's conditions: potentials by hand, each disturbance, overlaps, and what is told when."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from erpsim.catalogue import ACTIVE, MEAN_PREFERENCE
from erpsim.conditions import conditions, market_study, reference_potential
from erpsim.problem import Disturbance, MarketSettings, Opening, Problem
from erpsim.streams import stream


def a_problem(*disturbances: Disturbance, seed: int = 7, **market: float) -> Problem:
    settings: dict[str, Any] = {
        "size": 1.0,
        "trend": 0.0,
        "sensitivity": 1.0,
        "outside_share": 0.25,
        "material_level": 1.0,
    }
    return Problem(
        problem_id="P001",
        seed=seed,
        stratum="baseline",
        scenario="calm",
        horizon=6,
        opening=Opening(cash=3_000_000, loan=8_000_000),
        market=MarketSettings(**{**settings, **market}),
        disturbances=disturbances,
    )


def a_disturbance(kind: Any, *magnitude: float, start: int = 2, announced: bool = True, **ends: str) -> Disturbance:
    return Disturbance(kind=kind, level="mild", start_round=start, magnitude=magnitude, announced=announced, **ends)


def test_reference_potential_is_the_channels_value_in_units() -> None:
    # Hypermarkets: Σ ā p = .14·4.61 + .24·5.26 + .26·5.27 + .12·4.38 + .08·4.35 + .16·5.06 = 4.9612 EUR;
    # 103,500 EUR a week / 5 days / 4.9612 / (1 − 0.25) = 5,563.2 units.
    assert np.round(reference_potential(0.25)).tolist() == [5_563, 24_426, 10_135]
    assert reference_potential(0.25)[0] == pytest.approx(103_500 / 5 / 4.9612 / 0.75)


def test_potential_carries_the_outside_share_of_the_problem() -> None:
    assert conditions(a_problem(outside_share=0.4), 1).potential == pytest.approx(reference_potential(0.4))


def test_potential_grows_by_the_trend_from_round_to_round() -> None:
    # 0.9 x 1.05^2 = 0.99225 in round 3.
    problem = a_problem(size=0.9, trend=0.05)
    assert conditions(problem, 1).potential == pytest.approx(0.9 * reference_potential(0.25))
    assert conditions(problem, 3).potential == pytest.approx(0.99225 * reference_potential(0.25))


def test_a_calm_round_is_as_the_rules_say() -> None:
    now = conditions(a_problem(), 1)
    assert now.price_exponent.tolist() == [3.5, 3.0, 2.3]
    assert now.goodwill_exponent.tolist() == [0.06, 0.10, 0.15]
    assert now.goodwill_scale.tolist() == [15.0, 30.0, 22.0]
    assert (now.hours_percent, now.extra_setup_hours, now.delay_days, now.credit_frozen) == (100, 0, 0, False)
    assert (now.outside_share, now.carbon_price, now.news) == (0.25, 0.08, ())


def test_preference_is_the_mean_times_a_lognormal_and_sums_to_one_by_channel() -> None:
    preference = np.array([conditions(a_problem(seed=seed), 1).preference for seed in range(300)])
    assert preference.sum(axis=1) == pytest.approx(1)
    assert np.all(preference[:, ~ACTIVE] == 0)
    assert np.all(preference[:, ACTIVE] > 0)
    taste = np.log(preference[:, ACTIVE] / MEAN_PREFERENCE[ACTIVE])
    # Renormalising takes a little of the 0.25 away.
    assert 0.20 < taste.std() < 0.26
    assert abs(taste.mean()) < 0.05


def test_preference_holds_for_all_rounds_of_a_problem_and_differs_between_problems() -> None:
    assert np.array_equal(conditions(a_problem(), 1).preference, conditions(a_problem(), 5).preference)
    assert not np.allclose(conditions(a_problem(), 1).preference, conditions(a_problem(seed=8), 1).preference)


def test_season_swings_by_eight_percent_once_a_year() -> None:
    season = np.concatenate([conditions(a_problem(), number).season for number in range(1, 13)])
    assert season.max() == pytest.approx(1.08, abs=1e-4)
    assert season.min() == pytest.approx(0.92, abs=1e-4)
    assert season.mean() == pytest.approx(1)
    assert season[180:] - 1 == pytest.approx(-(season[:180] - 1))
    assert conditions(a_problem(), 13).season == pytest.approx(season[:30])
    assert not np.allclose(conditions(a_problem(seed=8), 1).season, season[:30])


def test_the_first_day_of_the_game_is_day_one_of_the_season() -> None:
    phase = stream(7, 0, "season").uniform(0, 360)
    first_round, second_round = conditions(a_problem(), 1).season, conditions(a_problem(), 2).season
    assert first_round[0] == pytest.approx(1 + 0.08 * math.sin(2 * math.pi * (1 + phase) / 360))
    assert second_round[0] == pytest.approx(1 + 0.08 * math.sin(2 * math.pi * (31 + phase) / 360))


def test_market_study_shares_the_inside_market_by_mean_preference() -> None:
    study = market_study(a_problem(size=0.9, outside_share=0.4, trend=0.05))
    # Strawberry, 1 kg, hypermarkets: 20,700 EUR a day / 4.9612 EUR x 0.26 x 0.9; s0 cancels out.
    assert study[8, 0] == pytest.approx(20_700 / 4.9612 * 0.26 * 0.9)
    assert np.all(study[~ACTIVE] == 0)
    assert not study.flags.writeable


def test_disturbances_hold_from_their_start_for_their_length() -> None:
    problem = a_problem(a_disturbance("demand_slump", -0.25, -0.10))
    base = reference_potential(0.25)
    factors = [conditions(problem, number).potential / base for number in range(1, 5)]
    assert np.array(factors)[:, 0] == pytest.approx([1, 0.75, 0.90, 1])


def test_overlapping_changes_of_demand_multiply_and_never_go_below_nothing() -> None:
    both = a_problem(a_disturbance("demand_slump", -0.25), a_disturbance("demand_surge", 0.20))
    assert conditions(both, 2).potential == pytest.approx(0.75 * 1.2 * reference_potential(0.25))
    worse = a_problem(a_disturbance("demand_slump", -1.5))
    assert conditions(worse, 2).potential.tolist() == [0, 0, 0]


def test_a_channel_shift_moves_units_and_loses_none() -> None:
    problem = a_problem(a_disturbance("channel_shift", 0.35, source="grocery", target="independent"))
    before, after = conditions(problem, 1).potential, conditions(problem, 2).potential
    assert after[0] == before[0]
    assert after[1] == pytest.approx(0.65 * before[1])
    assert after[2] == pytest.approx(before[2] + 0.35 * before[1])


def test_price_sensitivity_multiplies_the_exponents() -> None:
    problem = a_problem(a_disturbance("price_sensitivity", 1.3), sensitivity=1.1)
    assert conditions(problem, 2).price_exponent == pytest.approx(np.array([3.5, 3.0, 2.3]) * 1.1 * 1.3)


def test_outages_multiply_what_is_left_of_the_hours() -> None:
    once, twice = a_disturbance("capacity_outage", 0.45, 0.20), a_disturbance("capacity_outage", 0.30)
    assert [conditions(a_problem(once), number).hours_percent for number in (1, 2, 3)] == [100, 55, 80]
    assert conditions(a_problem(once, twice), 2).hours_percent == 38  # 0.55 x 0.70 = 0.385, to the even percent
    assert conditions(a_problem(a_disturbance("capacity_outage", 1.5)), 2).hours_percent == 0


def test_setup_delay_credit_and_carbon_disturbances_are_read() -> None:
    problem = a_problem(
        a_disturbance("setup_time", 12),
        a_disturbance("setup_time", 16),
        a_disturbance("supplier_delay", 3),
        a_disturbance("supplier_delay", 6),
        a_disturbance("credit_freeze", 1),
        a_disturbance("carbon_price", 0.30),
        a_disturbance("carbon_price", 0.20),
    )
    now = conditions(problem, 2)
    assert (now.extra_setup_hours, now.delay_days, now.credit_frozen, now.carbon_price) == (8, 9, True, 0.30)


def test_setup_hours_below_the_rules_shorten_nothing() -> None:
    assert conditions(a_problem(a_disturbance("setup_time", 4)), 2).extra_setup_hours == 0


@pytest.mark.parametrize(
    ("disturbance", "sentence"),
    [
        (a_disturbance("demand_slump", -0.25), "Demand is 25 % below its usual level (this round only)."),
        (a_disturbance("demand_surge", 0.45), "Demand is 45 % above its usual level (this round only)."),
        (
            a_disturbance("channel_shift", 0.35, 0.35, source="grocery", target="independent"),
            "35 % of the demand in grocery moves to independent (rounds 2 to 3).",
        ),
        (
            a_disturbance("price_sensitivity", 1.15),
            "Customers react 1.15 times as strongly to prices as usual (this round only).",
        ),
        (a_disturbance("material_price", 1.5), "Materials cost 1.5 times their usual price (this round only)."),
        (a_disturbance("supplier_delay", 6), "Vendor A delivers 6 days later than usual (this round only)."),
        (a_disturbance("capacity_outage", 0.3), "The line works 30 % fewer hours a day than usual (this round only)."),
        (a_disturbance("credit_freeze", 1), "Banks lend nothing new and pay for no investment (this round only)."),
        (a_disturbance("carbon_price", 0.2), "Carbon costs 0.20 EUR/kg (this round only)."),
        (a_disturbance("setup_time", 16), "A change of SKU takes 8 hours longer than usual (this round only)."),
    ],
)
def test_an_announced_disturbance_is_told_with_its_figure_while_it_is_on(
    disturbance: Disturbance, sentence: str
) -> None:
    problem = a_problem(disturbance)
    assert conditions(problem, 2).news == (sentence,)
    assert conditions(problem, 1).news == ()
    assert conditions(problem, 2 + disturbance.length).news == ()


def test_an_unannounced_disturbance_is_told_one_round_after_it_began() -> None:
    problem = a_problem(a_disturbance("capacity_outage", 0.45, 0.45, 0.20, announced=False))
    told = "fewer hours a day than usual (since round 2, end unknown)."
    assert [conditions(problem, number).news for number in range(1, 6)] == [
        (),
        (),
        (f"The line works 45 % {told}",),
        (f"The line works 20 % {told}",),
        (),
    ]


def test_an_unannounced_disturbance_of_one_round_is_told_when_it_is_over() -> None:
    problem = a_problem(a_disturbance("demand_slump", -0.4, announced=False))
    assert conditions(problem, 2).news == ()
    assert conditions(problem, 3).news == ("Demand is 40 % below its usual level (in round 2, over now).",)
    assert conditions(problem, 4).news == ()


def test_opening_disturbances_are_told_in_the_first_round_only_and_change_nothing_else() -> None:
    calm = a_problem()
    problem = a_problem(
        a_disturbance("opening_overstock", 500_000, start=1, announced=False),
        a_disturbance("opening_cash", -2_500_000, start=1),
    )
    assert conditions(problem, 1).news == (
        "The warehouse opens with 500,000 units of unsold goods.",
        "The company opens with 2,500,000 EUR less cash than usual.",
    )
    assert conditions(problem, 2).news == ()
    assert np.array_equal(conditions(problem, 1).potential, conditions(calm, 1).potential)


def test_conditions_do_not_depend_on_the_horizon() -> None:
    short, long = conditions(a_problem(), 4), conditions(replace(a_problem(), horizon=12), 4)
    for name in ("potential", "preference", "season"):
        assert np.array_equal(getattr(short, name), getattr(long, name))


def test_conditions_are_kept_and_read_only() -> None:
    now = conditions(a_problem(), 2)
    assert conditions(a_problem(), 2) is now
    for name in ("potential", "preference", "price_exponent", "goodwill_exponent", "goodwill_scale", "season"):
        assert not getattr(now, name).flags.writeable
