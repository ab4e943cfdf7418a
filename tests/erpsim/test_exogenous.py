"""Chance: price paths, leads, payment days and shocks depend on (problem, round) and on nothing else."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from erpsim import exogenous
from erpsim.catalogue import IS_FOOD, MATERIAL_PRICES
from erpsim.exogenous import demand_shocks, leads, material_prices, receivable_days
from erpsim.problem import Disturbance, MarketSettings, Opening, Problem

CALM = MarketSettings(size=1.0, trend=0.0, sensitivity=1.0, outside_share=0.25, material_level=1.0)
DRAWS = (material_prices, leads, receivable_days, demand_shocks)


def a_problem(seed: int = 7, *disturbances: Disturbance, market: MarketSettings = CALM) -> Problem:
    opening = Opening(cash=3_000_000, loan=8_000_000)
    return Problem("P001", seed, "baseline", "calm", 6, opening, market, disturbances)


def year_of(problem: Problem, draw: Callable[[Problem, int], Any]) -> Any:
    return np.concatenate([draw(problem, number) for number in range(1, 13)])


@pytest.fixture(scope="module")
def log_paths() -> np.ndarray:
    """Log price over base of 200 problems, 72 weeks and 6 foods."""
    paths = [year_of(a_problem(seed), material_prices) for seed in range(200)]
    return np.log(np.array(paths)[:, :, IS_FOOD] / MATERIAL_PRICES[IS_FOOD])


def test_food_prices_swing_by_ten_to_twenty_five_percent_over_the_year(log_paths: np.ndarray) -> None:
    # The year's sine by projection on its two components; the AR(1) part adds a little noise to it.
    angle = 2 * np.pi * (5 * np.arange(72) + 1) / 360
    sine, cosine = (np.tensordot(log_paths, wave, (1, 0)) / 36 for wave in (np.sin(angle), np.cos(angle)))
    amplitude = np.hypot(sine, cosine)
    assert 0.16 < amplitude.mean() < 0.19
    assert amplitude.min() > 0.06
    assert amplitude.max() < 0.29
    # Phases all round the circle.
    assert abs(np.sin(np.arctan2(cosine, sine)).mean()) < 0.1


def test_the_rest_of_a_food_price_is_ar1_with_two_to_five_percent_a_week(log_paths: np.ndarray) -> None:
    angle = 2 * np.pi * (5 * np.arange(72) + 1) / 360
    waves = np.stack([np.sin(angle), np.cos(angle)])
    fitted = np.einsum("pwf,cw,cv->pvf", log_paths, waves, waves) / 36
    rest = log_paths - fitted
    assert 0.031 < np.sqrt((rest**2).mean()) < 0.038  # root mean square of U(2, 5) % is 3.6 %, less the fit's share
    now, after = rest[:, :-1].ravel(), rest[:, 1:].ravel()
    assert 0.42 < (now @ after) / (now @ now) < 0.53
    assert (rest.std(axis=1) < 0.075).all()


def test_food_prices_stay_within_their_limit_whatever_the_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exogenous, "_noise", lambda *_: np.array([[100.0, -100.0] * 3] * 6))
    prices = material_prices.__wrapped__(a_problem(), 1)
    assert prices[0, 0] == pytest.approx(1.82 * np.exp(0.7), abs=1e-4)
    assert prices[0, 1] == pytest.approx(4.00 * np.exp(-0.7), abs=1e-4)


def test_without_noise_a_food_price_follows_its_sine_from_day_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exogenous, "_noise", lambda *_: np.zeros((6, 6)))
    path = exogenous._food_path(7)
    prices = material_prices.__wrapped__(a_problem(), 2)
    # Weeks of round 2 start on days 31, 36, …, 56 of the game.
    for week, day in enumerate(range(31, 61, 5)):
        wave = path.amplitude * np.sin(2 * np.pi * (day + path.phase) / 360)
        assert prices[week, IS_FOOD] == pytest.approx(MATERIAL_PRICES[IS_FOOD] * np.exp(wave), abs=6e-5)


def test_the_walk_goes_on_across_rounds() -> None:
    # Standardised AR(1): next = 0.5 x last + √0.75 x innovation, also from the last week of a round to the next.
    noise = np.concatenate([exogenous._noise(11, number) for number in range(1, 60)])
    innovation = (noise[1:] - 0.5 * noise[:-1]) / np.sqrt(0.75)
    first_weeks = innovation[5::6]
    assert first_weeks.std() == pytest.approx(1, abs=0.12)
    assert np.corrcoef(noise[5:-1:6].ravel(), noise[6::6].ravel())[0, 1] == pytest.approx(0.5, abs=0.12)


def test_packaging_is_flat_or_takes_one_step_of_twenty_percent_in_three_problems_of_ten() -> None:
    stepped, weeks = 0, []
    for seed in range(400):
        path = year_of(a_problem(seed), material_prices)[:, ~IS_FOOD] / MATERIAL_PRICES[~IS_FOOD]
        assert path[0] == pytest.approx(1)
        assert (path == path[:, :1]).all() or path == pytest.approx(np.repeat(path[:, :1], 4, axis=1))
        rises = np.flatnonzero(np.diff(path[:, 0]))
        if rises.size:
            assert rises.size == 1
            assert path[-1] == pytest.approx(1.2)
            stepped += 1
            weeks.append(rises[0] + 2)
        else:
            assert path[-1] == pytest.approx(1)
    assert 0.25 < stepped / 400 < 0.35
    assert min(weeks) >= 2
    assert max(weeks) <= 36
    assert len(set(weeks)) > 20


def test_level_and_price_disturbances_multiply_the_path() -> None:
    dear = replace(CALM, material_level=1.2)
    shock = Disturbance("material_price", "strong", 2, (1.5,), announced=True)
    calm, shocked = a_problem(), a_problem(7, shock, market=dear)
    assert material_prices(shocked, 1) == pytest.approx(1.2 * material_prices(calm, 1), abs=2e-4)
    assert material_prices(shocked, 2) == pytest.approx(1.8 * material_prices(calm, 2), abs=2e-4)
    assert material_prices(shocked, 3) == pytest.approx(1.2 * material_prices(calm, 3), abs=2e-4)


def test_prices_have_four_decimals() -> None:
    prices = material_prices(a_problem(), 1)
    assert prices.shape == (6, 10)
    assert np.array_equal(prices, np.round(prices, 4))


def test_vendor_a_takes_two_to_seven_days_and_vendor_b_one_or_two() -> None:
    drawn = year_of(a_problem(), leads)
    assert drawn.shape == (360, 10, 2)
    assert drawn.dtype == np.int64
    assert np.array_equal(np.unique(drawn[:, :, 0]), np.arange(2, 8))
    assert np.array_equal(np.unique(drawn[:, :, 1]), [1, 2])


def test_a_supplier_delay_is_met_by_vendor_a_only() -> None:
    delayed = a_problem(7, Disturbance("supplier_delay", "mild", 2, (3.0,), announced=False))
    assert np.array_equal(leads(delayed, 1), leads(a_problem(), 1))
    assert np.array_equal(leads(delayed, 2) - leads(a_problem(), 2), np.broadcast_to([3, 0], (30, 10, 2)))


def test_hypermarkets_pay_after_twenty_days_and_the_others_at_random() -> None:
    drawn = year_of(a_problem(), receivable_days)
    assert drawn.shape == (360, 3)
    assert drawn.dtype == np.int64
    assert np.unique(drawn[:, 0]).tolist() == [20]
    assert np.unique(drawn[:, 1]).tolist() == list(range(10, 21))
    assert np.unique(drawn[:, 2]).tolist() == list(range(1, 21))


def test_demand_shocks_are_lognormal_with_mean_one() -> None:
    shocks = year_of(a_problem(), demand_shocks)
    assert shocks.shape == (360, 12, 3)
    assert shocks.mean() == pytest.approx(1, abs=0.003)
    assert np.log(shocks).std() == pytest.approx(0.08, abs=0.002)
    assert np.log(shocks).mean() == pytest.approx(-0.0032, abs=0.003)


@pytest.mark.parametrize("draw", DRAWS)
def test_a_draw_does_not_depend_on_horizon_or_order(draw: Any) -> None:
    problem, longer = a_problem(4_711), replace(a_problem(4_711), horizon=24)
    draw.cache_clear()
    backwards = {number: draw(problem, number) for number in (6, 1, 3)}
    draw.cache_clear()
    for number in (1, 3, 6):
        assert np.array_equal(draw(longer, number), backwards[number])


@pytest.mark.parametrize("draw", DRAWS)
def test_a_draw_is_kept_and_read_only(draw: Callable[[Problem, int], Any]) -> None:
    drawn = draw(a_problem(), 2)
    assert draw(a_problem(), 2) is drawn
    assert not drawn.flags.writeable


@pytest.mark.parametrize("draw", DRAWS)
def test_g4_17_problems_draw_their_own_series_and_a_child_process_the_same_ones(
    draw: Callable[[Problem, int], Any],
) -> None:
    series = [draw(a_problem(seed), 1) for seed in range(4)]
    for index, one in enumerate(series):
        assert not any(np.array_equal(one, other) for other in series[index + 1 :])
        assert not np.array_equal(one, draw(a_problem(index), 2))
    asked = f"""
from erpsim.exogenous import {draw.__name__} as draw
from erpsim.problem import MarketSettings, Opening, Problem
opening, market = Opening(3_000_000, 8_000_000), {CALM!r}
print(draw(Problem("P001", 3, "baseline", "calm", 6, opening, market), 1).tobytes().hex())
"""
    root = Path(__file__).parents[2]
    answer = subprocess.run([sys.executable, "-c", asked], cwd=root, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == series[3].tobytes().hex()
