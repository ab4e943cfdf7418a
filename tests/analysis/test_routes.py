"""Routes of each ecology, and whether they are the same."""

from dataclasses import replace

import pandas as pd

from analysis.routes import route_check, routes
from erpsim.records import RoundRow
from tests.analysis.panels import cell
from tests.analysis.samples import frame, rounds_of, two_by_two


def _rounds(**by_ecology: str) -> pd.DataFrame:
    rows = [replace(row, route=by_ecology[row.ecology]) for item in two_by_two() for row in rounds_of(item)]
    return frame(rows, RoundRow)


def test_a_round_that_two_routes_answered_counts_for_both() -> None:
    found = routes(_rounds(solo="m|f|east", arena="m|f|east;m|f|west"))
    assert cell(found, "rounds", ecology="solo", model="a", route="m|f|east") == 4
    assert cell(found, "rounds", ecology="arena", model="a", route="m|f|east") == 4
    assert cell(found, "rounds", ecology="arena", model="a", route="m|f|west") == 4


def test_a_route_of_one_ecology_only_is_named() -> None:
    found = route_check(routes(_rounds(solo="m|f|east", arena="m|f|east;m|f|west")))
    assert found.iloc[0].tolist() == ["a", False, "", "m|f|west", 0]


def test_the_same_routes_pass() -> None:
    assert route_check(routes(_rounds(solo="m|f|east", arena="m|f|east")))["same_routes"].tolist() == [True, True]


def test_unknown_routes_are_counted_and_prove_nothing() -> None:
    found = route_check(routes(_rounds(solo="", arena="")))
    assert found["same_routes"].tolist() == [False, False]
    assert found["unknown_rounds"].tolist() == [8, 8]
    partly = _rounds(solo="m|f|east", arena="m|f|east")
    partly["route"] = partly["route"].where(partly.index > 0)
    assert route_check(routes(partly)).iloc[0].tolist() == ["a", True, "", "", 1]


def test_rules_have_no_route_and_one_ecology_has_no_check() -> None:
    rounds = _rounds(solo="m|f|east", arena="m|f|east")
    rounds["model"] = rounds["model"].where(rounds["model"] != "b")
    assert set(routes(rounds)["model"]) == {"a"}
    assert route_check(routes(rounds[rounds["ecology"] == "solo"])).empty
