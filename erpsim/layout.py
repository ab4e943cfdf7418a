"""Where balanced objects stand in a text, outside of reasoning blocks: one pass, whatever the text."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

TOKEN_LIMIT: Final = 200_000
"""Brackets, quotes and tags beyond which a text is not laid out; strings in an object do not count."""


class Span(NamedTuple):
    """A stretch of text, end excluded."""

    start: int
    end: int


class Layout(NamedTuple):
    """The parts of a text."""

    objects: tuple[Span, ...]  # balanced {…} that no other one holds, in order
    reasoning: tuple[Span, ...]  # blocks such as <think>…</think>, in order
    unclosed: int | None  # where the first object starts that is never closed
    surplus: int | None  # the last closing brace, after an object, that has no partner
    blank: bool  # nothing but blanks stands outside of the reasoning


def lay_out(text: str) -> Layout | None:
    """Find the objects of a text; None when it has more marks than `TOKEN_LIMIT`.

    Strings matter inside braces only, so quotes and tags in prose or in a string mislead nobody. A closing tag without
    an opening one ends reasoning that began before the text; an opening one that is never closed takes all that
    follows. A brace in prose that is never closed hides no object behind it, unless a quote or a key follows it: then
    it began an object, and what stands in it is a part, not a whole.
    """
    scan = _Scan(text)
    position = tokens = 0
    while mark := _MARKS.search(text, scan.past_strings(position)):
        tokens += 1
        if tokens > TOKEN_LIMIT:
            return None
        position = scan.step(mark[0], mark.start())
    return scan.layout()


_MARKS: Final = re.compile(r'[{}"<\[◁]')
_NAMES: Final = r"think|thinking|thoughts?|reasoning|reason|analysis|scratchpad|reflection"
_TAG: Final = re.compile(
    rf"<(?P<slash>/?)(?:seed:|ant)?(?P<tag>{_NAMES})\b[^<>]{{0,80}}>"
    r"|\[(?P<slash_2>/?)(?P<tag_2>THINK)\]"
    r"|◁(?P<slash_3>/?)(?P<tag_3>think)▷"
    r"|<\|(?:begin_of|start|(?P<slash_4>end_of|end))_(?P<tag_4>thought|thinking)\|>"
    r"|<\|channel\|?>\s{0,8}(?P<tag_5>analysis|thought)\b",
    re.IGNORECASE,
)
_CHANNEL_END: Final = re.compile(r"(?=<\|(?:end|start|channel|return|call)\|>)|<channel\|>")
# The outer group is not possessive: in Python 3.11.2 it would keep what it took in an attempt that failed.
_UNMARKED: Final = re.compile(r'(?:[^{}"<\[◁]++|"(?:[^"\\]++|\\[\s\S])*")*')
_BEGINS_OBJECT: Final = re.compile(r"\{\s*+(?:[\"“”„‟＂']|\w{1,40}+\s*+:)")


class _Scan:
    def __init__(self, text: str) -> None:
        self._text = text
        self._reasoning: list[Span] = []
        self._quotes_pair = True  # False once a quote had no partner: then none after it has one
        self._restart()

    def _restart(self) -> None:
        self._starts = [-1]  # of the text itself, then of every brace that is open
        self._parts: list[list[Span]] = [[]]  # balanced objects directly in each
        self._surplus: int | None = None

    def step(self, mark: str, start: int) -> int:
        """Take one mark; gives where to look for the next one."""
        if mark == "{":
            self._starts.append(start)
            self._parts.append([])
        elif mark == "}":
            self._close(start + 1)
        elif mark == '"':
            # Strings in an object are passed whole, so that a quote met in one has no partner.
            self._quotes_pair = self._quotes_pair and len(self._starts) == 1
        elif tag := _TAG.match(self._text, start):
            return self._tag(tag)
        return start + 1

    def past_strings(self, position: int) -> int:
        """Where to look for the next mark: inside of an object, past whole strings and what stands between them."""
        if len(self._starts) == 1 or not self._quotes_pair:
            return position
        passed = _UNMARKED.match(self._text, position)
        assert passed is not None, "nothing at all is passed as well"
        return passed.end()

    def layout(self) -> Layout:
        """What was found, after the last mark."""
        text = self._text
        unclosed = next((start for start in self._starts[1:] if _BEGINS_OBJECT.match(text, start)), None)
        end = len(text) if unclosed is None else unclosed
        objects = sorted(part for parts in self._parts for part in parts if part.start < end)
        edges = [0, *(edge for block in self._reasoning for edge in block), len(text)]
        outside = zip(edges[::2], edges[1::2], strict=True)
        return Layout(
            objects=tuple(objects),
            reasoning=tuple(self._reasoning),
            unclosed=unclosed,
            surplus=self._surplus,
            blank=not any(text[start:stop].strip() for start, stop in outside),
        )

    def _close(self, end: int) -> None:
        if len(self._starts) > 1:
            self._parts.pop()
            self._parts[-1].append(Span(self._starts.pop(), end))
        elif self._parts[0]:
            self._surplus = end - 1

    def _tag(self, tag: re.Match[str]) -> int:
        name = next(name for name in tag.group("tag", "tag_2", "tag_3", "tag_4", "tag_5") if name)
        if any(tag.group("slash", "slash_2", "slash_3", "slash_4")):
            self._restart()
            self._reasoning = [Span(0, tag.end())]
            return tag.end()
        closing = _closing(tag, name).search(self._text, tag.end())
        end = closing.end() if closing else len(self._text)
        self._reasoning.append(Span(tag.start(), end))
        return end


def _closing(tag: re.Match[str], name: str) -> re.Pattern[str]:
    """What ends the reasoning that a tag opens."""
    if tag["tag_5"]:
        return _CHANNEL_END
    if tag["tag_4"]:
        return re.compile(rf"<\|end_(?:of_)?{name}\|>", re.IGNORECASE)
    return re.compile(rf"[<\[◁]/(?:seed:|ant)?{name}\s{{0,8}}[>\]▷]", re.IGNORECASE)
