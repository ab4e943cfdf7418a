from collections import Counter
from pathlib import Path

import pytest

from ecologies.compositions import HARD, compose
from ecologies.describe import bars, coverage, describe
from ecologies.disturbances import HARDSHIPS, KINDS, STRENGTHS, compatible, scenario, variants
from ecologies.panel import (
    CASH_FLOOR,
    CASH_RANGE,
    DEMAND_FLOOR,
    LOW_CASH_RANGE,
    PANEL_SEED,
    SIZE_RANGE,
    TREND_RANGE,
    demand_level,
    generate,
    main,
)
from ecologies.problems import shipped_panel
from erpsim.catalogue import ACTIVE
from erpsim.ledger import Account
from erpsim.opening import open_firm
from erpsim.problem import Problem

PROBLEMS = shipped_panel().problems
DATA = Path(__file__).resolve().parents[2] / "ecologies" / "data"

by_problem = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.problem_id)


def test_the_shipped_panel_is_generated_byte_for_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 0
    for name in ("panel.json", "panel.json.sha256"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()
    assert "100 problems" in capsys.readouterr().out


def test_the_panel_holds_100_problems_in_four_strata() -> None:
    assert [problem.problem_id for problem in PROBLEMS] == [f"P{number:03d}" for number in range(1, 101)]
    counts = Counter(problem.stratum for problem in PROBLEMS)
    assert counts == {"baseline": 40, "dual_pressure": 30, "hard": 15, "random_hard": 15}


def test_strata_have_the_disturbances_they_promise() -> None:
    for problem in PROBLEMS:
        levels = [one.level for one in problem.disturbances]
        allowed = {
            "baseline": levels in ([], ["mild"]),
            "dual_pressure": len(levels) == 2,
            "hard": levels in (["strong"] * 2, ["strong"] * 3),
            "random_hard": levels in (["strong"] * 3, ["strong"] * 4),
        }
        assert allowed[problem.stratum], problem.problem_id


@by_problem
def test_a_problem_stays_within_the_figures_of_its_kind(problem: Problem) -> None:
    market = problem.market
    assert SIZE_RANGE[0] <= market.size <= SIZE_RANGE[1]
    assert TREND_RANGE[0] <= market.trend <= TREND_RANGE[1]
    assert 0.85 <= market.sensitivity <= 1.15
    assert 0.20 <= market.outside_share <= 0.35
    assert 0.9 <= market.material_level <= 1.2
    assert problem.scenario == scenario(problem.disturbances)
    assert compatible(one.kind for one in problem.disturbances)
    for one in problem.disturbances:
        assert one.magnitude in variants(one.kind, one.level, problem.horizon)
        assert one.start_round + one.length - 1 <= problem.horizon


@by_problem
def test_a_problem_is_hard_and_never_hopeless(problem: Problem) -> None:
    firm = open_firm(problem, 0)
    assert firm.credit.limit >= 1.1 * -int(firm.balances[Account.LOAN])
    assert demand_level(problem) >= DEMAND_FLOOR
    assert problem.opening.cash >= CASH_FLOOR


@by_problem
def test_opening_disturbances_are_already_in_the_opening(problem: Problem) -> None:
    by_kind = {one.kind: one for one in problem.disturbances}
    units = sum(map(sum, problem.opening.goods))
    assert units == (by_kind["opening_overstock"].magnitude[0] if "opening_overstock" in by_kind else 0)
    if "credit_freeze" in by_kind:
        assert problem.opening.cash <= LOW_CASH_RANGE[1]
        assert by_kind["credit_freeze"].start_round <= 2
    elif "opening_cash" in by_kind:
        assert problem.opening.cash <= CASH_RANGE[1] + by_kind["opening_cash"].magnitude[0]
    else:
        assert CASH_RANGE[0] <= problem.opening.cash <= CASH_RANGE[1]


def test_overstock_lies_in_active_cells_only() -> None:
    goods = [problem.opening.goods for problem in PROBLEMS if problem.opening.goods]
    assert goods
    for rows in goods:
        assert all((units > 0) == bool(ACTIVE[j, k]) for j, row in enumerate(rows) for k, units in enumerate(row))


def test_every_problem_differs_from_every_other_even_when_calm() -> None:
    assert len({problem.market for problem in PROBLEMS}) == 100
    assert len({problem.seed for problem in PROBLEMS}) == 100


def test_every_kind_comes_in_every_stratum_and_at_both_levels() -> None:
    found = {(one.kind, problem.stratum) for problem in PROBLEMS for one in problem.disturbances}
    assert found == {
        *((kind, stratum) for kind in KINDS for stratum in ("baseline", "dual_pressure", "hard")),
        *((kind, "random_hard") for kind in HARDSHIPS),
    }
    levels = {(one.kind, one.level) for problem in PROBLEMS for one in problem.disturbances}
    assert levels == {(kind, level) for kind in KINDS for level in ("mild", "strong")}


@pytest.mark.parametrize("seed", [PANEL_SEED, 3, 77])
def test_random_hardship_draws_what_harms_about_equally_often_and_never_a_set_twice(seed: int) -> None:
    drawn = [
        [one.kind for one in problem.disturbances] for problem in generate(seed) if problem.stratum == "random_hard"
    ]
    assert Counter(map(len, drawn)) == {3: 5, 4: 10}
    assert len({frozenset(kinds) for kinds in drawn}) == 15
    times = Counter(kind for kinds in drawn for kind in kinds)
    assert set(times) == set(HARDSHIPS)
    assert max(times.values()) - min(times.values()) <= 2


def test_no_pair_of_the_dual_stratum_comes_twice_and_kinds_come_equally_often() -> None:
    pairs = [problem.scenario for problem in PROBLEMS if problem.stratum == "dual_pressure"]
    assert len(set(pairs)) == 30
    assert set(Counter(kind for pair in pairs for kind in pair.split("+")).values()) == {5}


def test_strengths_are_those_of_the_kinds() -> None:
    assert variants("demand_slump", "mild", 6) == ((-0.10,) * 6, (-0.25,))
    assert variants("demand_slump", "strong", 6) == ((-0.15,) * 6, (-0.40, -0.40))
    assert variants("capacity_outage", "strong", 6) == ((0.45, 0.45, 0.20),)
    assert variants("material_price", "mild", 6) == ((1.25,), (1.25, 1.25))
    assert variants("setup_time", "strong", 2) == ((16.0, 16.0),)
    assert set(STRENGTHS) < set(KINDS)


def test_kinds_that_cancel_or_cripple_never_meet() -> None:
    assert not compatible(["demand_slump", "demand_slump"])
    assert not compatible(["demand_slump", "carbon_price", "demand_surge"])
    assert compatible(["demand_slump", "carbon_price"])
    assert all(compatible(blow.kind for blow in blows) for blows in HARD.values())


def test_compositions_come_around_again_and_fit_a_short_game() -> None:
    assert compose(0, 6) == compose(len(HARD), 6)
    short = compose(0, 2)
    assert [one.start_round + one.length - 1 for one in short] == [2, 2]


def test_another_seed_gives_other_problems_and_the_same_seed_the_same() -> None:
    first, again, other = generate(5, 12), generate(5, 12), generate(6, 12)
    assert first == again
    assert not set(first) & set(other)
    assert [problem.stratum for problem in first].count("baseline") == 5
    assert generate(PANEL_SEED, 100) == PROBLEMS


def test_strata_of_a_small_panel_follow_the_largest_remainders() -> None:
    counts = Counter(problem.stratum for problem in generate(1, 6))
    assert counts == {"baseline": 2, "dual_pressure": 2, "hard": 1, "random_hard": 1}
    assert len(generate(1, 1)) == 1


def test_a_short_game_can_be_generated() -> None:
    for problem in generate(3, 20, horizon=2):
        assert all(one.start_round + one.length - 1 <= 2 for one in problem.disturbances)


def test_the_coverage_table_counts_the_data() -> None:
    table = coverage(PROBLEMS)
    assert "| credit_freeze | 2 | 5 | 2 |" in table
    assert "| problems | 40 | 30 | 15 | 15 | | | |" in table
    assert "| opening loan, M EUR | 7.000 | 8.000 | 8.000 |" in table


@by_problem
def test_a_problem_can_be_told(problem: Problem) -> None:
    text = describe(problem)
    assert text.startswith(f"{problem.problem_id}  {problem.stratum}  {problem.scenario}  (6 rounds")
    assert text.count("Disturbed") == len(problem.disturbances)
    assert ("Calm" in text) == (not problem.disturbances)
    assert max(map(len, text.splitlines())) <= 140


def test_bars_stay_within_their_bounds() -> None:
    assert bars([-1.0, 0.0, 0.5, 1.0, 9.0], 0.0, 1.0) == "▁▁▅██"
    assert bars([1.0, 1.0], 1.0, 1.0) == "▁▁"
