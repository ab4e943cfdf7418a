"""Finding the object that a text means: outside reasoning, fences and prose, and through small damage.

Rungs of the ladder, each tried only when the one before found nothing:

    1 the whole text is strict JSON
    2 balanced objects outside reasoning blocks, read strictly, or after mending what cannot be misread (`mending`).
      The last object that is wanted wins.
    3 `json-repair` on a damaged object, within bounds (`repairing`).
    4 the closing brackets that an object lacks, when it ends on a bracket or a quote and the server says that the text
      is complete. An object that breaks off anywhere else is never closed: a cut 4.85 would become 4. Nor does an
      earlier object stand in for one that breaks off.

Where brackets were guessed, on rungs 3 and 4, what comes out must also be in order: no section inside of another one.
What comes out is used only if it is wanted; text that is no decision never becomes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from erpsim.json_text import decode
from erpsim.layout import Layout, Span, lay_out
from erpsim.mending import mend
from erpsim.reading import Failure, excerpt, fault
from erpsim.repairing import repair

TRIED_OBJECTS: Final = 100
"""How many objects are read, from the last one backwards."""
REPAIRED_OBJECTS: Final = 2
"""How many damaged objects are given to repair, from the last one backwards."""


class Found(NamedTuple):
    """The object that a text means, and the rungs that it took: codes of `ParseRecovered`, none for strict JSON."""

    value: Any
    codes: tuple[str, ...]


class Wanted(NamedTuple):
    """What is looked for: tests of a value read from JSON."""

    is_one: Callable[[Any], bool]
    in_order: Callable[[Any], bool]  # of one whose brackets were guessed: whether its parts stand where they belong


def find_object(text: str, wanted: Wanted, complete: bool) -> Found | Failure:
    """Find the object that a text means.

    Args:
        text: what a model wrote.
        wanted: tells what is looked for.
        complete: whether the server says that the text ended by itself.
    """
    text = text.strip("\ufeff\u200b\u2060 \t\r\n")
    try:
        value = decode(text)
    except ValueError:
        return _search(text, wanted, complete)
    if wanted.is_one(value):
        return Found(value, ())
    if isinstance(value, str):
        inner = find_object(value, wanted, complete)
        return Found(inner.value, ("json_text", *inner.codes)) if isinstance(inner, Found) else inner
    return _search(text, wanted, complete)


def _search(text: str, wanted: Wanted, complete: bool) -> Found | Failure:
    layout = lay_out(text)
    if layout is None:
        return Failure("no_json", "the reply is no JSON, and has too many brackets and quotes to be searched")
    if layout.unclosed is not None:
        return (_closed(text, layout, wanted) if complete else None) or _breaks_off(text)
    early = _closed_early(text, layout)
    if early is not None:
        place = excerpt(text, early)
        return Failure("no_json", f"the object is closed too early, by a bracket too many, near {place}")
    return _last_sound(text, layout, wanted) or _repaired(text, layout, wanted) or _why_not(text, layout)


class _Read(NamedTuple):
    value: Any
    codes: tuple[str, ...]


def _last_sound(text: str, layout: Layout, wanted: Wanted) -> Found | None:
    """The last object that reads strictly or after mending, and whether there are others."""
    winner: Found | None = None
    damaged: list[Span] = []
    for span in layout.objects[: -TRIED_OBJECTS - 1 : -1]:
        read = _read(text[span.start : span.end])
        if read is None:
            damaged.append(span)
        elif wanted.is_one(read.value):
            if winner is not None:
                return Found(winner.value, (*winner.codes, "several_objects"))
            winner = Found(read.value, (*_surroundings(text, layout, span), *read.codes))
    if winner is not None and any(_is_damaged_one(text, span, wanted) for span in damaged[:REPAIRED_OBJECTS]):
        return Found(winner.value, (*winner.codes, "several_objects"))
    return winner


def _is_damaged_one(text: str, span: Span, wanted: Wanted) -> bool:
    repaired = repair(text[span.start : span.end])
    return repaired is not None and wanted.is_one(repaired.value)


def _read(text: str) -> _Read | None:
    try:
        return _Read(decode(text), ())
    except ValueError:
        mended = mend(text)
    try:
        return _Read(decode(mended.text), mended.codes)
    except ValueError:
        return None


def _surroundings(text: str, layout: Layout, span: Span) -> tuple[str, ...]:
    """What stood around an object that was found: reasoning, a fence, or prose."""
    codes = ("reasoning",) if layout.reasoning else ()
    before, after = text[: span.start].rstrip(), text[span.end :].lstrip()
    opening = _FENCE.search(before[-80:])
    if opening and after.startswith(opening[1]):
        return (*codes, "fence")
    edges = [0, *(edge for block in layout.reasoning for edge in block), len(text)]
    outside = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    rest = sum(len(part.strip()) for part in outside)
    return (*codes, "prose") if rest > span.end - span.start else codes


_FENCE: Final = re.compile(r"(```|~~~)[`~]{0,7}[^`~\n]{0,60}$")


def _closed_early(text: str, layout: Layout) -> int | None:
    """Where an object is closed that goes on: a key follows, at once, or before a bracket that closes nothing."""
    for span in layout.objects:
        if _GOES_ON.match(text, span.end):
            return span.end
    if layout.surplus is None:
        return None
    position = layout.objects[0].end
    for start, end in (*layout.objects[1:], (layout.surplus, layout.surplus)):
        if start > layout.surplus:
            break
        if _KEY.search(text, position, start):
            return layout.objects[0].end
        position = end
    return None


_KEY: Final = re.compile(r"[\"'“”][^\"'“”\n]{1,60}+[\"'“”]\s*+[:：]")
_GOES_ON: Final = re.compile(rf"[\s,\]}}]*+{_KEY.pattern}")


def _repaired(text: str, layout: Layout, wanted: Wanted) -> Found | None:
    for span in layout.objects[: -REPAIRED_OBJECTS - 1 : -1]:
        if _SPILLS.match(text, span.end):
            continue
        repaired = repair(text[span.start : span.end])
        if repaired is not None and wanted.is_one(repaired.value) and wanted.in_order(repaired.value):
            codes = ("lexical_repair", "duplicate_key") if repaired.duplicates else ("lexical_repair",)
            return Found(repaired.value, (*_surroundings(text, layout, span), *codes))
    return None


_SPILLS: Final = re.compile(r"\s*+[,:}\"]")  # damage that may reach beyond the object


def _closed(text: str, layout: Layout, wanted: Wanted) -> Found | None:
    """The object that only lacks closing brackets."""
    rest = text[layout.unclosed :].rstrip("`~ \t\r\n")
    if not rest.endswith(("}", "]", '"')):
        return None
    missing: list[str] = []
    for token in _BRACKETS.findall(rest):
        if token in _PARTNERS:
            missing.append(_PARTNERS[token])
        elif missing and token == missing[-1]:
            missing.pop()
    read = _read(rest + "".join(reversed(missing)))
    if read is None or not wanted.is_one(read.value) or not wanted.in_order(read.value):
        return None
    earlier = (_read(text[span.start : span.end]) for span in layout.objects[: -TRIED_OBJECTS - 1 : -1])
    several = any(one is not None and wanted.is_one(one.value) for one in earlier)
    return Found(read.value, ("unclosed", *read.codes, *(("several_objects",) if several else ())))


_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"?|[\[\]{}]')
_PARTNERS: Final = {"{": "}", "[": "]"}


def _breaks_off(text: str) -> Failure:
    message = (
        f"the JSON object breaks off before it is closed, at {excerpt(text, len(text))}; send it whole, and shorter"
    )
    return Failure("truncated", message)


def _why_not(text: str, layout: Layout) -> Failure:
    if not layout.objects:
        return Failure("empty", _ONLY_REASONING) if layout.blank else Failure("no_json", _NO_OBJECT)
    last = layout.objects[-1]
    if _read(part := text[last.start : last.end]) is None:
        return Failure("no_json", f"the object is no valid JSON: {fault(part)}")
    return Failure("invalid", "")


_ONLY_REASONING: Final = "there is no text outside of the reasoning; answer with one JSON object after it"
_NO_OBJECT: Final = "there is no JSON object in the reply; answer with one JSON object"
