"""Tables from elsewhere: the same figures as records, and every dirty input refused in one line."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.foreign import is_foreign, read_foreign
from analysis.foreign_columns import REQUIRED
from analysis.report import Report, build, report_markdown
from analysis.source import Source
from erpsim.errors import RunError
from erpsim.events import PAPER_CATEGORIES
from tests.analysis.csv_folders import drop, edit, folder_of, repeat, write
from tests.analysis.samples import event, outcome, planned, records, rounds_of, two_by_two


def _built(folder: Path) -> Report:
    return build(read_foreign(folder))


def _own() -> Report:
    return build(Source("run", "A run", records(two_by_two()), planned(two_by_two())))


def test_the_required_columns_alone_give_the_figures_of_records(tmp_path: Path) -> None:
    figures = _built(folder_of(tmp_path)).figures
    assert figures["models"] == _own().figures["models"]
    assert figures["agreement"] == _own().figures["agreement"]
    assert figures["coverage"]["parts"] == _own().figures["coverage"]["parts"]


def test_what_optional_columns_would_give_is_named_as_not_computed(tmp_path: Path) -> None:
    report = _built(folder_of(tmp_path))
    assert report.figures["interventions"] == dict.fromkeys(PAPER_CATEGORIES)
    assert report.figures["certificate"]["cost"]["tokens_in"] is None
    assert report.figures["certificate"]["routes"] is None
    told = " ".join(report.figures["certificate"]["not_computed"])
    for word in ("Interventions", "L1 and L2", "Routes", "Cost", "Tokens in", "Market-share paths", "Price paths"):
        assert word in told
        assert word in report_markdown(report)
    shown = {name for section in report.sections for name in section.figures}
    assert not shown & {"audit", "reliability", "share_paths", "price_paths"}


def test_events_are_counted_where_they_are_given(tmp_path: Path) -> None:
    rows = [event("solo", "a", "fallback_decision"), event("arena", "b", "traceback", n=3)]
    write(folder_of(tmp_path), "events", map(vars, rows))
    report = _built(tmp_path)
    assert report.figures["interventions"]["fallback_decision"] == 1
    assert report.figures["interventions"]["traceback"] == 1, "without a column n every row is one event"
    assert "L1 and the shares of rounds that were touched" in " ".join(report.remarks)
    write(tmp_path, "events", map(vars, rows), ["ecology", "problem_id", "model", "category", "round", "n"])
    again = _built(tmp_path)
    assert again.figures["interventions"]["traceback"] == 3
    assert again.figures["certificate"]["interventions"]["fallback"]["highest_share_of_rounds"] == 1 / 8


def test_the_plan_is_the_cross_product_of_what_is_named(tmp_path: Path) -> None:
    report = _built(folder_of(tmp_path, [row for row in two_by_two() if row.market_id != "solo/P2/a"]))
    (gap,) = report.coverage.missing
    assert (gap.trajectory.ecology, gap.trajectory.problem_id, gap.trajectory.model) == ("solo", "P2", "a")
    assert report.figures["models"]["a"]["solo"]["mean_valuation_m"] == 5.0


def test_g5_21_an_empty_valuation_is_missing_and_never_zero(tmp_path: Path) -> None:
    rows = [replace(row, valuation=float("nan")) if row.market_id == "solo/P2/a" else row for row in two_by_two()]
    report = _built(folder_of(tmp_path, rows))
    assert report.figures["models"]["a"]["solo"]["mean_valuation_m"] == 5.0
    assert report.figures["coverage"]["complete"] is False
    assert any("valuations are empty" in note for note in report.remarks)


def test_row_order_does_not_matter(tmp_path: Path) -> None:
    plain = _built(folder_of(tmp_path)).figures
    for table in ("rounds", "outcomes"):
        path = tmp_path / f"{table}.csv"
        header, *lines = path.read_text(encoding="utf-8").splitlines()
        random.Random(3).shuffle(lines)
        path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    assert _built(tmp_path).figures == plain


def test_spellings_of_ecologies_and_strata_are_read(tmp_path: Path) -> None:
    rows = [replace(row, stratum="Random-Hard", ecology=row.ecology.capitalize()) for row in two_by_two()]
    report = _built(folder_of(tmp_path, rows))
    assert report.figures["models"]["a"]["delta_m"] == -1.5
    assert set(report.material.problems["stratum"]) == {"random_hard"}


def test_rows_of_rules_and_unknown_columns_are_set_aside_aloud(tmp_path: Path) -> None:
    folder_of(tmp_path, extra=["weather"])
    with (tmp_path / "rounds.csv").open("a", encoding="utf-8") as file:
        file.write("solo,P1,baseline,,1,5.0,\n")
    remarks = " ".join(_built(tmp_path).remarks)
    assert "columns that no table of records has are not read: weather" in remarks
    assert "1 rows without a model are rules' and are not measured" in remarks


def test_seats_may_change_from_problem_to_problem(tmp_path: Path) -> None:
    rows = [replace(row, seat=0 if row.problem_id == "P1" else 4) for row in two_by_two()]
    assert _built(folder_of(tmp_path, rows, extra=["seat"])).figures["models"] == _own().figures["models"]


def test_a_model_in_two_seats_of_a_market_is_told_apart_by_seat(tmp_path: Path) -> None:
    rows = [
        replace(outcome("mixed", "P1", model, value), seat=seat, market_id="m")
        for seat, (model, value) in enumerate([("a", 10e6), ("b", 6e6), ("a", 4e6)])
    ]
    report = _built(folder_of(tmp_path, rows, extra=["seat"]))
    assert report.figures["models"]["a"]["mixed"]["mean_valuation_m"] == 7.0
    assert report.figures["models"]["a"]["solo"]["mean_valuation_m"] is None


DIRT: list[tuple[str, Callable[[Path], object], str]] = [
    ("a missing round", lambda at: drop(at, "rounds", 2), r"\(a\) has an outcome after 2 rounds and 1 of them"),
    ("a round twice", lambda at: repeat(at, "rounds", 2), r"rounds\.csv has solo P1 a round 1 more than once"),
    ("an outcome twice", lambda at: repeat(at, "outcomes", 3), r"outcomes\.csv has solo P1 b more than once"),
    ("a stratum", lambda at: edit(at, "rounds", 2, "baseline", "easy"), r"line 2: stratum is 'easy'; known are base"),
    ("a text", lambda at: edit(at, "rounds", 3, "5000000.0", "lots"), r"line 3: valuation is 'lots', which is no num"),
    ("a date", lambda at: edit(at, "rounds", 3, ",2,", ",1.5,"), r"line 3: round is '1\.5', which is no whole number"),
    ("a comma", lambda at: edit(at, "rounds", 3, "5000000.0", '"5,5"'), r"'5,5', which is no number"),
    ("python's own", lambda at: edit(at, "rounds", 3, "5000000.0", "5_000"), r"'5_000', which is no number"),
    (
        "infinite",
        lambda at: edit(at, "outcomes", 2, "5000000.0", "inf"),
        r"line 2: valuation is 'inf', which is not fi",
    ),
    ("too large", lambda at: edit(at, "outcomes", 2, "5000000.0", "1e999"), r"'1e999', which is not finite"),
    ("round 0", lambda at: edit(at, "rounds", 2, ",1,", ",0,"), r"round is '0'; rounds are counted from 1"),
    ("no model", lambda at: edit(at, "outcomes", 2, ",a,", ",,"), r"line 2: model is empty"),
    ("a column", lambda at: edit(at, "rounds", 1, "stratum", "level"), r"rounds\.csv: column stratum missing"),
    ("a column twice", lambda at: edit(at, "outcomes", 1, "valuation", "valuation,model"), "'model' comes more than"),
    ("a ragged line", lambda at: edit(at, "rounds", 4, ",1,", ",1,,"), r"line 4 has 7 cells, the header has 6"),
    ("no table", lambda at: (at / "outcomes.csv").unlink(), r"outcomes\.csv: not found"),
    ("an empty file", lambda at: (at / "rounds.csv").write_text(""), r"its first line holds nothing"),
    ("only a header", lambda at: write(at, "rounds", []), r"no row with a model"),
    ("no outcome", lambda at: write(at, "outcomes", []), r"outcomes\.csv has no row, so nothing has an end"),
    (
        "two strata",
        lambda at: edit(at, "rounds", 2, "baseline", "hard"),
        r"P1 as (hard|baseline) and as (hard|baseline)",
    ),
    ("another encoding", lambda at: (at / "rounds.csv").write_bytes(b"\xff\xfe\x00"), "cannot be read as CSV in UTF-8"),
    ("an ecology", lambda at: edit(at, "rounds", 2, "solo", "mars"), "ecology is 'mars'; known are solo, arena, mixed"),
    ("a problem", lambda at: edit(at, "outcomes", 2, "P1", "P9"), "problem P9 is in outcomes.csv and has no round"),
    ("other values", lambda at: edit(at, "outcomes", 2, "5000000.0", "5000001.0"), "ends at 5000001.0 in outcomes"),
]


@pytest.mark.parametrize(("dirty", "message"), [row[1:] for row in DIRT], ids=[row[0] for row in DIRT])
def test_dirty_tables_are_refused_in_one_line(tmp_path: Path, dirty: Callable[[Path], object], message: str) -> None:
    dirty(folder_of(tmp_path))
    with pytest.raises(RunError, match=message) as caught:
        _built(tmp_path)
    assert "\n" not in str(caught.value)


def test_mixed_versions_of_the_rules_are_refused(tmp_path: Path) -> None:
    folder_of(tmp_path, extra=["rules_version"])
    edit(tmp_path, "rounds", 2, "1.0", "2.0")
    with pytest.raises(RunError, match=r"rounds mixes rules_version 1\.0, 2\.0"):
        _built(tmp_path)


def test_an_event_of_a_stranger_is_refused(tmp_path: Path) -> None:
    write(folder_of(tmp_path), "events", [vars(event("solo", "z", "traceback"))])
    with pytest.raises(RunError, match="an event of 'z' in solo, which neither"):
        read_foreign(tmp_path)


def test_a_folder_without_tables_is_none_of_these(tmp_path: Path) -> None:
    assert not is_foreign(tmp_path)
    assert is_foreign(folder_of(tmp_path))


def test_a_round_whose_tokens_are_blank_is_unknown_and_the_others_stay(tmp_path: Path) -> None:
    rows = [vars(replace(row, tokens_in=None)) for item in two_by_two()[:1] for row in rounds_of(item)]
    rows += [vars(row) for item in two_by_two()[1:] for row in rounds_of(item)]
    folder = folder_of(tmp_path)
    write(folder, "rounds", rows, [*REQUIRED["rounds"], "tokens_in", "tokens_out"])
    cost = _built(folder).figures["certificate"]["cost"]
    assert (cost["tokens_in"], cost["tokens_out"], cost["uncounted_rounds"]) == (None, 16, 2)
