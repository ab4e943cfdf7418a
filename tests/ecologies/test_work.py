import pytest

from ecologies.ecology import RULE_NAMES, lineup_digest, market_id, slug
from ecologies.mixed import mixed_market, parse_lineup
from ecologies.policy import PolicySpec
from ecologies.solo import solo_market
from ecologies.work import WorkRequest, plan_work
from erpsim.errors import WorkError
from erpsim.problem import MarketSettings, Opening, Problem

MODELS = tuple(PolicySpec("model", f"standin/{letter}") for letter in "abcdef")
RULES = tuple(PolicySpec("rule", name) for name in RULE_NAMES)


def problem(problem_id: str) -> Problem:
    market = MarketSettings(1.0, 0.0, 1.0, 0.25, 1.0)
    return Problem(problem_id, 7, "baseline", "calm", 6, Opening(3_000_000, 8_000_000), market)


PROBLEMS = tuple(problem(f"P{number:03d}") for number in range(1, 101))


def test_the_whole_panel_is_600_solo_and_100_arena_markets_with_7200_model_rounds() -> None:
    work = plan_work(WorkRequest(PROBLEMS, MODELS))
    ecologies = [unit.market.ecology for unit in work.units]
    assert (ecologies.count("solo"), ecologies.count("arena"), work.notes) == (600, 100, ())
    assert sum(unit.model_rounds for unit in work.units) == 7_200
    assert sum(len(unit.market.seats) * unit.problem.horizon for unit in work.units) == 25_200


def test_a_solo_market_seats_its_model_and_fills_the_rest_with_rules_in_order() -> None:
    market = solo_market("P001", MODELS[2], 2)
    assert market.market_id == "solo/P001/standin-c"
    assert [spec.label for spec in market.seats] == [
        "conservative", "aggressive", "standin/c", "balanced", "growth", "risk_averse",
    ]  # fmt: skip
    assert market.model_seats == (2,)


def test_a_model_keeps_its_seat_in_both_ecologies() -> None:
    work = plan_work(WorkRequest(PROBLEMS[:1], MODELS))
    *solos, arena = [unit.market for unit in work.units]
    assert arena.market_id == "arena/P001"
    for market in solos:
        (seat,) = market.model_seats
        assert arena.seats[seat] == market.seats[seat]


def test_a_seventh_model_plays_solo_in_the_first_seat() -> None:
    extra = PolicySpec("model", "extra")
    work = plan_work(WorkRequest(PROBLEMS[:1], (*MODELS, extra)))
    assert len(work.units) == 7
    assert work.units[-1].market.seats[0] == extra
    assert "Arena is left out: it seats exactly 6 models and this run has 7" in work.notes[0]


def test_an_arena_alone_without_six_models_is_refused() -> None:
    with pytest.raises(WorkError, match=r"seats exactly 6 models and this run has 2; .*--lineup"):
        plan_work(WorkRequest(PROBLEMS[:1], MODELS[:2], ecologies=("arena",)))


def test_trials_after_the_first_have_ids_of_their_own() -> None:
    work = plan_work(WorkRequest(PROBLEMS[:1], MODELS, ecologies=("arena",), trials=3))
    assert [unit.market.market_id for unit in work.units] == ["arena/P001", "arena/P001/t1", "arena/P001/t2"]
    assert market_id("solo", "P001", "x", trial=4) == "solo/P001/x/t4"


def test_a_line_up_plays_mixed_markets_under_its_digest() -> None:
    seats = parse_lineup("standin/a*2, balanced,growth*1", MODELS)
    assert seats == (MODELS[0], MODELS[0], RULES[2], RULES[3])
    (unit,) = plan_work(WorkRequest(PROBLEMS[:1], MODELS, lineup=seats)).units
    assert unit.market.market_id == f"mixed/{lineup_digest(seats)}/P001"
    assert (unit.market.ecology, unit.market.lineup, unit.market.model_seats) == ("mixed", lineup_digest(seats), (0, 1))


def test_the_digest_of_a_line_up_depends_on_order_and_kind() -> None:
    digests = {
        lineup_digest(seats)
        for seats in (RULES[:2], RULES[1::-1], (RULES[0], PolicySpec("model", "aggressive")), RULES[:3])
    }
    assert len(digests) == 4
    assert all(len(digest) == 12 for digest in digests)


def test_a_line_up_may_have_any_length_from_two() -> None:
    assert len(mixed_market("P001", RULES * 10).seats) == 50
    with pytest.raises(WorkError, match="a line-up of 1 is no market; name at least 2"):
        mixed_market("P001", RULES[:1])
    with pytest.raises(WorkError, match="a line-up of 10,001 is too long; name at most 10,000"):
        mixed_market("P001", RULES[:1] * 10_001)


def test_a_line_up_seats_up_to_ten_thousand() -> None:
    assert len(parse_lineup("balanced*09999,growth", MODELS)) == 10_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("balanced,nobody", "unknown policy 'nobody' in the line-up; known: conservative, .*standin/f"),
        ("balanced", "has 1 seat; name at least 2"),
        ("balanced*0,growth", r"'balanced\*0' in the line-up takes no number of seats"),
        ("balanced*x", "takes no number of seats"),
        ("", "unknown policy ''"),
        ("balanced,,growth", "unknown policy ''"),
        ("balanced*²,growth", "takes no number of seats"),
        ("balanced*10000,growth", "has 10,001 seats by 'growth'; a market has at most 10,000: name fewer"),
        ("balanced*99999,growth", r"has 99,999 seats by 'balanced\*99999'; a market has at most 10,000"),
        (
            "standin/a*99999999999999999999,growth",
            r"'standin/a\*99999999999999999999' in the line-up takes too many seats; a market has at most 10,000: name",
        ),
        (f"balanced*{'9' * 5_000},growth", r"'balanced\*9{50}…' in the line-up takes too many seats"),
    ],
)
def test_a_senseless_line_up_is_refused(text: str, message: str) -> None:
    with pytest.raises(WorkError, match=message):
        parse_lineup(text, MODELS)


@pytest.mark.parametrize(
    ("label", "expected"), [("standin/a", "standin-a"), ("a.b_c-D9", "a.b_c-D9"), ("né:1", "n--1")]
)
def test_a_slug_keeps_letters_digits_dots_underscores_and_hyphens(label: str, expected: str) -> None:
    assert slug(label) == expected


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("a/b", "a-b"), "model label 'a-b' and 'a/b' clash: records would be kept under 'a-b'; rename it"),
        (("x", "x"), "model label 'x' is asked for twice"),
        (("balanced",), "model label 'balanced' is the name of a rule policy"),
        (("risk_averse",), "is the name of a rule policy"),
    ],
)
def test_labels_that_clash_are_refused(labels: tuple[str, ...], message: str) -> None:
    with pytest.raises(WorkError, match=message):
        plan_work(WorkRequest(PROBLEMS[:1], tuple(PolicySpec("model", label) for label in labels)))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (WorkRequest((), MODELS), "no problem is chosen"),
        (WorkRequest(PROBLEMS[:1], ()), "Solo needs at least one model"),
        (WorkRequest(PROBLEMS[:1], MODELS, ecologies=("mixed",)), "Mixed needs a line-up"),
        (WorkRequest(PROBLEMS[:1], MODELS, trials=0), "trials is 0, must be at least 1"),
        (WorkRequest((PROBLEMS[0], PROBLEMS[0]), MODELS), "two markets would be called 'solo/P001/standin-a'"),
    ],
)
def test_senseless_work_is_refused(request_: WorkRequest, message: str) -> None:
    with pytest.raises(WorkError, match=message):
        plan_work(request_)
