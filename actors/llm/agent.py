"""A model as the policy of a firm: prompts, tool turns, one re-ask, and the proposal that comes of them.

A decision is a function of the observation and of the replies: no clock changes it, and a reply that the journal holds
is taken from there. What the provider or the network did is an `InfraFailure`, never a fallback of the model's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from actors.llm.asking import Caller, propose, replied
from actors.llm.call_markup import read_markup
from actors.llm.calls import CallFailure, DecisionKey, InfraFailure, Place, Recorder, Reply
from actors.llm.conversation import Conversation
from actors.llm.prompts.render import last_turn_prompt, reask_prompt, round_prompt, system_prompt
from actors.llm.toolbox import Answered, Toolbox, answer_calls, refuse_calls, standard_toolbox
from actors.llm.wire import Setting, build_request
from ecologies.model_entry import ModelEntry
from erpsim.decision import decision_schema
from erpsim.events import ContextCompacted, ParseRecovered
from erpsim.observation import Observation
from erpsim.parsing import Failure, Reading, read_decision
from erpsim.proposal import Proposal


@dataclass(frozen=True)
class AgentOptions:
    """Bounds of one decision.

    Attributes:
        tool_turns: requests that may be answered by tool calls; the one after them is sent without tools.
        reasks: times that an unusable answer is asked for again, 0-2.
    """

    tool_turns: int = 6
    reasks: int = 1


class ModelAgent:
    """One model of the panel, deciding for any number of firms at once; it keeps nothing between decisions."""

    def __init__(
        self, entry: ModelEntry, client: Caller, recorder: Recorder, options: AgentOptions | None = None
    ) -> None:
        """Bind a model to a client and a journal."""
        self._entry = entry
        self._client = client
        self._recorder = recorder
        self._options = options or AgentOptions()
        self._toolbox = standard_toolbox()
        self._setting = _setting(entry, self._toolbox)
        self.clock: Callable[[], float] = time.perf_counter

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure:
        """Ask the model for a round's decision.

        Returns:
            A proposal; its decision is None on fallback. An InfraFailure when the model could not be asked: the
            market is to be parked, and the same call later goes on from the replies that are journaled.
        """
        talk = self._open(observation)

        async def ask(number: int, failure: Failure | None) -> Reading | InfraFailure:
            if failure is not None:
                talk.say(reask_prompt(failure.message))
            return await self._ask(talk, observation, key, number)

        return await propose(talk, self._options.reasks, ask)

    def _open(self, observation: Observation) -> Conversation:
        system = system_prompt(len(observation.firms), observation.horizon, self._options.tool_turns)
        opening = [{"role": "system", "content": system}, {"role": "user", "content": round_prompt(observation)}]
        return Conversation(self._entry.prices, opening)

    async def _ask(
        self, talk: Conversation, observation: Observation, key: DecisionKey, ask: int
    ) -> Reading | InfraFailure:
        """Run tool turns until a decision or a text comes."""
        while True:
            with_tools = talk.tool_turns < self._options.tool_turns
            if not with_tools and not talk.told_last:
                talk.say(last_turn_prompt())
                talk.told_last = True
            reply = await self._reply(talk, Place(key, ask, talk.turn), with_tools)
            if isinstance(reply, InfraFailure):
                return reply
            if not reply.tool_calls:
                return read_decision(reply.text, reply.finish_reason, reply.refusal)
            answered = self._answer(talk, reply, observation, with_tools)
            if answered.reading is not None:
                return answered.reading
            if not with_tools:
                return _past_budget(reply, self._options.tool_turns)

    async def _reply(self, talk: Conversation, place: Place, with_tools: bool) -> Reply | InfraFailure:
        """The model's next reply; a conversation that its context cannot hold is shortened once."""
        while True:
            request = build_request(self._setting, talk.messages, talk.known, with_tools)
            called = await replied(self._entry, self._client, self._recorder, request, place)
            failure = called.outcome if isinstance(called.outcome, CallFailure) else None
            if failure is None or failure.error_class != "context_overflow" or not talk.compact():
                break
            talk.spent(called)
            talk.events.append(ContextCompacted("tool_answers", cause=failure.message))
        talk.take(called)
        return InfraFailure(place, failure) if failure is not None else self._with_markup(talk, place.turn)

    def _with_markup(self, talk: Conversation, turn: int) -> Reply:
        """The last reply, with the calls that its server left in its text."""
        reply = talk.replies[-1]
        calls = () if reply.tool_calls else read_markup(reply.text, turn)
        if not calls:
            return reply
        talk.events.append(ParseRecovered("call_markup", cause="tool calls stood as markup in the text"))
        return replace(reply, tool_calls=calls, marked_up=True)

    def _answer(self, talk: Conversation, reply: Reply, observation: Observation, with_tools: bool) -> Answered:
        started = self.clock()
        answered = answer_calls(self._toolbox, reply, observation) if with_tools else refuse_calls(reply)
        talk.tools_s += self.clock() - started
        talk.tool_turns += with_tools
        talk.tool_calls += len(reply.tool_calls)
        talk.answer(answered.messages, reply.marked_up)
        talk.events.extend(answered.events)
        return answered


def _setting(entry: ModelEntry, toolbox: Toolbox) -> Setting:
    sampling = entry.sampling.model_dump(exclude_none=True)
    return Setting(entry.model, sampling, toolbox.offered(), _answer_format(entry.response_format), entry.extra)


def _answer_format(name: str) -> dict[str, Any] | None:
    if name == "json_schema":
        return {"type": name, "json_schema": {"name": "decision", "schema": decision_schema()}}
    return {"type": name} if name == "json_object" else None


def _past_budget(reply: Reply, tool_turns: int) -> Reading:
    """A last turn that calls tools all the same: its text may still be the decision."""
    reading = read_decision(reply.text, reply.finish_reason, reply.refusal)
    if reading.failure is None:
        return reading
    message = f"tools were called again after {tool_turns} turns with tools, and no decision was given"
    return Reading(None, (), Failure("tool_budget", message))
