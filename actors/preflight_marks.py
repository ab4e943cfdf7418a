"""What the replies of one decision show about a server: tools ignored, prompts cut, replies cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from actors.llm.asking import Caller
from actors.llm.calls import Called, Place, Recorder, Reply
from actors.llm.token_counts import estimate_tokens
from actors.llm.wire import Request, canonical
from ecologies.model_entry import ModelEntry
from erpsim.events import FallbackDecision
from erpsim.parsing import read_decision
from erpsim.proposal import Proposal

CUT_PROMPT: Final = 0.5
"""Share of the tokens estimated for its messages below which a prompt was not read whole: no tokenizer is so terse."""
MOSTLY: Final = 0.8
"""Share of a reply's tokens from which reasoning has eaten it."""


class Met(NamedTuple):
    """One request with its reply."""

    request: Request
    reply: Reply


class Watched:
    """A client whose replies are kept beside what was sent for them."""

    def __init__(self, client: Caller) -> None:
        """Pass calls on to a client."""
        self._client = client
        self.met: list[Met] = []

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        """See `agent.Caller`."""
        called = await self._client.call(entry, request, place, recorder)
        if isinstance(called.outcome, Reply):
            self.met.append(Met(request, called.outcome))
        return called


def warnings_of(entry: ModelEntry, proposal: Proposal, met: Sequence[Met]) -> tuple[str, ...]:
    """Say what is odd about a decision; empty when nothing is."""
    told = [*_unread(proposal)]
    if entry.policy == "model":
        told += [*_cut_replies(met), *_without_tools(proposal), *_cut_prompts(met), *_uncounted(met)]
    return tuple(told)


def _unread(proposal: Proposal) -> Iterator[str]:
    if proposal.decision is None:
        causes = [event for event in proposal.events if isinstance(event, FallbackDecision)]
        yield f"gave no usable decision ({causes[-1].code}: {causes[-1].cause})"


def _without_tools(proposal: Proposal) -> Iterator[str]:
    if proposal.usage.tool_calls == 0:
        yield "made no tool call; see whether its server has tools turned on"


def _cut_replies(met: Sequence[Met]) -> Iterator[str]:
    """A reply that ended for its length, or with nothing in it."""
    for reply in (one.reply for one in met):
        if reply.tool_calls or reply.finish_reason == "content_filter":
            continue
        failure = read_decision(reply.text, reply.finish_reason, reply.refusal).failure
        if failure is None or failure.cause not in ("truncated", "empty"):
            continue
        how = "was cut off" if failure.cause == "truncated" else "was empty"
        yield f"a reply {how}{_spent_on(reply)}; raise sampling.max_tokens, or bound its reasoning"
        return


def _spent_on(reply: Reply) -> str:
    completion, reasoning = reply.tokens.completion, reply.tokens.reasoning
    if not completion:
        return ""
    if reasoning is not None and reasoning >= MOSTLY * completion:
        return f" after {completion:,} tokens, {reasoning:,} of them reasoning"
    return f" after {completion:,} tokens"


def _cut_prompts(met: Sequence[Met]) -> Iterator[str]:
    for request, reply in met:
        counted = reply.tokens.prompt
        sent = estimate_tokens(canonical(list(request.messages)).decode())
        if counted is not None and counted < CUT_PROMPT * sent:
            yield (
                f"its server counts {counted:,} tokens of a prompt of about {sent:,}: it may cut prompts without a word"
                " (Ollama does, at its num_ctx); raise its context"
            )
            return


def _uncounted(met: Sequence[Met]) -> Iterator[str]:
    if any(one.reply.tokens.prompt is None or one.reply.tokens.completion is None for one in met):
        yield "its server counts no tokens, so tokens and cost stay unknown"
