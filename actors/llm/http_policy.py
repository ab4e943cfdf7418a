"""A policy behind an address as the policy of a firm: it is sent the whole observation, so it has no tools to call.

Its answers go up the same ladder as a model's, and its server is called by the same client: retries, limits, keys,
journal and accounts are those of models.
"""

from __future__ import annotations

from actors.llm.asking import Caller, propose, replied
from actors.llm.calls import CallFailure, DecisionKey, InfraFailure, Place, Recorder
from actors.llm.conversation import Conversation
from actors.llm.observed import asking_message
from actors.llm.wire import Message, Setting, build_request
from ecologies.model_entry import ModelEntry
from erpsim.observation import Observation
from erpsim.observation_document import observation_json
from erpsim.parsing import Failure, Reading, read_decision
from erpsim.proposal import Proposal


class HttpPolicy:
    """One policy over HTTP, deciding for any number of firms at once; it keeps nothing between decisions."""

    def __init__(self, entry: ModelEntry, client: Caller, recorder: Recorder, reasks: int = 1) -> None:
        """Bind a policy to a client and a journal; an unusable answer is asked for again `reasks` times."""
        self._entry = entry
        self._client = client
        self._recorder = recorder
        self._reasks = reasks
        self._setting = Setting(entry.model, {}, (), extra=entry.extra)

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure:
        """Ask the policy for a round's decision; what comes back is as `agent.ModelAgent.decide` gives it."""
        talk = Conversation(self._entry.prices, [])
        written = observation_json(observation)

        async def ask(number: int, failure: Failure | None) -> Reading | InfraFailure:
            message = asking_message(self._entry.model, written, number, failure.message if failure else None)
            return await self._ask(talk, message, Place(key, number, talk.turn))

        return await propose(talk, self._reasks, ask)

    async def _ask(self, talk: Conversation, message: Message, place: Place) -> Reading | InfraFailure:
        request = build_request(self._setting, [message], 0, with_tools=False)
        called = await replied(self._entry, self._client, self._recorder, request, place)
        talk.take(called)
        if isinstance(called.outcome, CallFailure):
            return InfraFailure(place, called.outcome)
        return read_decision(called.outcome.text, called.outcome.finish_reason)
