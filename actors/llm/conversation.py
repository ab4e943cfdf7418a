"""One decision's conversation: the messages so far, what they took, and what happened on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from actors.llm.calls import Called, CallFailure, Reply
from actors.llm.pricing import cost_usd
from actors.llm.wire import Message
from ecologies.models import Prices
from erpsim.events import Event
from erpsim.proposal import Usage


@dataclass
class Conversation:
    """Life of one decision; mutable, held by the one coroutine that decides it.

    Attributes:
        known: messages that the server has seen or sent.
        turn: requests answered so far, over all asks.
        tool_turns: of those, the ones whose tool calls were run.
    """

    prices: Prices
    messages: list[Message]
    known: int = 0
    turn: int = 0
    tool_turns: int = 0
    tool_calls: int = 0
    told_last: bool = False
    events: list[Event] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    queue_s: float = 0.0
    model_s: float = 0.0
    tools_s: float = 0.0

    def take(self, called: Called) -> None:
        """Add a call's time, and its reply when it has one."""
        self.queue_s += called.queue_s
        self.model_s += called.model_s
        if not isinstance(called.outcome, CallFailure):
            self.replies.append(called.outcome)
            self.messages.append(called.outcome.message)
            self.known = len(self.messages)
            self.turn += 1

    def say(self, text: str) -> None:
        """Add a message of the user's side."""
        self.messages.append({"role": "user", "content": text})

    def usage(self) -> Usage:
        """What the replies took; an unknown count adds nothing, an unknown price makes the whole unknown."""
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


def _total(counts: Iterable[int | None]) -> int:
    return sum(count for count in counts if count is not None)
