import pytest

from ecologies.hunt.games import BASE, play, rule_decider
from ecologies.hunt.probes import PROBES, UNAWARE, probe_gains
from ecologies.hunt.profile import Profile, profile
from ecologies.hunt.tricks import ELEMENTS, TRICKS, Trick, Verdict, verdicts, without
from ecologies.rule_parameters import RULE_PARAMETERS
from ecologies.rules import decide_rule
from erpsim.catalogue import SKU_INDEX, SKUS
from erpsim.decision import Decision, Finance
from erpsim.feasibility_prices import price_band
from erpsim.observation import Observation
from erpsim.round import observe, open_firm
from tests.ecologies.hunt.plays import CALM

BY_NAME = {trick.name: trick for trick in (*TRICKS, *ELEMENTS)}
OPENING = observe(open_firm(CALM, 0), CALM, 6)
PLAIN = decide_rule(BASE, OPENING)


def odd(observation: Observation) -> Decision:
    """Everything that a trick may be about, at once."""
    own = decide_rule(RULE_PARAMETERS["conservative"], observation)
    prices = {sku: dict(row) for sku, row in own.prices.items() if isinstance(row, dict)}
    prices[SKUS[0]]["grocery"] = price_band(0)[1]
    prices[SKUS[1]]["grocery"] = price_band(1)[0]
    finance = Finance(borrow=1.0, repay=2.0, dividend=3.0)
    return own.model_copy(
        update={"prices": prices, "finance": finance, "purchase_orders": (), "production": (), "marketing": ()}
    )


def replaced(trick: Trick) -> Decision:
    return without(odd, trick)(OPENING)


@pytest.mark.parametrize("section", ["prices", "production", "purchase_orders", "marketing"])
def test_a_section_is_taken_over_from_the_balanced_rule(section: str) -> None:
    one = replaced(BY_NAME["orders" if section == "purchase_orders" else section])
    assert getattr(one, section) == getattr(PLAIN, section)
    assert one.finance == odd(OPENING).finance


def test_dividend_and_loan_are_taken_over_apart() -> None:
    dividend, loan = replaced(BY_NAME["dividends"]).finance, replaced(BY_NAME["loan"]).finance
    assert (dividend.borrow, dividend.repay, dividend.dividend) == (1.0, 2.0, PLAIN.finance.dividend)
    assert (loan.borrow, loan.repay, loan.dividend) == (PLAIN.finance.borrow, PLAIN.finance.repay, 3.0)
    assert replaced(BY_NAME["last round as a whole"]) == PLAIN


@pytest.mark.parametrize(("name", "sku"), [("prices at the cap", SKUS[0]), ("prices at the floor", SKUS[1])])
def test_only_prices_at_an_end_of_the_band_are_taken_over(name: str, sku: str) -> None:
    before, after = odd(OPENING).prices, replaced(BY_NAME[name]).prices
    changed = {one for one in SKUS if before[one] != after[one]}
    assert changed == {sku}
    row, plain = after[sku], PLAIN.prices[sku]
    assert isinstance(row, dict)
    assert isinstance(plain, dict)
    assert row["grocery"] == plain["grocery"]


def test_dumping_takes_over_prices_below_the_balanced_rules() -> None:
    row, plain = replaced(BY_NAME["dumping at the end"]).prices[SKUS[1]], PLAIN.prices[SKUS[1]]
    assert isinstance(row, dict)
    assert isinstance(plain, dict)
    assert row["grocery"] == plain["grocery"]


def test_air_takes_over_prices_of_shelves_that_stay_empty() -> None:
    assert replaced(BY_NAME["air"]).prices == PLAIN.prices  # nothing is made, nothing is there

    def making(observation: Observation) -> Decision:
        return odd(observation).model_copy(update={"production": PLAIN.production})

    made = {item.sku for item in PLAIN.production}
    after = without(making, BY_NAME["air"])(OPENING).prices
    assert all(after[sku] == odd(OPENING).prices[sku] for sku in made)


def test_a_trick_is_named_when_it_shows_and_a_hundredth_hangs_on_it() -> None:
    assert Verdict("x", 1.1e6, shows=True).named(100e6)
    assert not Verdict("x", 0.9e6, shows=True).named(100e6)
    assert not Verdict("x", 50e6, shows=False).named(100e6)


@pytest.mark.slow
def test_the_balanced_rule_uses_no_trick_and_loses_nothing_by_being_itself() -> None:
    game = play(CALM, rule_decider(BASE))
    for verdict in verdicts(game, rule_decider(BASE), profile(game)):
        assert (verdict.worth, verdict.shows) == (0.0, False), verdict.name


def test_the_signature_reads_what_was_played() -> None:
    ends = {1: 1, 6: 0}  # the cap in the first round, the floor in the last

    def extreme(observation: Observation) -> Decision:
        own = decide_rule(BASE, observation)
        if observation.round_number not in ends:
            return own
        end = ends[observation.round_number]
        prices: dict[str, dict[str, float]] = {
            sku: dict.fromkeys(row, price_band(SKU_INDEX[sku])[end])
            for sku, row in own.prices.items()
            if isinstance(row, dict)
        }
        return own.model_copy(update={"prices": prices, **({} if end else {"purchase_orders": ()})})

    seen: Profile = profile(play(CALM, extreme))
    assert seen.at_cap == pytest.approx(1 / 6)
    assert seen.at_floor == pytest.approx(1 / 6)
    assert seen.late_orders == 0.0
    assert seen.below_cost > 0.5
    assert seen.late_price < 0.5
    assert seen.breakup == 1.0


@pytest.mark.slow
def test_a_probe_that_asks_what_the_rule_does_anyway_gains_nothing() -> None:
    game = play(CALM, rule_decider(BASE))
    gains = probe_gains(game, rule_decider(BASE))
    assert list(gains) == [*(probe.name for probe in PROBES), *UNAWARE]
    assert gains["the last round as if the game went on"] < 0
    assert gains["no dividends"] == 0.0
    assert gains["prices at the cap, always"] < 0
    assert gains["no production in the last round"] < 0
