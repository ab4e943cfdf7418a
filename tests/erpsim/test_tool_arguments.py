from typing import Any

import pytest

from erpsim.tool_arguments import Arguments, check_arguments

ALL = ("skus", "channels", "materials", "parts", "rounds", "plan")


def read(**arguments: Any) -> Arguments:
    checked = check_arguments(arguments, ALL)
    assert isinstance(checked, Arguments), checked
    return checked


def refused(arguments: dict[str, Any], allowed: tuple[str, ...] = ALL) -> str:
    checked = check_arguments(arguments, allowed)
    assert isinstance(checked, str)
    return checked


def test_filters_left_out_null_or_empty_mean_all() -> None:
    assert read(skus=None, channels=[], rounds=None) == Arguments()
    assert len(read().skus) == 12


def test_names_are_matched_loosely_and_come_in_catalogue_order() -> None:
    assert read(skus=["mixed_500", "nut 500"]).skus == (0, 5)
    assert read(Channels="Grocery").channels == (1,)
    assert read(materials=["Large Box"]).materials == (6,)
    assert read(parts=["limits", "position"]).parts == ("position", "limits")


def test_a_plan_keeps_its_order_and_reads_numbers_as_text() -> None:
    assert list(read(plan={"mixed-500": "16,000", "NUT-500": 48000.0}).plan.items()) == [(5, 16_000), (0, 48_000)]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"sku": 1}, "unknown argument 'sku'; valid arguments: skus, channels, materials, parts, rounds, plan"),
        ({"skus": 5}, "skus must be a list of names, not 5; valid: NUT-500,"),
        ({"skus": ["S13"]}, "skus: unknown name 'S13'; valid: NUT-500,"),
        ({"channels": [None]}, "channels: unknown name None; valid: hypermarket, grocery, independent"),
        ({"rounds": 0}, "rounds must be a whole number from 1 to 60, not 0"),
        ({"rounds": True}, "rounds must be a whole number from 1 to 60, not True"),
        ({"rounds": "soon"}, "rounds must be a whole number from 1 to 60, not 'soon'"),
        ({"plan": [1]}, 'plan must be an object of units by SKU, such as {"NUT-500": 48000}, not [1]'),
        ({"plan": {"S13": 1}}, "plan: unknown SKU 'S13'; valid: NUT-500,"),
        ({"plan": {"NUT-500": -1}}, "plan.NUT-500 must be a whole number from 0 to 10000000, not -1"),
        ({"plan": {"NUT-500": float("nan")}}, "plan.NUT-500 must be a whole number from 0 to 10000000, not nan"),
    ],
)
def test_a_bad_argument_is_told_with_what_is_valid(arguments: dict[str, Any], told: str) -> None:
    assert refused(arguments).startswith(told)


def test_a_tool_without_arguments_says_so() -> None:
    assert refused({"skus": ["NUT-500"]}, ()) == "unknown argument 'skus'; valid arguments: none"
