"""Who decides for a firm: a rule from `ecologies`, or a model over HTTP through the one pool of its process."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from actors.assignment import Stand
from actors.desk_link import RemoteGovernor
from actors.journal_link import JournalRecorder
from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.asking import Caller
from actors.llm.calls import DecisionKey, InfraFailure, Recorder
from actors.llm.client import ModelClient, Surroundings
from actors.llm.connections import Pool
from actors.llm.governor import Governor, LocalGovernor
from actors.llm.http_policy import HttpPolicy
from actors.llm.keys import Keys
from actors.llm.switches import Switches
from actors.llm.tap import Tap
from actors.llm.terms import Terms, terms_by_account
from actors.recorded import NoServer, RecordedReplies, Replayer
from ecologies.models import ModelEntry
from ecologies.policy import Policy, PolicySpec
from ecologies.rules import rule_policy
from erpsim.errors import WorkError
from erpsim.observation import Observation
from erpsim.proposal import Proposal


class Sealed:
    """API keys on their way to a firm actor, by variable; its text never shows them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        """Keep the values."""
        self._values = dict(values)

    def __repr__(self) -> str:
        return f"Sealed({', '.join(sorted(self._values))})"

    def only(self, names: Iterable[str]) -> Sealed:
        """The keys of these variables, as far as they are here."""
        return Sealed({name: self._values[name] for name in names if name in self._values})

    def keys(self) -> Keys:
        """The keys as a client takes them."""
        return Keys(self._values)


@dataclass(frozen=True)
class PolicyDecider:
    """A policy that needs nothing but the observation."""

    policy: Policy

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure:
        """Ask the policy."""
        del key
        return await self.policy.decide(observation)


@dataclass(frozen=True)
class RuleDecider(PolicyDecider):
    """A rule: equal observations give equal decisions."""

    repeats: Literal[True] = True


@dataclass(frozen=True)
class ModelDecider:
    """A model, or a policy over HTTP, behind the tap by which its calls are stopped."""

    agent: ModelAgent | HttpPolicy
    tap: Tap

    async def decide(self, observation: Observation, key: DecisionKey) -> Proposal | InfraFailure:
        """Ask the model; does not return when its calls are stopped meanwhile."""
        return await self.agent.decide(observation, key)

    async def stop_calls(self) -> None:
        """Let no further call start; returns once none is open."""
        self.tap.turn_off()
        await self.tap.drained()


@dataclass(frozen=True)
class StandardDeciders:
    """Makes the deciders of a run's policies inside a firm actor.

    Attributes:
        entries: the run's models.
        sealed: their keys.
        options: bounds of one decision.
        learnt: what is known of the models' servers, by label.
        shards: shards of the run.
        proxies: variables such as HTTPS_PROXY; empty for none.
        stand: where the firm actor stands; None outside of a run.
        replay: journal whose recorded replies the models give instead of being called; None to call them.
        pool: connections that all models of this process share.
    """

    entries: tuple[ModelEntry, ...]
    sealed: Sealed
    options: AgentOptions = field(default_factory=AgentOptions)
    learnt: Mapping[str, Switches] = field(default_factory=dict)
    shards: int = 1
    proxies: Mapping[str, str] = field(default_factory=dict)
    stand: Stand | None = None
    replay: Path | None = None
    pool: Pool = field(default_factory=Pool, compare=False)

    def __call__(self, spec: PolicySpec, recorder: JournalRecorder) -> PolicyDecider | ModelDecider:
        """The decider of one policy; a model's has a client of its own, since what it learns is of that model.

        Raises:
            WorkError: the policy is no rule and no model of the run.
        """
        if spec.kind == "rule":
            return RuleDecider(rule_policy(spec.label))
        for entry in self.entries:
            if entry.spec == spec:
                tap = Tap(self._governor(entry.account_name))
                caller: Caller = self._client(tap)
                kept: Recorder = recorder
                if self.replay is not None:
                    replies = RecordedReplies(self.replay)
                    caller, kept = NoServer(replies), Replayer(replies, recorder)
                if spec.kind == "http":
                    return ModelDecider(HttpPolicy(entry, caller, kept, self.options.reasks), tap)
                return ModelDecider(ModelAgent(entry, caller, kept, self.options), tap)
        raise WorkError(f"policy {spec.kind} {spec.label!r} cannot be played here; name a rule or a model of the run")

    def at(self, stand: Stand) -> StandardDeciders:
        """The same for one firm actor: it is given the keys of the models that it plays, and no other."""
        names = [entry.api_key_env for entry in self.entries if entry.spec in stand.played and entry.api_key_env]
        return replace(self, sealed=self.sealed.only(names), stand=stand)

    def shared_terms(self) -> dict[str, Terms]:
        """Terms of the accounts that one governor has to keep for the whole run.

        Those that several firm actors use, and those with limits a minute, which must outlive an actor that is lost.
        """
        actors = Counter(entry.account_name for entry in self.entries for _ in range(self.shards))
        return {
            account: terms
            for account, terms in terms_by_account(self.entries).items()
            if actors[account] > 1 or terms.requests_per_minute is not None or terms.tokens_per_minute is not None
        }

    def _client(self, tap: Tap) -> ModelClient:
        return ModelClient(self.sealed.keys(), tap, Surroundings(proxies=self.proxies, pool=self.pool), self.learnt)

    def _governor(self, account: str) -> Governor:
        if self.stand is not None and self.stand.desk is not None and account in self.shared_terms():
            return RemoteGovernor(self.stand.desk, self.stand.name)
        return LocalGovernor(terms_by_account(self.entries), time.monotonic)
