import pytest

from actors.llm.standin_faults import KINDS, draw_fault, read_faults
from erpsim.errors import ModelsError


def test_faults_are_read_as_chances() -> None:
    assert read_faults(["429=0.1", "half=0.2"]) == {"429": 0.1, "half": 0.2}
    assert read_faults(["hang=1"]) == {"hang": 1.0}
    assert read_faults([]) == {}


@pytest.mark.parametrize("text", ["418=0.1", "429=2", "429=-1", "429=often", "429=nan", "", "429", "429="])
def test_a_fault_that_is_none_is_refused_by_name(text: str) -> None:
    with pytest.raises(ModelsError, match="kinds: 429, 500"):
        read_faults([text])


def test_a_kind_that_stands_twice_is_refused() -> None:
    with pytest.raises(ModelsError, match=r"'429=0\.2': 429 has a chance of 0\.1 already; name each kind once"):
        read_faults(["429=0.1", "429=0.2"])


def test_chances_above_one_in_all_are_refused() -> None:
    with pytest.raises(ModelsError, match=r"come to 1\.2"):
        read_faults(["429=0.6", "500=0.6"])


def test_a_fault_is_a_function_of_body_attempt_and_seed() -> None:
    chances = dict.fromkeys(KINDS, 0.1)
    drawn = [draw_fault(chances, b"body", attempt, 0) for attempt in range(1, 400)]
    assert drawn == [draw_fault(chances, b"body", attempt, 0) for attempt in range(1, 400)]
    assert set(drawn) == {*KINDS, None}
    assert drawn != [draw_fault(chances, b"other", attempt, 0) for attempt in range(1, 400)]
    assert 40 < drawn.count(None) < 120


def test_no_chances_are_no_faults() -> None:
    assert draw_fault({}, b"body", 1, 0) is None
