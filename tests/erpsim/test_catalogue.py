"""The catalogue's tables agree with each other and with the published figures."""

import numpy as np
import pytest

from erpsim.catalogue import (
    ACTIVE,
    CHANNELS,
    CHANNELS_OF,
    IS_FOOD,
    LIST_PRICES,
    MATERIALS,
    MEAN_PREFERENCE,
    RECIPES,
    SKUS,
    STANDARD_COST,
    firm_name,
)


def test_twelve_skus_in_three_channels_make_24_active_cells() -> None:
    assert (len(SKUS), len(CHANNELS), len(MATERIALS)) == (12, 3, 10)
    assert ACTIVE.sum(axis=0).tolist() == [6, 12, 6]
    assert (SKUS[0], SKUS[-1]) == ("NUT-500", "MIXED-1000")


def test_a_small_pack_is_sold_by_grocers_and_independents_a_large_one_by_hypermarkets_and_grocers() -> None:
    assert (CHANNELS_OF["NUT-500"], CHANNELS_OF["NUT-1000"]) == (("grocery", "independent"), ("hypermarket", "grocery"))


def test_mean_preference_sums_to_one_over_what_a_channel_sells() -> None:
    assert MEAN_PREFERENCE.sum(axis=0) == pytest.approx([1, 1, 1])
    assert not MEAN_PREFERENCE[~ACTIVE].any()


def test_recipes_weigh_what_the_pack_says_in_one_box_and_one_bag() -> None:
    assert RECIPES[:, IS_FOOD].sum(axis=1).tolist() == [500] * 6 + [1_000] * 6
    assert RECIPES[:, ~IS_FOOD].sum(axis=1).tolist() == [2_000] * 12


def test_standard_cost_is_the_published_cost_of_materials() -> None:
    # public job aid: 0.90 / 1.23 / 1.23 / 0.79 / 0.78 / 1.13 and 1.62 / 2.27 / 2.28 / 1.39 / 1.36 / 2.07 EUR
    published = [0.90, 1.23, 1.23, 0.79, 0.78, 1.13, 1.62, 2.27, 2.28, 1.39, 1.36, 2.07]
    assert np.abs(STANDARD_COST - published).max() <= 0.011


def test_list_price_is_cost_plus_about_three_euro() -> None:
    assert np.abs(LIST_PRICES - STANDARD_COST - 3).max() < 0.02


def test_firm_names_go_on_beyond_the_list() -> None:
    assert [firm_name(seat) for seat in (0, 11, 12, 599)] == ["Almond", "Laurel", "Firm 13", "Firm 600"]
