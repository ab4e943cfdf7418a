"""Sources that are merged: halves of one design, and models that were run again."""

from dataclasses import replace

import pytest

from analysis.report import Report, build
from analysis.several import merge, unique_names
from analysis.source import Source
from erpsim.errors import RunError
from erpsim.records import OutcomeRow
from tests.analysis.samples import event, failure, planned, records, two_by_two


def _source(rows: list[OutcomeRow], name: str = "run", **given: object) -> Source:
    made = records(rows, [event("solo", "a", "traceback")], [failure("arena/P9", "rate")])
    return replace(Source(name, f"Run {name}", made, planned(rows), given={"run_id": name}), **given)  # type: ignore[arg-type]


def _merged(*sources: Source) -> Report:
    return build(merge(sources))


def _of(ecology: str) -> list[OutcomeRow]:
    return [row for row in two_by_two() if row.ecology == ecology]


def test_a_single_source_is_given_back() -> None:
    source = _source(two_by_two())
    assert merge([source]) is source


def test_solo_of_one_run_and_arena_of_another_make_the_whole_design() -> None:
    halves = _merged(_source(_of("solo"), "one"), _source(_of("arena"), "two")).figures
    whole = build(_source(two_by_two())).figures
    assert halves["models"] == whole["models"]
    assert halves["agreement"] == whole["agreement"]
    assert halves["coverage"] == whole["coverage"]
    assert halves["certificate"]["run"] == {"sources": {"one": {"run_id": "one"}, "two": {"run_id": "two"}}}


def test_the_order_of_the_sources_does_not_matter_to_the_figures() -> None:
    one, two = _source(_of("solo"), "one"), _source(_of("arena"), "two")
    assert _merged(one, two).figures["models"] == _merged(two, one).figures["models"]


def test_problems_of_two_runs_are_pooled_under_one_label() -> None:
    parts = [[row for row in two_by_two() if row.problem_id == name] for name in ("P1", "P2")]
    pooled = _merged(_source(parts[0], "one"), _source(parts[1], "two")).figures
    assert pooled["models"] == build(_source(two_by_two())).figures["models"]


def test_a_model_that_was_run_again_is_named_by_its_run() -> None:
    better = [replace(row, valuation=row.valuation + 1e6) for row in two_by_two()]
    report = _merged(_source(two_by_two(), "old"), _source(better, "new", standins=frozenset({"a"})))
    models = report.figures["models"]
    assert set(models) == {"a@old", "b@old", "a@new", "b@new"}
    assert models["a@new"]["solo"]["mean_valuation_m"] == models["a@old"]["solo"]["mean_valuation_m"] + 1.0
    assert models["a@old"]["delta_m"] == models["a@new"]["delta_m"] == -1.5
    # On P1 in Solo the four are worth 5, 3, 6 and 4 million, on P2 2, 4, 3 and 5.
    assert models["a@old"]["solo"]["mean_rank"] == (2 + 4) / 2
    assert report.figures["certificate"]["standins"] == ["a@new"]
    assert any("label@run: a, b" in remark for remark in report.remarks)
    assert report.coverage.complete


def test_only_the_model_that_was_run_again_is_renamed() -> None:
    again = [row for row in two_by_two() if row.ecology == "solo" and row.model == "a"]
    models = _merged(_source(two_by_two(), "old"), _source(again, "new")).figures["models"]
    assert set(models) == {"a@old", "b", "a@new"}
    assert models["a@new"]["arena"]["mean_valuation_m"] is None


def test_two_arenas_of_different_models_keep_their_labels() -> None:
    others = [replace(row, model={"a": "c", "b": "d"}[str(row.model)]) for row in _of("arena")]
    report = _merged(_source(_of("arena"), "one"), _source(others, "two"))
    assert set(report.figures["models"]) == {"a", "b", "c", "d"}
    assert report.coverage.complete


def test_missing_markets_of_a_merged_run_keep_their_cause() -> None:
    rows = [row for row in two_by_two() if row.market_id != "arena/P2"]
    broken = replace(_source(rows, "one"), planned=planned(two_by_two()))
    broken = replace(broken, records=records(rows, failures=[failure("arena/P2", "overloaded")]))
    report = _merged(broken, _source(two_by_two(), "two"))
    assert [item.cause for item in report.coverage.missing] == ["overloaded"] * 2
    assert {item.trajectory.model for item in report.coverage.missing} == {"a@one", "b@one"}


def test_runs_of_different_rules_are_refused() -> None:
    other = [replace(row, rules_version="2.0") for row in _of("arena")]
    two = replace(_source(other, "two"), records=records(other))
    with pytest.raises(RunError, match=r"one has 1\.0, two has 2\.0; report them apart"):
        merge([_source(_of("solo"), "one"), two])


def test_problems_of_one_name_that_differ_are_refused() -> None:
    other = [replace(row, seed=8) for row in _of("arena")]
    with pytest.raises(RunError, match="problem_id P1 has more than one seed: 7, 8"):
        _merged(_source(_of("solo"), "one"), _source(other, "two"))


def test_each_source_must_agree_with_itself() -> None:
    with pytest.raises(RunError, match="more than once"):
        merge([_source([*_of("solo"), _of("solo")[0]], "one"), _source(_of("arena"), "two")])


def test_what_one_source_lacks_the_whole_lacks() -> None:
    lacking = replace(_source(_of("solo"), "one"), lacks=frozenset({"events"}))
    assert set(_merged(lacking, _source(_of("arena"), "two")).figures["interventions"].values()) == {None}


def test_folders_of_one_name_are_told_apart() -> None:
    assert unique_names(["a", "b", "a", "a"]) == ["a", "b", "a-2", "a-3"]
