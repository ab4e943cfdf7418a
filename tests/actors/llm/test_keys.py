import pickle

import pytest

from actors.llm.keys import Keys
from erpsim.errors import ModelsError

KEY = 'canary"9/x+7f3a'


def test_keys_show_only_the_names_of_their_variables() -> None:
    keys = Keys({"B_KEY": KEY, "A_KEY": "other-key-1", "EMPTY": " "})
    assert repr(keys) == str(keys) == "Keys(A_KEY, B_KEY)"
    assert keys.get("B_KEY") == KEY
    assert keys.get("EMPTY") is None


def test_a_key_is_hidden_as_it_stands_as_json_and_as_a_url_writes_it() -> None:
    text = f'plain {KEY}, json canary\\"9/x+7f3a, url canary%229%2Fx%2B7f3a, rest'
    assert Keys({"A": KEY}).hide(text) == "plain [key], json [key], url [key], rest"


def test_keys_are_never_pickled() -> None:
    with pytest.raises(TypeError, match="never written down"):
        pickle.dumps(Keys({"A": KEY}))


def test_a_key_that_no_header_may_carry_is_refused_without_being_shown() -> None:
    with pytest.raises(ModelsError, match="the key in A_KEY") as caught:
        Keys({"A_KEY": "canary\r\nX-Evil: 1"})
    assert "canary" not in str(caught.value)
