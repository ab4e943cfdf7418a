"""Finding the object that a text means: outside reasoning, fences and prose, and through small damage.

Rungs of the ladder, each tried only when the one before found nothing:

    1 the whole text is strict JSON
    2 balanced objects outside reasoning blocks, read strictly, or after mending what cannot be misread: trailing
      commas, curly quotes, full-width marks and raw line breaks. The last object that is wanted wins.
    3 `json-repair` on a damaged object.
    4 the closing brackets that an object lacks, when it ends on a bracket or a quote and the server says that the text
      is complete. An object that breaks off anywhere else is never closed: a cut 4.85 would become 4.

What comes out is used only if it is wanted; text that is no decision never becomes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import json_repair

from erpsim.json_text import decode
from erpsim.layout import Layout, Span, lay_out
from erpsim.reading import Failure

SCAN_LIMIT: Final = 500_000
"""Characters beyond which a text that is not strict JSON is not searched."""
TRIED_OBJECTS: Final = 100
"""How many objects are read, from the last one backwards."""
REPAIR_LIMIT: Final = 16_000
"""Characters beyond which a damaged object is not repaired; json-repair's time grows with its length."""
REPAIR_DEPTH: Final = 10
"""Nesting beyond which a damaged object is not repaired."""
REPAIRED_OBJECTS: Final = 2
"""How many damaged objects are given to repair, from the last one backwards."""


class Found(NamedTuple):
    """The object that a text means, and the rungs that it took: codes of `ParseRecovered`, none for strict JSON."""

    value: Any
    codes: tuple[str, ...]


Wanted = Callable[[Any], bool]


def find_object(text: str, wanted: Wanted, complete: bool) -> Found | Failure:
    """Find the object that a text means.

    Args:
        text: what a model wrote.
        wanted: tells whether a value read from JSON is what is looked for.
        complete: whether the server says that the text ended by itself.
    """
    text = text.strip("\ufeff \t\r\n")
    try:
        value = decode(text)
    except ValueError as error:
        return _search(text, wanted, complete, str(error))
    if wanted(value):
        return Found(value, ())
    if isinstance(value, str):
        inner = find_object(value, wanted, complete)
        return Found(inner.value, ("json_text", *inner.codes)) if isinstance(inner, Found) else inner
    return _search(text, wanted, complete, "")


def _search(text: str, wanted: Wanted, complete: bool, error: str) -> Found | Failure:
    if len(text) > SCAN_LIMIT:
        return Failure("no_json", f"the reply is no JSON ({error}) and longer than {SCAN_LIMIT:,} characters")
    layout = lay_out(text)
    found = _last_sound(text, layout, wanted) or _repaired(text, layout, wanted)
    if found is None and complete and layout.unclosed is not None:
        found = _closed(text, layout, wanted)
    return found or _why_not(text, layout, error)


class _Read(NamedTuple):
    value: Any
    codes: tuple[str, ...]


def _last_sound(text: str, layout: Layout, wanted: Wanted) -> Found | None:
    """The last object that reads strictly or after mending, and whether there are others."""
    winner: Found | None = None
    for span in layout.objects[: -TRIED_OBJECTS - 1 : -1]:
        read = _read(text[span.start : span.end])
        if read is None or not wanted(read.value):
            continue
        if winner is not None:
            return Found(winner.value, (*winner.codes, "several_objects"))
        winner = Found(read.value, (*_surroundings(text, layout, span), *read.codes))
    return winner


def _read(text: str) -> _Read | None:
    try:
        return _Read(decode(text), ())
    except ValueError:
        mended = mend(text)
    try:
        return _Read(decode(mended.text), mended.codes)
    except ValueError:
        return None


class Mended(NamedTuple):
    """A text with small slips outside of its strings mended, and the slips by code."""

    text: str
    codes: tuple[str, ...]


def mend(text: str) -> Mended:
    """Mend what cannot be misread; what stands in a string stays as it is, but for raw control characters."""
    codes: list[str] = []

    def mended(token: re.Match[str]) -> str:
        kind = str(token.lastgroup)
        if kind == "string":
            if not _CONTROL.search(token[0]):
                return token[0]
            kind, text = "raw_line_break", _CONTROL.sub(lambda mark: f"\\u{ord(mark[0]):04x}", token[0])
        elif kind == "curly":
            kind, text = "typographic", '"{}"'.format(token[0][1:-1].replace('"', '\\"'))
        elif kind == "wide":
            kind, text = "typographic", chr(ord(token[0]) - 0xFEE0)
        else:
            text = ""
        codes.append(kind)
        return text

    fixed = _SLIPS.sub(mended, text)
    return Mended(fixed, tuple(dict.fromkeys(codes)))


_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_SLIPS: Final = re.compile(
    r'(?P<string>"(?:[^"\\]++|\\[\s\S])*+")'
    r"|(?P<curly>[“„][^“”\"\n]*[“”])"
    r"|(?P<wide>[\uff0c\uff1a\uff3b\uff3d\uff5b\uff5d\uff10-\uff19\uff0e\uff0d])"
    r"|(?P<trailing_comma>,(?=\s*[}\]]))"
)


def _surroundings(text: str, layout: Layout, span: Span) -> tuple[str, ...]:
    """What stood around an object that was found: reasoning, a fence, or prose."""
    codes = ("reasoning",) if layout.reasoning else ()
    before, after = text[: span.start].rstrip(), text[span.end :].lstrip()
    if _FENCE.search(before[-40:]) and after.startswith("```"):
        return (*codes, "fence")
    edges = [0, *(edge for block in layout.reasoning for edge in block), len(text)]
    outside = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    rest = sum(len(part.strip()) for part in outside)
    return (*codes, "prose") if rest > span.end - span.start else codes


_FENCE: Final = re.compile(r"```[\w+-]*$")


def _repaired(text: str, layout: Layout, wanted: Wanted) -> Found | None:
    for span in layout.objects[: -REPAIRED_OBJECTS - 1 : -1]:
        value = _repair(text[span.start : span.end])
        if wanted(value):
            return Found(value, (*_surroundings(text, layout, span), "lexical_repair"))
    return None


def _closed(text: str, layout: Layout, wanted: Wanted) -> Found | None:
    """The object that only lacks closing brackets."""
    rest = text[layout.unclosed :].removesuffix("```").rstrip()
    if not rest.endswith(("}", "]", '"')):
        return None
    missing: list[str] = []
    for token in _BRACKETS.findall(rest):
        if token in _PARTNERS:
            missing.append(_PARTNERS[token])
        elif missing and token == missing[-1]:
            missing.pop()
    read = _read(rest + "".join(reversed(missing)))
    return Found(read.value, ("unclosed", *read.codes)) if read is not None and wanted(read.value) else None


_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"|[\[\]{}]')
_PARTNERS: Final = {"{": "}", "[": "]", "(": ")"}


def _repair(text: str) -> Any:
    """What json-repair makes of a text, None when it is too long or too deep to try."""
    if len(text) > REPAIR_LIMIT or _depth(text) > REPAIR_DEPTH:
        return None
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except _GIVES_UP:
        return None


# A foreign parser of any text: it wraps its recursion error, and its slips are no reason to lose a round.
_GIVES_UP: Final = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


def _depth(text: str) -> int:
    """Deepest nesting as a careless reader may see it: strings are no shelter, a wrong bracket closes nothing."""
    missing: list[str] = []
    deepest = 0
    for bracket in re.findall(r"[\[\]{}()]", text):
        if bracket in _PARTNERS:
            missing.append(_PARTNERS[bracket])
            deepest = max(deepest, len(missing))
        elif missing and bracket == missing[-1]:
            missing.pop()
    return deepest


def _why_not(text: str, layout: Layout, error: str) -> Failure:
    if layout.unclosed is not None:
        return Failure("truncated", "the JSON object breaks off before it is closed; send it whole, and shorter")
    if not layout.objects:
        return Failure("empty", "there is no text outside of the reasoning") if layout.blank else _no_object()
    last = layout.objects[-1]
    if error and _read(text[last.start : last.end]) is None:
        return Failure("no_json", f"the object is no valid JSON: {error}")
    return Failure("invalid", "")


def _no_object() -> Failure:
    return Failure("no_json", "there is no JSON object in the reply; answer with one JSON object")
