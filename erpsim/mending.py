"""Small slips of JSON that cannot be misread, mended outside of strings in one pass over the text.

Trailing commas go; curly and full-width marks become the plain ones; raw control characters in strings are escaped; a
bare number that JSON does not know (`12 000`, `4,20`, `$4.20`, `16*1000`) becomes text, for the rule of `number_text`
to read or refuse. What stands in a string stays as it is.
"""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

LENGTH: Final = 200_000
"""Characters beyond which a text is not mended; a decision has a few thousand."""


class Mended(NamedTuple):
    """A text with small slips outside of its strings mended, and the slips by code."""

    text: str
    codes: tuple[str, ...]


def mend(text: str) -> Mended:
    """Mend what cannot be misread; what stands in a string stays as it is, but for raw control characters."""
    if len(text) > LENGTH:
        return Mended(text, ())
    codes: list[str] = []

    def mended(token: re.Match[str]) -> str:
        kind = str(token.lastgroup)
        slip = _MENDERS[kind](token[0])
        if slip != token[0]:
            codes.append(_CODES.get(kind, kind))
        return slip

    fixed = SLIPS.sub(mended, text)
    return Mended(fixed, tuple(dict.fromkeys(codes)))


_ENDS: Final = r"\"{}\[\]:,\r\n\uff0c\uff1a\uff3b\uff3d\uff5b\uff5d"  # what no bare number goes beyond
# Each alternative ends where it must look no further, and what one of them took is not looked at again: a string
# without an end takes the rest, and a mark that begins a curly string also ends the search for another one's end.
SLIPS: Final = re.compile(
    r'(?P<string>"(?:[^"\\]++|\\[\s\S])*+"?)'
    r"|(?P<curly>[“„‟][^“”„‟\"\n]*+[“”‟]|＂[^＂\"\n]*+＂)"
    r"|(?P<wide>[\uff0c\uff1a\uff3b\uff3d\uff5b\uff5d\uff10-\uff19\uff0e\uff0d])"
    r"|(?P<trailing_comma>,(?=\s*+[}\]]))"
    rf"|(?P<number>:\s*+[-+.$€£¥\d][^{_ENDS}]{{0,40}}+(?:,\d[^{_ENDS}]{{0,40}}+){{0,6}}+)"
)

_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_PLAIN_NUMBER: Final = re.compile(r"-?(?:(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|Infinity)", re.ASCII)
_COMMENT: Final = re.compile(r"//|/\*|#")
_DIGIT: Final = re.compile(r"\d")


def _escaped(string: str) -> str:
    return _CONTROL.sub(lambda mark: f"\\u{ord(mark[0]):04x}", string) if _CONTROL.search(string) else string


def _straight(string: str) -> str:
    return '"{}"'.format(string[1:-1].replace('"', '\\"'))


def _quoted(number: str) -> str:
    """A colon and what stands after it, made text unless JSON knows it, a comment follows, or it has no digit."""
    bare = number[1:].strip()
    if _PLAIN_NUMBER.fullmatch(bare) or _COMMENT.search(bare) or not _DIGIT.search(bare):
        return number
    return f": {json.dumps(bare, ensure_ascii=False)}"


_MENDERS: Final = {
    "string": _escaped,
    "curly": _straight,
    "wide": lambda mark: chr(ord(mark) - 0xFEE0),
    "trailing_comma": lambda _: "",
    "number": _quoted,
}
_CODES: Final = {
    "string": "raw_line_break",
    "curly": "typographic",
    "wide": "typographic",
    "number": "bare_number",
}
