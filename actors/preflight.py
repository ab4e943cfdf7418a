"""One real decision of every model before a run's first paid call, so that a wrong set-up ends it before it begins.

Its calls are journaled under the market `PREFLIGHT`: they count in `calls` and in what was spent, in no other table.
What is learnt of a server (`llm.switches`) is kept for the run, and a reply is asked for once in its life.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

from actors.entries import Writer, call_entry, learnt_entry, read_learnt
from actors.journal import Entry, Journal
from actors.llm.agent import AgentOptions, ModelAgent
from actors.llm.calls import CallClass, CallFailure, CallRecord, DecisionKey, InfraFailure, Place, StoredBody
from actors.llm.client import ModelClient, Surroundings
from actors.llm.governor import LocalGovernor
from actors.llm.http_policy import HttpPolicy
from actors.llm.keys import Keys
from actors.llm.refusals import refusal_line
from actors.llm.switches import Switches
from actors.llm.terms import terms_by_account
from actors.preflight_marks import Watched, warnings_of
from actors.preflight_replies import PREFLIGHT, Asked, Remembering, replies_of_preflights
from actors.run_file import JOURNAL_NAME, RunFile
from ecologies.model_entry import ModelEntry, Retries
from ecologies.work import WorkUnit
from erpsim.errors import ProviderError
from erpsim.observation import Observation
from erpsim.proposal import Proposal, Usage
from erpsim.round import observe, open_firm

FATAL: Final[frozenset[CallClass]] = frozenset(
    {"auth", "model_not_found", "quota", "bad_request", "context_overflow", "network"}
)
"""Failures that the run would meet at every call; others may pass, and the run has its retries for them."""
RETRIES: Final = Retries(attempts=3, first=0.5, longest=2.0, budget=10.0)
"""Those of a decision that somebody waits for."""
GRACE_SECONDS: Final = 2.0
"""Time that the other models have to say what is wrong with them, once one has failed for good."""


class View(NamedTuple):
    """What one model is shown: the opening of a firm that it will play."""

    seat: int
    observation: Observation


@dataclass(frozen=True)
class Checked:
    """What came of one model's decision.

    Attributes:
        entry: the model.
        failure: why it could not be asked; None when it was.
        proposal: its answer; None when it could not be asked.
        seconds: that the decision took.
        switches: parameters that its server was found to want otherwise, as JSON; "" for none.
        warnings: what a person should know of it; the run goes on.
    """

    entry: ModelEntry
    failure: CallFailure | None
    proposal: Proposal | None
    seconds: float = 0.0
    switches: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def fatal(self) -> bool:
        """Whether no run makes sense with this model."""
        return self.failure is not None and self.failure.error_class in FATAL

    @property
    def usage(self) -> Usage:
        """What the replies took; of a model that could not be asked, nothing."""
        return Usage() if self.proposal is None else self.proposal.usage


def _unwritten(entries: Sequence[Entry]) -> None:
    """Keep nothing."""


@dataclass(frozen=True)
class Circumstances:
    """How the models are reached.

    Attributes:
        keys: of all models.
        options: bounds of a decision.
        proxies: variables such as HTTPS_PROXY; empty for none.
        learnt: what is known of the servers, by model.
        replies: those that an earlier preflight of the run was given; they are not asked for again.
        write: takes journal entries; does nothing outside of a run.
        patient: whether every model has its time, also when another one failed for good.
    """

    keys: Keys
    options: AgentOptions = field(default_factory=AgentOptions)
    proxies: Mapping[str, str] = field(default_factory=dict)
    learnt: Mapping[str, Switches] = field(default_factory=dict)
    replies: Mapping[Asked, StoredBody] = field(default_factory=dict)
    write: Callable[[Sequence[Entry]], object] = _unwritten
    patient: bool = False


class PreflightRecorder:
    """The journal as a preflight's agents see it: every attempt is kept."""

    def __init__(self, write: Callable[[Sequence[Entry]], object]) -> None:
        """Write entries as they come."""
        self._write = write
        self._life = f"preflight {uuid4().hex[:12]}"
        self._number = 0

    async def lookup(self, place: Place, digest: str) -> StoredBody | None:
        """Nothing: what is known is given by `Remembering`, so that it is looked at like what is asked for."""
        del place, digest
        return None

    async def commit(self, record: CallRecord) -> None:
        """Keep one attempt."""
        self._number += 1
        self._write([call_entry(record, Writer(self._life, self._number))])

    async def learn(self, model: str, switches: Switches) -> None:
        """Keep what a model's server was found to want."""
        self._write([learnt_entry(model, switches)])


def views(units: Iterable[WorkUnit], entries: Iterable[ModelEntry]) -> dict[str, View]:
    """Give each model that has something to play round 1 of the first market that seats it."""
    found: dict[str, View] = {}
    wanted = {entry.spec: entry.label for entry in entries}
    for unit in units:
        seats = unit.market.seats
        for seat, spec in enumerate(seats):
            label = wanted.get(spec)
            if label is not None and label not in found:
                found[label] = View(seat, observe(open_firm(unit.problem, seat), unit.problem, len(seats)))
    return found


def preflight(
    folder: Path,
    run: RunFile,
    entries: Sequence[ModelEntry],
    units: Sequence[WorkUnit],
    planned: Sequence[WorkUnit] = (),
) -> list[str]:
    """Check the models that have something to play, journal their calls, and give what a person should know of them.

    Args:
        folder: the run's; a reply that its journal holds of an earlier preflight is not asked for again.
        run: how it is played.
        entries: models.
        units: what is still to be played.
        planned: all that the run plays, from which a later play shows each model the same; empty: take `units`.

    Raises:
        ProviderError: a model's server refuses to work; see `require_usable`.
    """
    names = [entry.api_key_env for entry in entries if entry.api_key_env]
    journal = Journal(folder / JOURNAL_NAME, writable=True)
    try:
        around = Circumstances(
            keys=Keys({name: os.environ[name] for name in names}),
            options=AgentOptions(run.plan.tool_turns, run.plan.reasks),
            proxies=dict(os.environ) if run.settings.use_proxies else {},
            learnt=read_learnt(journal.rows("learnt")),
            replies=replies_of_preflights(journal),
            write=journal.write,
        )
        still = views(units, entries)
        playing = [entry for entry in entries if entry.label in still]
        checked = asyncio.run(check(playing, views(planned, entries) if planned else still, around))
    finally:
        journal.close()
    require_usable(checked)
    return [f"model {one.entry.label}: {warning}" for one in checked for warning in one.warnings]


async def check(entries: Sequence[ModelEntry], shown: Mapping[str, View], around: Circumstances) -> tuple[Checked, ...]:
    """Have all models that are shown something decide at once; the first fatal failure leaves the others little time.

    Gives the models that came to an end, in their order.
    """
    ours = [entry for entry in entries if entry.label in shown]
    governor = LocalGovernor(terms_by_account(ours), time.monotonic)
    client = ModelClient(around.keys, governor, Surroundings(proxies=around.proxies), around.learnt)
    recorder = PreflightRecorder(around.write)
    tasks = [asyncio.create_task(_checked(entry, shown[entry.label], (client, recorder), around)) for entry in ours]
    try:
        await (asyncio.wait(tasks) if around.patient else _all_or_fatal(tasks))
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        await client.close()
    for found in ended:
        if isinstance(found, Exception):
            raise found
    return tuple(found for found in ended if isinstance(found, Checked))


def require_usable(checked: Iterable[Checked]) -> None:
    """Refuse to go on while a model's server refuses for good.

    Raises:
        ProviderError: one line that names each such model, what was met and the mend.
    """
    failed = [one for one in checked if one.fatal]
    met = [(one, one.failure) for one in failed if one.failure is not None]
    # The models of an account whose key was refused just now are not asked any more.
    asked = [(one, failure) for one, failure in met if failure.attempts > 0] or met
    if asked:
        raise ProviderError("; and ".join(refusal_line(one.entry, f.error_class, f.message) for one, f in asked))


async def _all_or_fatal(tasks: Sequence[asyncio.Task[Checked]]) -> None:
    pending = set(tasks)
    grace_s: float | None = None
    while pending:
        done, pending = await asyncio.wait(pending, timeout=grace_s, return_when=asyncio.FIRST_COMPLETED)
        if not done or any(task.exception() is not None for task in done):
            return
        if any(task.result().fatal for task in done):
            grace_s = GRACE_SECONDS


async def _checked(
    entry: ModelEntry, view: View, means: tuple[ModelClient, PreflightRecorder], around: Circumstances
) -> Checked:
    client, recorder = means
    watched = Watched(Remembering(client, around.replies))
    hasty = entry.model_copy(update={"retries": RETRIES})
    decider = (
        HttpPolicy(hasty, watched, recorder, around.options.reasks)
        if entry.policy == "http"
        else ModelAgent(hasty, watched, recorder, around.options)
    )
    started = time.monotonic()
    answer = await decider.decide(view.observation, DecisionKey(PREFLIGHT, view.seat, 1))
    seconds = time.monotonic() - started
    switches = client.learnt(entry.label).text()
    if isinstance(answer, InfraFailure):
        failure = answer.failure
        passing = f"could not be asked ({failure.error_class}: {failure.message}); the run will try again"
        warned = () if failure.error_class in FATAL else (passing,)
        return Checked(entry, failure, None, seconds, switches, warned)
    return Checked(entry, None, answer, seconds, switches, warnings_of(entry, answer, watched.met))
