import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from ecologies import problems as problems_module
from ecologies.apportion import apportion
from ecologies.panel_file import decode, encode, panel_digest
from ecologies.problems import read_panel, select, shipped_panel
from ecologies.validity import check
from erpsim.errors import ProblemError, WorkError
from erpsim.problem import MarketSettings, Opening, OpeningOrder, Problem

ONE: dict[str, Any] = {
    "problem_id": "X1",
    "seed": 3,
    "stratum": "baseline",
    "scenario": "calm",
    "horizon": 4,
    "opening": {"cash": 3_000_000, "loan": 8_000_000},
    "market": {"size": 1, "trend": 0.0, "sensitivity": 1.0, "outside_share": 0.25, "material_level": 1.0},
}
SLUMP = {"kind": "demand_slump", "level": "mild", "start_round": 2, "magnitude": [-0.25], "announced": True}


def panel_text(**changes: Any) -> bytes:
    return json.dumps({"format": 1, "name": "own", "problems": [{**ONE, **changes}]}).encode()


def disturbed(**changes: Any) -> bytes:
    one = {**SLUMP, **changes}
    return panel_text(scenario=one["kind"], disturbances=[one])


def test_the_digest_is_that_of_the_shipped_bytes() -> None:
    data = (resources.files("ecologies") / "data" / "panel.json").read_bytes()
    assert hashlib.sha256(data).hexdigest() == panel_digest(shipped_panel())


def test_a_panel_read_and_written_again_is_the_same() -> None:
    panel = shipped_panel()
    assert decode(encode(panel), "again") == panel


def test_a_shipped_panel_of_another_digest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems_module, "panel_digest", lambda _: "0" * 64)
    shipped_panel.cache_clear()
    with pytest.raises(ProblemError, match=f"the shipped panel has digest {'0' * 64}, not [0-9a-f]{{64}}; restore"):
        shipped_panel()


def test_a_users_panel_is_read_with_its_defaults(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_bytes(panel_text())
    (problem,) = read_panel(tmp_path / "own.json").problems
    assert problem == Problem(
        "X1", 3, "baseline", "calm", 4, Opening(3_000_000, 8_000_000), MarketSettings(1.0, 0.0, 1.0, 0.25, 1.0)
    )
    assert isinstance(problem.market.size, float)
    assert read_panel(None) == shipped_panel()


def test_an_opening_with_stocks_and_orders_is_read() -> None:
    goods = [[0, 10, 20]] * 6 + [[30, 40, 0]] * 6
    order = {"material": "oats", "quantity": 5_000, "receipt_day": 3, "value": 4_600}
    opening = {**ONE["opening"], "goods": goods, "materials": [1_000] * 10, "orders": [order]}
    (problem,) = decode(panel_text(opening=opening), "own").problems
    assert problem.opening.goods[0] == (0, 10, 20)
    assert problem.opening.orders == (OpeningOrder("oats", 5_000, 3, 4_600),)
    assert decode(encode(decode(panel_text(opening=opening), "own")), "again").problems == (problem,)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "own: is no JSON: .*mend that place"),
        (b"\xff\xfe", "own: byte 0 is not UTF-8"),
        (b'{"format": NaN}', "own: is no JSON: NaN is no number"),
        (b'{"format": 1, "format": 1}', "own: is no JSON: key 'format' stands twice"),
        (b"[" * 100_000, "own: is nested too deeply"),
        (b"[]", "own: field the whole is .*mend it"),
        (b'{"format": 1, "name": "x"}', "own: field problems is missing; add it"),
        (b'{"format": 2, "name": "x", "problems": []}', "own: field format is 2: Input should be 1; mend it"),
        (b'{"format": 1, "name": "x", "problems": []}', "own: holds no problem; add at least one"),
        (b'{"format": 1, "name": "x", "problems": [3]}', "own: problem number 1: field the whole is 3"),
        (panel_text(seed="3"), 'own: problem X1: field seed is "3": Input should be a valid integer; mend it'),
        (panel_text(seed=True), "own: problem X1: field seed is true"),
        (panel_text(horizon=6.0), r"problem X1: field horizon is 6\.0: Input should be a valid integer"),
        (panel_text(horizon=0), "problem X1: field horizon is 0: Input should be greater than or equal to 1"),
        (panel_text(colour=1), "problem X1: field colour is unknown; remove it"),
        (panel_text(stratum="easy"), "problem X1: field stratum is \"easy\": Input should be 'baseline', "),
        (panel_text(market={**ONE["market"], "size": 9}), r"problem X1: field market\.size is 9: .*equal to 3; mend"),
        (panel_text(market={**ONE["market"], "size": "1"}), r'field market\.size is "1": .*valid number'),
        (panel_text(market={}), r"problem X1: field market\.size is missing; add it"),
        (panel_text(opening={"cash": -1, "loan": 0}), r"field opening\.cash is -1: .*greater than or equal to 0"),
        (panel_text(problem_id="all"), "problem all: problem_id must be a letter"),
        (panel_text(problem_id="a/b"), "problem a/b: problem_id must be a letter"),
        (panel_text(scenario="storm"), "problem X1: scenario is 'storm' but its disturbances make 'calm'; write that"),
        (disturbed(kind="storm"), 'field disturbances.0.kind is "storm"'),
        (disturbed(magnitude=[]), r"field disturbances\.0\.magnitude is \[\]"),
        (disturbed(magnitude=[0.5]), r"disturbances\.0\.magnitude has 0\.5; demand_slump is .*, -0\.9 to -0\.01; mend"),
        (disturbed(magnitude=[-0.2] * 4), "magnitude reaches round 5 of a game of 4; start earlier or shorten"),
        (
            disturbed(kind="supplier_delay", magnitude=[2.5]),
            "has 2.5; supplier_delay is in whole days, 1 to 20",
        ),
        (disturbed(kind="channel_shift", magnitude=[0.2]), "source and target are '', ''; name two different ones of"),
        (disturbed(source="grocery"), "only channel_shift has them, leave them out"),
        (
            disturbed(kind="opening_cash", magnitude=[-1.0]),
            "is 2 over 1 rounds; opening_cash is of round 1",
        ),
        (panel_text(opening={"cash": 0, "loan": 8_000_000}), r"opening\.loan is 8,000,000 EUR and the credit limit "),
        (panel_text(opening={**ONE["opening"], "goods": [[0, 1, 1]]}), "opening.goods has 1 rows; give 12"),
        (
            panel_text(opening={**ONE["opening"], "goods": [[7, 1, 1]] * 12}),
            "opening.goods has 7 of NUT-500 in hypermarket, which never sells it; write 0",
        ),
        (panel_text(opening={**ONE["opening"], "materials": [1]}), "opening.materials has 1 figures; give 10"),
        (
            panel_text(
                opening={**ONE["opening"], "orders": [{"material": "x", "quantity": 1, "receipt_day": 1, "value": 1}]}
            ),
            r"opening\.orders\.0\.material is 'x'; known: nuts, ",
        ),
    ],
)
def test_a_malformed_panel_is_refused_with_its_place_and_mend(data: bytes, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        decode(data, "own")


def test_ids_that_come_twice_are_refused() -> None:
    text = json.dumps({"format": 1, "name": "own", "problems": [ONE, ONE, ONE]}).encode()
    with pytest.raises(ProblemError, match="own: problem X1 stands 3 times; give each its own id"):
        decode(text, "own")


def test_many_faults_are_cut_to_five() -> None:
    rows = [{**ONE, "problem_id": f"X{number}", "scenario": "storm"} for number in range(8)]
    with pytest.raises(ProblemError, match="and 3 more") as caught:
        decode(json.dumps({"format": 1, "name": "own", "problems": rows}).encode(), "own")
    assert len(str(caught.value).splitlines()) == 6


def test_one_problem_can_be_checked_by_itself() -> None:
    good = decode(panel_text(), "own").problems[0]
    check(good)
    with pytest.raises(ProblemError, match=r"problem X1: opening\.loan is 9,000,000 .* at least 1\.1 x the loan"):
        check(Problem("X1", 3, "baseline", "calm", 4, Opening(0, 9_000_000), good.market))


def test_a_panel_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=r"none\.json: cannot be read \(No such file"):
        read_panel(tmp_path / "none.json")


def test_a_number_is_spread_over_the_strata_by_largest_remainder() -> None:
    chosen = select(shipped_panel().problems, "6")
    assert [problem.problem_id for problem in chosen] == ["P001", "P002", "P041", "P042", "P071", "P086"]
    assert [problem.stratum for problem in select(shipped_panel().problems, "1")] == ["baseline"]
    assert len(select(shipped_panel().problems, "100")) == 100


def test_all_and_ids_are_taken_in_the_order_of_the_panel() -> None:
    problems = shipped_panel().problems
    assert select(problems, " all ") == problems
    assert [problem.problem_id for problem in select(problems, "P042, P007")] == ["P007", "P042"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("0", "0 problems are asked for; the panel has 100: ask for 1 to 100"),
        ("-3", "-3 problems are asked for"),
        ("101", "101 problems are asked for"),
        ("p42", "unknown problem 'p42'; the panel has 100, such as P042"),
        ("", "unknown problem ''; the panel has 100, such as P001"),
        ("P001,P001", "problem 'P001' is asked for twice"),
    ],
)
def test_a_senseless_choice_is_refused(choice: str, message: str) -> None:
    with pytest.raises(WorkError, match=message):
        select(shipped_panel().problems, choice)


@pytest.mark.parametrize(
    ("total", "weights", "shares"),
    [(6, [40, 30, 15, 15], (2, 2, 1, 1)), (10, [1, 1, 1], (4, 3, 3)), (0, [1, 2], (0, 0)), (7, [0, 1], (0, 7))],
)
def test_what_rounding_leaves_goes_to_the_largest_remainders(
    total: int, weights: list[float], shares: tuple[int, ...]
) -> None:
    assert apportion(total, weights) == shares
