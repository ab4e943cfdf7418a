"""Who decides for a firm: a rule from `ecologies`, or a model over HTTP through one client a process."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from actors.assignment import host_of
from actors.journal_link import JournalRecorder
from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import DecisionKey, InfraFailure
from actors.llm.client import ModelClient, Surroundings
from actors.llm.governor import LocalGovernor
from actors.llm.keys import Keys
from actors.llm.terms import terms_by_account
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
class StandardDeciders:
    """Makes the deciders of a run's policies inside a firm actor.

    Attributes:
        entries: the run's models.
        sealed: their keys.
        options: bounds of one decision.
        shards: shards of the run; each has its own connections to every account.
        proxies: variables such as HTTPS_PROXY; empty for none.
    """

    entries: tuple[ModelEntry, ...]
    sealed: Sealed
    options: AgentOptions = field(default_factory=AgentOptions)
    shards: int = 1
    proxies: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, spec: PolicySpec, recorder: JournalRecorder) -> PolicyDecider | ModelAgent:
        """The decider of one policy; a model's has a client of its own, since an actor hosts one model.

        Raises:
            WorkError: the policy is no rule and no model of the run.
        """
        if spec.kind == "rule":
            return PolicyDecider(rule_policy(spec.label))
        for entry in self.entries:
            if spec.kind == "model" and entry.label == spec.label:
                governor = LocalGovernor(terms_by_account(self.entries), time.monotonic)
                client = ModelClient(self.sealed.keys(), governor, around=Surroundings(proxies=self.proxies))
                return ModelAgent(entry, client, recorder, self.options)
        raise WorkError(f"policy {spec.kind} {spec.label!r} cannot be played here; name a rule or a model of the run")

    def for_host(self, host: str) -> StandardDeciders:
        """The same for one firm actor: it is given the keys of the models that it plays, and no other."""
        played = [entry for entry in self.entries if host_of(entry.spec) == host]
        return replace(self, sealed=self.sealed.only([entry.api_key_env for entry in played if entry.api_key_env]))

    def connections(self) -> dict[str, int]:
        """Connections by account that one firm actor may open, so that all together keep the account's limit."""
        sharers = Counter(entry.account_name for entry in self.entries)
        return {
            entry.account_name: max(1, entry.limits.connections // (sharers[entry.account_name] * self.shards))
            for entry in self.entries
        }
