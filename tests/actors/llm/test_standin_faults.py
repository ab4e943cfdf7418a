import math

import pytest

from actors.llm.standin_faults import Chance, draw_network, draw_reply, read_faults
from actors.llm.standin_kinds import NETWORK, REPLY
from erpsim.errors import ModelsError


def test_faults_are_read_as_chances() -> None:
    assert read_faults(["429=0.1", "half=0.2"]) == {"429": Chance(0.1), "half": Chance(0.2)}
    assert read_faults(["hang=1"])["hang"] == (1.0, math.inf)
    assert read_faults(["429@2=1e-1"]) == {"429": Chance(0.1, 2)}
    assert read_faults([]) == {}


@pytest.mark.parametrize(
    "text",
    ["418=0.1", "429=2", "429=-1", "429=often", "429=nan", "", "429", "429=", "429@0=1", "429@=1", "429@-1=1", "429=."],
)
def test_a_fault_that_is_none_is_refused_by_name(text: str) -> None:
    with pytest.raises(ModelsError, match="kinds: 429, 429_date"):
        read_faults([text])


def test_a_kind_that_stands_twice_is_refused() -> None:
    with pytest.raises(ModelsError, match=r"'429=0\.2': 429 has a chance of 0\.1 already; name each kind once"):
        read_faults(["429=0.1", "429=0.2"])


def test_chances_above_one_in_all_are_refused_for_network_and_replies_apart() -> None:
    with pytest.raises(ModelsError, match=r"all network faults come to 1\.2"):
        read_faults(["429=0.6", "500=0.6"])
    with pytest.raises(ModelsError, match=r"all reply faults come to 1\.5"):
        read_faults(["fence=1", "prose=0.5"])
    assert len(read_faults(["429=1", "fence=1"])) == 2
    assert len(read_faults([f"{kind}=0.1" for kind in list(NETWORK)[:10]])) == 10


def test_a_reply_has_no_attempts() -> None:
    with pytest.raises(ModelsError, match="leave '@1' out"):
        read_faults(["fence@1=1"])


def test_a_fault_of_the_network_is_a_function_of_body_attempt_and_seed() -> None:
    chances = dict.fromkeys(NETWORK, Chance(0.9 / len(NETWORK)))
    drawn = [draw_network(chances, b"body", attempt, 0) for attempt in range(1, 1000)]
    assert drawn == [draw_network(chances, b"body", attempt, 0) for attempt in range(1, 1000)]
    assert set(drawn) == {*NETWORK, None}
    assert drawn != [draw_network(chances, b"other", attempt, 0) for attempt in range(1, 1000)]
    assert drawn != [draw_network(chances, b"body", attempt, 1) for attempt in range(1, 1000)]
    assert 60 < drawn.count(None) < 140


def test_a_fault_of_a_reply_is_a_function_of_the_opening_and_the_seed_and_independent_of_the_network() -> None:
    chances = {**dict.fromkeys(REPLY, Chance(0.9 / len(REPLY))), "500": Chance(1.0)}
    drawn = [draw_reply(chances, str(number).encode(), 0) for number in range(1000)]
    assert set(drawn) == {*REPLY, None}
    assert 60 < drawn.count(None) < 140
    assert {draw_network(chances, str(number).encode(), 1, 0) for number in range(1000)} == {"500"}


def test_a_fault_of_the_first_attempts_leaves_later_ones_alone() -> None:
    assert [draw_network({"500": Chance(1.0, 2)}, b"body", attempt, 0) for attempt in (1, 2, 3, 9)] == [
        "500",
        "500",
        None,
        None,
    ]


def test_no_chances_are_no_faults() -> None:
    assert draw_network({}, b"body", 1, 0) is None
    assert draw_reply({}, b"body", 0) is None
