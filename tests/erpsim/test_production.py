"""The line by hand: a day has 24 h, and at a capacity of 24,000 units a day an hour makes 1,000 units."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.catalogue import MATERIAL_INDEX, RECIPES, SKU_INDEX
from erpsim.production import Line, Run, Schedule, day_ticks, schedule
from erpsim.units import FloatArray, IntArray

HOUR = 24_000  # ticks at the capacity of `LINE`
LINE = Line(capacity=24_000, hours_percent=100, setup_hours=8, last_sku=-1)
NUT, ORIGINAL, MIXED_KILO = SKU_INDEX["NUT-500"], SKU_INDEX["ORIGINAL-500"], SKU_INDEX["MIXED-1000"]
PLENTY = np.full(10, 10_000_000)
NO_RECEIPTS = np.zeros((30, 10), dtype=np.int64)


def _materials(**quantities: int) -> IntArray:
    stock = np.zeros(10, dtype=np.int64)
    for name, quantity in quantities.items():
        stock[MATERIAL_INDEX[name]] = quantity
    return stock


def _receipts(*arriving: tuple[int, str, int]) -> IntArray:
    """Receipts from (day 1 … 30, material, quantity)."""
    receipts = NO_RECEIPTS.copy()
    for day, name, quantity in arriving:
        receipts[day - 1, MATERIAL_INDEX[name]] += quantity
    return receipts


def _hours(run: Run, hour: int = HOUR) -> tuple[float, float, float]:
    return run.setup_start / hour, run.start / hour, run.end / hour


def _by_days(row: IntArray | FloatArray) -> dict[int, int]:
    return {int(day) + 1: int(row[day]) for day in np.flatnonzero(row)}


def test_two_setups_and_a_late_material() -> None:
    # 40,000 ORIGINAL-500 hold 0.25 kg wheat and oats each: 10,000 kg; 24,000 NUT-500 hold 0.175 kg of each: 4,200 kg,
    # and 0.15 kg of nuts: 3,600 kg, which come on the morning of day 5, hour 96.
    stock = _materials(wheat=14_200, oats=14_200, small_box=64_000, small_bag=64_000)
    receipts = _receipts((5, "nuts", 3_600))
    made = schedule([(ORIGINAL, 24_000), (ORIGINAL, 16_000), (NUT, 24_000)], LINE, stock, receipts)

    # Setup 0-8 h, run 8-32 h; the same SKU follows without setup 32-48 h; setup 48-56 h, wait to 96 h, run to 120 h.
    assert [_hours(run) for run in made.runs] == [(0, 8, 32), (32, 32, 48), (48, 96, 120)]
    assert [run.setup for run in made.runs] == [True, False, True]
    assert [(outcome.granted, outcome.code) for outcome in made.outcomes] == [(24_000, ""), (16_000, ""), (24_000, "")]
    assert [_by_days(row) for row in made.output] == [{1: 16_000, 2: 8_000}, {2: 16_000}, {5: 24_000}]
    assert _by_days(made.setup_hours) == {1: 8, 3: 8}
    # Wheat: 16,000 x 0.25 on day 1, 24,000 x 0.25 on day 2, 24,000 x 0.175 on day 5.
    assert _by_days(made.usage[:, MATERIAL_INDEX["wheat"]]) == {1: 4_000, 2: 6_000, 5: 4_200}
    assert _by_days(made.usage[:, MATERIAL_INDEX["nuts"]]) == {5: 3_600}
    assert _by_days(made.usage[:, MATERIAL_INDEX["small_bag"]]) == {1: 16_000, 2: 24_000, 5: 24_000}
    assert made.last_sku == NUT


@pytest.mark.parametrize("asked", [-2_500, -1, 0, 499, 1_499, 1_500, 2_500, 15_999])
def test_g4_13_less_than_the_smallest_lot_is_skipped_and_told(asked: int) -> None:
    made = schedule([(NUT, asked)], LINE, PLENTY, NO_RECEIPTS)
    assert made.outcomes == ((asked, 0, "lot_size", "lot_size"),)
    assert made.runs == ()
    assert made.last_sku == -1
    assert made.output.shape == (0, 30)
    assert made.batches.usage.shape == (0, 10)
    assert not made.usage.any()
    assert not made.setup_hours.any()


@pytest.mark.parametrize(
    ("asked", "granted"), [(16_000, 16_000), (16_499, 16_000), (17_499, 17_000), (17_500, 17_000), (18_500, 18_000)]
)
def test_g4_13_lots_are_rounded_down_never_to_the_nearest(asked: int, granted: int) -> None:
    code, limit = ("", "") if asked == granted else ("lot_step", 1_000)
    assert schedule([(NUT, asked)], LINE, PLENTY, NO_RECEIPTS).outcomes == ((asked, granted, code, limit),)


@pytest.mark.parametrize("asked", [48_001, 49_000, 10**12])
def test_more_than_the_largest_lot_is_cut_to_it(asked: int) -> None:
    made = schedule([(NUT, asked)], LINE, PLENTY, NO_RECEIPTS)
    assert made.outcomes == ((asked, 48_000, "lot_maximum", 48_000),)


def test_the_largest_lot_is_granted_whole() -> None:
    assert schedule([(NUT, 48_000)], LINE, PLENTY, NO_RECEIPTS).outcomes == ((48_000, 48_000, "", ""),)


def test_an_outage_shortens_every_day() -> None:
    # At 55 % a day has 13.2 h. Setup takes 8 h of day 1 and leaves 5.2 h, 5,200 units; the other 10,800 are made in the
    # first 10.8 h of day 2, and the next setup's 8 h are the last 2.4 h of day 2 and 5.6 h of day 3.
    line = LINE._replace(hours_percent=55)
    made = schedule([(NUT, 16_000), (ORIGINAL, 16_000)], line, PLENTY, NO_RECEIPTS)
    assert day_ticks(line) == round(13.2 * HOUR)
    assert [_hours(run) for run in made.runs] == [(0, 8, 24), (24, 32, 48)]
    assert [_by_days(row) for row in made.output] == [{1: 5_200, 2: 10_800}, {3: 7_600, 4: 8_400}]
    assert made.setup_hours[:4] == pytest.approx([8, 2.4, 5.6, 0])


def test_receipts_of_a_day_are_there_when_a_shortened_day_begins() -> None:
    line = LINE._replace(hours_percent=55)
    stock = _materials(wheat=2_800, oats=2_800, small_box=16_000, small_bag=16_000)
    made = schedule([(NUT, 16_000)], line, stock, _receipts((3, "nuts", 2_400)))
    assert made.runs[0].start == 2 * day_ticks(line)


def test_an_hour_without_power_makes_nothing() -> None:
    made = schedule([(NUT, 16_000)], LINE._replace(hours_percent=0), PLENTY, NO_RECEIPTS)
    assert made.outcomes == ((16_000, 0, "capacity", "capacity"),)


def test_what_no_longer_fits_into_the_round_is_cut_then_skipped() -> None:
    # 720 h less one setup are 712,000 units of one SKU: 14 x 48,000 are 672,000 and leave 40,000.
    items = [(NUT, 48_000)] * 14
    made = schedule([*items, (NUT, 48_000), (NUT, 16_000)], LINE, PLENTY, NO_RECEIPTS)
    assert made.outcomes[14:] == ((48_000, 40_000, "capacity", 40_000), (16_000, 0, "capacity", "capacity"))
    assert made.runs[-1].end == 720 * HOUR
    # Another SKU needs a setup first, which leaves 32 h.
    changed = schedule([*items, (ORIGINAL, 48_000)], LINE, PLENTY, NO_RECEIPTS)
    assert changed.outcomes[14] == (48_000, 32_000, "capacity", 32_000)


def test_a_run_may_end_on_the_last_tick_and_not_later() -> None:
    full = _materials(wheat=8_400, oats=8_400, small_box=48_000, small_bag=48_000)
    fits = schedule([(NUT, 48_000)], LINE, full, _receipts((29, "nuts", 7_200)))
    assert _hours(fits.runs[0]) == (0, 672, 720)
    # On day 30's morning 24 h are left: 24,000 units.
    late = schedule([(NUT, 48_000)], LINE, full, _receipts((30, "nuts", 7_200)))
    assert late.outcomes == ((48_000, 24_000, "material", 24_000),)
    assert _hours(late.runs[0]) == (0, 696, 720)


def test_of_a_small_early_and_a_large_late_run_the_largest_in_time_is_taken() -> None:
    # Nuts for 30,000 units lie there; for more they come on day 30, when 24 h are left: 30,000 at once it is.
    stock = _materials(nuts=4_500, wheat=8_400, oats=8_400, small_box=48_000, small_bag=48_000)
    made = schedule([(NUT, 48_000)], LINE, stock, _receipts((30, "nuts", 2_700)))
    assert made.outcomes == ((48_000, 30_000, "material", 30_000),)
    assert _hours(made.runs[0]) == (0, 8, 38)
    # When they come on day 29, all 48,000 wait for them.
    waits = schedule([(NUT, 48_000)], LINE, stock, _receipts((29, "nuts", 2_700)))
    assert waits.outcomes == ((48_000, 48_000, "", ""),)
    assert _hours(waits.runs[0]) == (0, 672, 720)


def test_a_lot_cut_by_step_and_then_by_material_tells_the_material() -> None:
    stock = _materials(nuts=2_550, wheat=8_400, oats=8_400, small_box=48_000, small_bag=48_000)
    made = schedule([(NUT, 20_500)], LINE, stock, NO_RECEIPTS)
    assert made.outcomes == ((20_500, 17_000, "material", 17_000),)


def test_the_bound_that_is_met_first_is_named() -> None:
    # 40 h are left after setup, enough for 40,000 units; nuts suffice for 30,000, and then for 44,000.
    line = LINE._replace(setup_hours=680)
    stock = _materials(nuts=4_500, wheat=8_400, oats=8_400, small_box=48_000, small_bag=48_000)
    assert schedule([(NUT, 48_000)], line, stock, NO_RECEIPTS).outcomes == ((48_000, 30_000, "material", 30_000),)
    stock[MATERIAL_INDEX["nuts"]] = 6_600
    assert schedule([(NUT, 48_000)], line, stock, NO_RECEIPTS).outcomes == ((48_000, 40_000, "capacity", 40_000),)


def test_a_skipped_item_leaves_the_line_as_it_was() -> None:
    stock = _materials(wheat=20_000, oats=20_000, small_box=64_000, small_bag=64_000)
    made = schedule([(ORIGINAL, 16_000), (NUT, 16_000), (ORIGINAL, 16_000)], LINE, stock, NO_RECEIPTS)
    assert made.outcomes[1] == (16_000, 0, "material", "material")
    assert [run.item for run in made.runs] == [0, 2]
    assert [_hours(run) for run in made.runs] == [(0, 8, 24), (24, 24, 40)]
    assert made.last_sku == ORIGINAL


def test_without_time_and_material_the_time_is_named() -> None:
    made = schedule([(NUT, 16_000)], LINE._replace(setup_hours=705), _materials(), NO_RECEIPTS)
    assert made.outcomes == ((16_000, 0, "capacity", "capacity"),)


def test_nothing_overtakes_an_item_that_waits() -> None:
    stock = PLENTY.copy()
    stock[MATERIAL_INDEX["nuts"]] = 0
    made = schedule([(NUT, 16_000), (ORIGINAL, 16_000)], LINE, stock, _receipts((4, "nuts", 2_400)))
    assert [_hours(run) for run in made.runs] == [(0, 72, 88), (88, 96, 112)]


def test_material_that_an_earlier_item_needs_is_not_promised_twice() -> None:
    # Nuts for 24,000 units: the first item takes 16,000 of them; the second finds 8,000 until the rest comes on day 7.
    stock = PLENTY.copy()
    stock[MATERIAL_INDEX["nuts"]] = 3_600
    made = schedule([(NUT, 16_000), (NUT, 16_000)], LINE, stock, _receipts((7, "nuts", 1_200)))
    assert [_hours(run) for run in made.runs] == [(0, 8, 24), (24, 144, 160)]


def test_the_line_starts_set_up_for_its_last_sku() -> None:
    made = schedule([(NUT, 16_000)], LINE._replace(last_sku=NUT), PLENTY, NO_RECEIPTS)
    assert _hours(made.runs[0]) == (0, 0, 16)
    assert not made.setup_hours.any()


def test_units_of_a_day_are_the_floor_of_the_cumulative_output() -> None:
    # At 25,000 a day, 8 h are 8,333 1/3 units: day 1 makes 16,666 2/3, counted 16,666, and day 2 the rest.
    made = schedule([(NUT, 41_000)], LINE._replace(capacity=25_000), PLENTY, NO_RECEIPTS)
    assert _by_days(made.output[0]) == {1: 16_666, 2: 24_334}
    # 0.175 kg of wheat in each: 2,916.55 kg, booked 2,916, and all 7,175 kg at the end.
    assert _by_days(made.usage[:, MATERIAL_INDEX["wheat"]]) == {1: 2_916, 2: 4_259}


def test_a_run_that_starts_in_a_days_last_ticks_finishes_nothing_on_it() -> None:
    # At 24,001 a day has 24 x 24,001 = 576,024 ticks; setup takes 192,008 and 16,000 units 384,000 more: 16 are left.
    made = schedule([(NUT, 16_000), (NUT, 16_000)], LINE._replace(capacity=24_001), PLENTY, NO_RECEIPTS)
    assert made.runs[1].start == 576_008
    assert [_by_days(row) for row in made.output] == [{1: 16_000}, {2: 16_000}]
    assert made.batches.units.tolist() == [16_000, 16_000]


def test_nothing_asked_makes_nothing_and_keeps_the_setup() -> None:
    made = schedule([], LINE._replace(last_sku=MIXED_KILO), PLENTY, NO_RECEIPTS)
    assert (made.runs, made.outcomes, made.last_sku) == ((), (), MIXED_KILO)


def test_a_schedule_cannot_be_edited() -> None:
    made = schedule([(NUT, 16_000)], LINE, PLENTY, NO_RECEIPTS)
    arrays = (made.output, made.usage, made.setup_hours, *made.batches)
    assert not any(array.flags.writeable for array in arrays)


class Case(NamedTuple):
    items: list[tuple[int, int]]
    line: Line
    stock: IntArray
    receipts: IntArray


# Choices rather than ranges: wide ranges are drawn near their lower end, where no material makes a whole lot.
QUANTITIES = st.sampled_from([3_001, 9_999, 40_000, 120_000, 120_000])
ARRIVALS = st.tuples(st.integers(0, 29), st.integers(0, 9), st.sampled_from([1_234, 6_000, 20_000, 70_000]))
ASKED = st.sampled_from([0, 15_999, 16_000, 17_500, 24_000, 33_333, 48_000, 60_000])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    items = draw(st.lists(st.tuples(st.sampled_from([0, 1, 4, 6, 11]), ASKED), min_size=2, max_size=14))
    line = Line(
        capacity=1_000 * draw(st.sampled_from([5, 11, 24, 37])),
        hours_percent=draw(st.sampled_from([37, 55, 80, 100])),
        setup_hours=draw(st.integers(0, 16)),
        last_sku=draw(st.sampled_from([-1, 0, 4])),
    )
    stock = np.array(draw(st.lists(QUANTITIES, min_size=10, max_size=10)), dtype=np.int64)
    receipts = NO_RECEIPTS.copy()
    for day, material, quantity in draw(st.lists(ARRIVALS, min_size=15, max_size=50)):
        receipts[day, material] += quantity
    return Case(items, line, stock, receipts)


def _reference(case: Case) -> list[tuple[int, int, Fraction, Fraction]]:
    """The rule read word by word, in hours and by trial: (item, quantity, start, end) of each run."""
    line, free, sku = case.line, Fraction(0), case.line.last_sku
    day_hours = Fraction(24 * line.hours_percent, 100)
    needed = np.zeros(10, dtype=np.int64)
    runs = []
    for index, (wanted, asked) in enumerate(case.items):
        ready = free + (0 if wanted == sku else line.setup_hours)
        for quantity in range(min(asked, 48_000) // 1_000 * 1_000, 15_999, -1_000):
            need = RECIPES[wanted] * quantity // 1_000
            covered = (
                day for day in range(30) if (case.stock + case.receipts[: day + 1].sum(axis=0) - needed >= need).all()
            )
            first = next(covered, None)
            if first is None:
                continue
            start = max(ready, first * day_hours)
            end = start + Fraction(24 * quantity, line.capacity)
            if end <= 30 * day_hours:
                runs.append((index, quantity, start, end))
                free, sku, needed = end, wanted, needed + need
                break
    return runs


def _schedule(case: Case) -> Schedule:
    return schedule(case.items, case.line, case.stock, case.receipts)


@given(cases())
def test_the_schedule_is_the_rule_read_word_by_word(case: Case) -> None:
    hour = case.line.capacity
    found = [
        (run.item, run.quantity, Fraction(run.start, hour), Fraction(run.end, hour)) for run in _schedule(case).runs
    ]
    assert found == _reference(case)


@given(cases())
def test_scheduling_what_was_granted_changes_nothing(case: Case) -> None:
    once = _schedule(case)
    items = [(run.sku, run.quantity) for run in once.runs]
    again = schedule(items, case.line, case.stock, case.receipts)
    assert [run[1:] for run in again.runs] == [run[1:] for run in once.runs]
    assert [(outcome.granted, outcome.code) for outcome in again.outcomes] == [(quantity, "") for _, quantity in items]
    assert np.array_equal(again.output, once.output)
    assert np.array_equal(again.usage, once.usage)
    assert np.array_equal(again.setup_hours, once.setup_hours)
    assert again.last_sku == once.last_sku


@given(cases())
def test_a_run_makes_all_its_units_and_books_out_all_their_materials(case: Case) -> None:
    made = _schedule(case)
    batches = made.batches
    assert (batches.units > 0).all()
    assert (batches.usage >= 0).all()
    assert (np.diff(batches.day) >= 0).all()
    for index, (run, output) in enumerate(zip(made.runs, made.output, strict=True)):
        assert output.sum() == run.quantity
        used = batches.usage[batches.run == index].sum(axis=0)
        assert np.array_equal(used * 1_000, RECIPES[run.sku] * run.quantity)
    assert np.array_equal(made.usage.sum(axis=0), batches.usage.sum(axis=0))
    n_setups = sum(run.setup for run in made.runs)
    assert made.setup_hours.sum() == pytest.approx(n_setups * case.line.setup_hours)


@given(cases())
def test_materials_never_leave_before_they_came(case: Case) -> None:
    made = _schedule(case)
    left = case.stock + np.cumsum(case.receipts - made.usage, axis=0)
    assert left.min() >= 0


@given(cases())
def test_each_outcome_says_what_was_granted_and_why_not_more(case: Case) -> None:
    made = _schedule(case)
    granted = {run.item: run.quantity for run in made.runs}
    for index, outcome in enumerate(made.outcomes):
        assert outcome.granted == granted.get(index, 0)
        assert (outcome.code == "") == (outcome.granted == outcome.asked > 0)
        if not outcome.granted:
            assert outcome.limit == outcome.code
            assert outcome.code in {"capacity", "material", "lot_size"}
        elif outcome.code:
            assert outcome.code in {"lot_step", "lot_maximum", "capacity", "material"}
            assert outcome.granted < outcome.asked
