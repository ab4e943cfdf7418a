import html
import json
import pickle
from collections.abc import Callable
from urllib.parse import quote

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


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


@pytest.mark.parametrize(
    "write",
    [
        lambda key: json.dumps(key)[1:-1],
        lambda key: json.dumps(json.dumps(key)[1:-1])[1:-1],
        lambda key: key.replace("/", "\\/").replace('"', '\\"'),
        lambda key: key.replace("+", "\\u002B").replace('"', "\\u0022"),
        escaped,
        lambda key: escaped(key).upper().replace("\\U", "\\u"),
        lambda key: quote(key, safe=""),
        lambda key: quote(key, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
        html.escape,
        lambda key: "".join(f"&#{ord(character)};" for character in key),
        lambda key: "".join(f"&#x{ord(character):04X};" for character in key),
    ],
)
@pytest.mark.parametrize("key", [KEY, "sk-Lab_0123456789", "ab/cd+ef=="])
def test_a_key_is_hidden_however_its_characters_are_written(write: Callable[[str], str], key: str) -> None:
    assert Keys({"A": key}).hide(f"before {write(key)} after") == "before [key] after"


def test_of_a_key_that_another_begins_with_no_rest_is_left() -> None:
    keys = Keys({"A": "canary-1", "B": "canary-1-and-more", "C": "more"})
    assert keys.hide("canary-1-and-more, canary-1, canary-2") == "[key], [key], canary-2"


def test_a_text_without_a_key_stays_as_it_is() -> None:
    text = json.dumps({"a": "\u00e9 5 % & \\ / <b>", "b": ["100%25", "&amp;", "\\u0041"]})
    assert Keys({"A": KEY, "B": "sk-Lab_0123456789"}).hide(text) == text
