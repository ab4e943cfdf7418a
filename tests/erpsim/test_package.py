"""The package's public names are loaded when asked for."""

import pytest

import erpsim
from erpsim.problem import Problem


def test_a_public_name_is_the_one_of_its_module() -> None:
    assert erpsim.Problem is Problem


def test_every_public_name_can_be_had() -> None:
    assert all(getattr(erpsim, name) is not None for name in erpsim.__all__)


def test_an_unknown_name_is_refused_as_a_module_does() -> None:
    with pytest.raises(AttributeError, match="'erpsim' has no attribute 'nothing'"):
        _ = erpsim.nothing  # type: ignore[attr-defined]
