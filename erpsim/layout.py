"""Where balanced objects stand in a text, outside of reasoning blocks: one pass, whatever the text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple


class Span(NamedTuple):
    """A stretch of text, end excluded."""

    start: int
    end: int


class Layout(NamedTuple):
    """The parts of a text."""

    objects: tuple[Span, ...]  # balanced {…} that no other one holds, in order
    reasoning: tuple[Span, ...]  # blocks such as <think>…</think>, in order
    unclosed: int | None  # where the first object starts that is never closed
    blank: bool  # nothing but blanks stands outside of the reasoning


def lay_out(text: str) -> Layout:
    """Find the objects of a text.

    Strings matter inside braces only, so quotes and tags in prose or in a string mislead nobody. A closing tag without
    an opening one ends reasoning that began before the text; an opening one that is never closed takes all that
    follows. A brace in prose that is never closed hides no object behind it, unless a quote follows it: then it began
    an object, and what stands in it is a part, not a whole.
    """
    scan = _Scan(text)
    position = 0
    while token := _TOKENS.search(text, position):
        position = scan.step(token)
    return scan.layout()


_TAGS: Final = r"think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection"
_TOKENS: Final = re.compile(
    rf"(?P<mark>[{{}}\"])|<(?P<slash>/?)(?P<tag>{_TAGS})\b[^<>]{{0,80}}>|\[(?P<slash_2>/?)(?P<tag_2>THINK)\]",
    re.IGNORECASE,
)
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"')
_BEGINS_OBJECT: Final = re.compile(r"\{\s*[\"“”„']")


@dataclass
class _Frame:
    start: int
    parts: list[Span] = field(default_factory=list)  # balanced objects directly in it


class _Scan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._frames = [_Frame(-1)]  # the text itself, then every brace that is open
        self._reasoning: list[Span] = []
        self._quotes_pair = True  # False once a quote had no partner: then none after it has one

    def step(self, token: re.Match[str]) -> int:
        """Take one token; gives where to look for the next one."""
        mark = token["mark"]
        if mark is None:
            return self._tag(token)
        if mark == '"':
            return self._quote(token)
        if mark == "{":
            self._frames.append(_Frame(token.start()))
        elif len(self._frames) > 1:
            closed = self._frames.pop()
            self._frames[-1].parts.append(Span(closed.start, token.end()))
        return token.end()

    def layout(self) -> Layout:
        """What was found, after the last token."""
        text = self._text
        unclosed = [frame.start for frame in self._frames[1:] if _BEGINS_OBJECT.match(text, frame.start)]
        end = unclosed[0] if unclosed else len(text)
        objects = sorted(part for frame in self._frames for part in frame.parts if part.start < end)
        edges = [0, *(edge for block in self._reasoning for edge in block), len(text)]
        outside = zip(edges[::2], edges[1::2], strict=True)
        return Layout(
            objects=tuple(objects),
            reasoning=tuple(self._reasoning),
            unclosed=unclosed[0] if unclosed else None,
            blank=all(not text[start:stop].strip() for start, stop in outside),
        )

    def _quote(self, token: re.Match[str]) -> int:
        if len(self._frames) > 1 and self._quotes_pair:
            if string := _STRING.match(self._text, token.start()):
                return string.end()
            self._quotes_pair = False
        return token.end()

    def _tag(self, token: re.Match[str]) -> int:
        name = token["tag"] or token["tag_2"]
        if token["slash"] or token["slash_2"]:
            self._frames = [_Frame(-1)]
            self._reasoning = [Span(0, token.end())]
            return token.end()
        closing = re.compile(rf"[<\[]/{re.escape(name)}\s*[>\]]", re.IGNORECASE).search(self._text, token.end())
        end = closing.end() if closing else len(self._text)
        self._reasoning.append(Span(token.start(), end))
        return end
