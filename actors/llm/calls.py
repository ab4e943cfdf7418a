"""What one call of a model is about, what came of it, and the record kept of every attempt; all plain data.

Nothing here is an exception and nothing holds a key, so every value may cross from actor to actor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol

from actors.llm.switches import Switches

CallClass = Literal[
    "rate",
    "quota",
    "overloaded",
    "server",
    "network",
    "timeout",
    "broken_body",
    "html_body",
    "empty_choices",
    "auth",
    "model_not_found",
    "context_overflow",
    "content_filter",
    "bad_request",
    "unrecorded",
]
"""Why an attempt gave no reply. A content filter is the one that the model's side answers for; `unrecorded` is met by a
run that is played again from a journal."""

RETRYABLE: Final[frozenset[CallClass]] = frozenset(
    {"rate", "overloaded", "server", "network", "timeout", "broken_body", "html_body", "empty_choices"}
)
"""Classes that may pass by themselves; the same request is never sent again after any other."""

ACCOUNT_STOPS: Final[frozenset[CallClass]] = frozenset({"quota", "auth"})
"""Classes that would meet every further call of the account in the same way."""


@dataclass(frozen=True)
class DecisionKey:
    """One decision of a run."""

    market_id: str
    seat: int
    round_number: int  # 1-based


@dataclass(frozen=True)
class Place:
    """One call of a decision: `ask` counts re-asks from 0, `turn` the requests of the whole decision from 0."""

    key: DecisionKey
    ask: int
    turn: int


@dataclass(frozen=True)
class Tokens:
    """Tokens of one attempt by kind; None where the server did not say.

    Those read from a cache and those written to one are part of `prompt`.
    """

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None  # part of `completion`
    written: int | None = None


@dataclass(frozen=True)
class ToolCall:
    """One tool call as the model wrote it; `arguments` is text, an object, or None."""

    call_id: str
    name: str
    arguments: str | dict[str, Any] | None


@dataclass(frozen=True)
class Reply:
    """One answer of a model, read from the body that is journaled.

    Attributes:
        body: the answer as it came, JSON text.
        message: the assistant message to send back, unknown fields included.
        text: the text in it, "" when there was none.
        route: model string, fingerprint and provider header, joined by "|".
        marked_up: whether the tool calls stood as markup in the text.
    """

    body: str
    message: dict[str, Any]
    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str | None
    refusal: str | None
    tokens: Tokens
    route: str
    marked_up: bool = False


class StoredBody(NamedTuple):
    """An answer that the journal holds: its text as it came, and its route."""

    body: str
    route: str


@dataclass(frozen=True)
class CallFailure:
    """A call that gave no reply, its retries included."""

    error_class: CallClass
    status: int | None  # None when no answer came
    attempts: int
    message: str
    retry_after_s: float | None = None  # what the server asked for last


@dataclass(frozen=True)
class InfraFailure:
    """A decision that could not be asked for, for a reason that is not the model's; its market is tried again later."""

    place: Place
    failure: CallFailure


class Called(NamedTuple):
    """What a call came to, and its time in seconds: waiting for a permit or for a retry, and waiting for answers."""

    outcome: Reply | CallFailure
    queue_s: float
    model_s: float


@dataclass(frozen=True)
class CallRecord:
    """One attempt, as the journal keeps it; `error_class` is "" for a reply.

    `request` holds what this call adds to the conversation (see `wire.Request`), `reply` the answer as it came.
    """

    market_id: str
    seat: int
    model: str  # label in the models file
    round_number: int
    ask: int
    turn: int
    attempt: int  # 1-based
    digest: str  # of the whole request body
    status: int | None
    error_class: CallClass | Literal[""]
    final: bool  # no further attempt follows
    tokens: Tokens
    latency_s: float
    cost_usd: float | None  # None: unknown
    route: str
    request: str
    reply: str
    message: str  # of the error, without keys
    switches: str = ""  # JSON of the parameters that were sent otherwise than the models file says
    wait_s: float | None = None  # pause before the next attempt; None when none follows


class Recorder(Protocol):
    """The journal as the agent sees it."""

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """Answer that an earlier life of this decision got for the same request, so that it is never asked twice."""
        ...

    async def commit(self, record: CallRecord) -> None:
        """Keep one attempt; on return it is durable, and only then is a reply used."""
        ...

    async def learn(self, model: str, switches: Switches) -> None:
        """Keep what a model's server was found to want, so that it need not be found again."""
        ...
