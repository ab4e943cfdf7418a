"""One decision's conversation: the messages so far, what they took, and what happened on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from actors.llm.calls import Called, CallFailure, Reply
from actors.llm.pricing import cost_usd
from actors.llm.wire import Message
from ecologies.model_entry import Prices
from erpsim.events import Event
from erpsim.proposal import Usage

_OPENING: Final = "<tool_response>"
SHORTENED: Final = '{"note":"left out, since the conversation became too long; ask again with a filter if needed"}'
"""What stands in a conversation that was shortened in the place of a tool's answer."""


@dataclass
class Conversation:
    """Life of one decision; mutable, held by the one coroutine that decides it.

    Attributes:
        known: messages that the server has seen or sent.
        turn: requests answered so far, over all asks.
        tool_turns: of those, the ones whose tool calls were run.
        compacted: whether the answers of tools were shortened.
    """

    prices: Prices
    messages: list[Message]
    known: int = 0
    turn: int = 0
    tool_turns: int = 0
    tool_calls: int = 0
    told_last: bool = False
    compacted: bool = False
    events: list[Event] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    queue_s: float = 0.0
    model_s: float = 0.0
    tools_s: float = 0.0

    def take(self, called: Called) -> None:
        """Add a call's time, and its reply when it has one."""
        self.spent(called)
        if not isinstance(called.outcome, CallFailure):
            self.replies.append(called.outcome)
            self.messages.append(called.outcome.message)
            self.known = len(self.messages)
            self.turn += 1

    def spent(self, called: Called) -> None:
        """Add a call's time."""
        self.queue_s += called.queue_s
        self.model_s += called.model_s

    def say(self, text: str) -> None:
        """Add a message of the user's side."""
        self.messages.append({"role": "user", "content": text})

    def answer(self, answers: Sequence[Message], marked_up: bool) -> None:
        """Add the answers to a reply's calls; to calls that stood in a text they go as a text, as no call has an id."""
        if marked_up:
            self.say("\n".join(f"{_OPENING}\n{message['content']}\n</tool_response>" for message in answers))
        else:
            self.messages.extend(answers)

    def compact(self) -> bool:
        """Shorten the answers of tools, once; says whether anything became shorter."""
        if self.compacted:
            return False
        shorter = [_shortened(message) for message in self.messages]
        if shorter == self.messages:
            return False
        self.messages, self.known, self.compacted = shorter, 0, True
        return True

    def usage(self) -> Usage:
        """What the replies took; one unknown count or price makes the whole unknown."""
        costs = [cost_usd(reply.tokens, self.prices) for reply in self.replies]
        return Usage(
            llm_calls=len(self.replies),
            tool_calls=self.tool_calls,
            tokens_in=_total(reply.tokens.prompt for reply in self.replies),
            tokens_out=_total(reply.tokens.completion for reply in self.replies),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            route=";".join(dict.fromkeys(reply.route for reply in self.replies)),
            model_s=self.model_s,
            tools_s=self.tools_s,
            queue_s=self.queue_s,
        )


def _shortened(message: Message) -> Message:
    content = message.get("content")
    told = message["role"] == "tool" or (isinstance(content, str) and content.startswith(_OPENING))
    long = isinstance(content, str) and len(content) > len(SHORTENED)
    return {**message, "content": SHORTENED} if told and long else message


def _total(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)
