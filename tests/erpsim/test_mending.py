import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.mending import LENGTH, SLIPS, mend


@pytest.mark.parametrize(
    ("text", "mended", "codes"),
    [
        ('{"a": 1}', '{"a": 1}', ()),
        ('{"a": [1,], }', '{"a": [1] }', ("trailing_comma",)),
        ("{“a”：１２．５}", '{"a":12.5}', ("typographic",)),
        ('{“a”: “say "hi"”}', '{"a": “say "hi"”}', ("typographic",)),
        ("{„a“: ‟b”, ＂c＂: 1}", '{"a": "b", "c": 1}', ("typographic",)),
        ('{"a": "b\n\x00"}', '{"a": "b\\u000a\\u0000"}', ("raw_line_break",)),
        ('{"a": 12 000, "b": 4,20}', '{"a": "12 000", "b": "4,20"}', ("bare_number",)),
        ('{"a":1,"b":-2.5e3 , "c": 0}', '{"a":1,"b":-2.5e3 , "c": 0}', ()),
        ('{"a": 1,234,567}', '{"a": "1,234,567"}', ("bare_number",)),
        ('{"a": .5, "b": +4, "c": 007}', '{"a": ".5", "b": "+4", "c": "007"}', ("bare_number",)),
        ('{"a": $4.20}', '{"a": "$4.20"}', ("bare_number",)),
        ('{"a": -Infinity, "b": ..., "c": 4 // was 5\n}', '{"a": -Infinity, "b": ..., "c": 4 // was 5\n}', ()),
        ('{"a": "12 000, 4,20 “so”：１,}", "b": 1,}', '{"a": "12 000, 4,20 “so”：１,}", "b": 1}', ("trailing_comma",)),
        ('{"a": "b', '{"a": "b', ()),
    ],
)
def test_slips_are_mended_outside_of_strings(text: str, mended: str, codes: tuple[str, ...]) -> None:
    assert mend(text) == (mended, codes)


@pytest.mark.parametrize(
    "unit", ['"', '\\"', '"\\', '"a', '"„', "„", "“x", "“„‟", "＂„＂", ", ", ",\t", ":1", ": ", ":1,1", ":$"]
)
def test_a_mark_that_begins_nothing_is_passed_without_a_look_beyond_the_next_mark(unit: str) -> None:
    """So the work is linear: what a token takes is not looked at again, and a failed start stops at the next start."""
    text = "{" + unit * 200
    assert all(SLIPS.match(text, start) for start, mark in enumerate(text) if mark == '"')
    for start, mark in enumerate(text):
        if mark in "“„‟＂,:" and SLIPS.match(text, start) is None:
            following = next((place for place in range(start + 1, len(text)) if text[place] in '"“”„‟＂,:'), len(text))
            assert SLIPS.match(text[: following + 1], start) is None
            assert following - start <= len(unit)


def test_a_text_that_is_too_long_stays_as_it_is() -> None:
    text = '{"a": "' + "x" * LENGTH + '",}'
    assert mend(text) == (text, ())


@given(st.text(alphabet='{}[]",:“”„＂\\ \n0123456789.$k', max_size=80))
def test_any_text_is_mended_and_what_is_sound_stays(text: str) -> None:
    mended = mend(text)
    assert bool(mended.codes) == (mended.text != text)
    assert mend(json.dumps({"a": text})).codes == ()
