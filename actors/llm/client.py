"""The client of model servers: one session per process, explicit limits, one owner of retries.

A call ends in plain data, a Reply or a CallFailure, and every attempt is recorded before its reply can be used.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import SystemRandom
from typing import Final, Literal, NoReturn

from actors.llm.backoff import RetryPolicy
from actors.llm.calls import CallClass, Called, CallFailure, CallRecord, Place, Recorder, Reply
from actors.llm.connections import Pool
from actors.llm.exchange import Exchange, Line, exchange
from actors.llm.failures import Fault
from actors.llm.governor import Governor, Permit, Signal
from actors.llm.keys import Keys
from actors.llm.pricing import cost_usd
from actors.llm.protocols import protocol_of
from actors.llm.switches import Refusal, Switches, learn
from actors.llm.token_counts import estimate_tokens
from actors.llm.wire import Request, canonical
from ecologies.model_entry import ModelEntry, Retries

SWITCHES_MOST: Final = 8
"""Parameters that one call may find refused; a server that goes on refusing wants something else."""


def utc_now() -> datetime:
    """Wall time, for HTTP dates only."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Surroundings:
    """What the client takes from outside, so that a test can replace it."""

    clock: Callable[[], float] = time.monotonic  # seconds
    wall: Callable[[], datetime] = utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = field(default_factory=lambda: SystemRandom().random)  # uniform in [0, 1)
    proxies: Mapping[str, str] = field(default_factory=dict)  # variables such as HTTPS_PROXY; empty: none is used
    pool: Pool = field(default_factory=Pool)  # one for all clients of a process


@dataclass(frozen=True)
class _Try:
    """One attempt and its time."""

    attempt: int
    met: Exchange
    latency_s: float
    sent: bytes
    switches: Switches


@dataclass(frozen=True)
class _Call:
    """What stays the same over the attempts of one call."""

    entry: ModelEntry
    request: Request
    place: Place
    recorder: Recorder

    @property
    def retry(self) -> RetryPolicy:
        return policy_of(self.entry.retries)


class ModelClient:
    """Calls models; all clients of a process share one pool of connections."""

    def __init__(
        self,
        keys: Keys,
        governor: Governor,
        around: Surroundings | None = None,
        learnt: Mapping[str, Switches] | None = None,
    ) -> None:
        """Remember keys, governor, surroundings and what is known of the servers, by model.

        The session opens with the first call.
        """
        self._keys = keys
        self._governor = governor
        self._around = around or Surroundings()
        self._learnt = dict(learnt or {})

    def __repr__(self) -> str:
        return f"ModelClient({self._keys!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client holds keys and a connection pool; make one in each process")

    async def close(self) -> None:
        """Close the session and its connections."""
        await self._around.pool.close()

    def learnt(self, model: str) -> Switches:
        """What is known of a model's server."""
        return self._learnt.get(model, Switches())

    async def call(self, entry: ModelEntry, request: Request, place: Place, recorder: Recorder) -> Called:
        """Send one request until it has a reply, may not be repeated, or its budget is spent.

        Every attempt is committed to `recorder` before this returns.
        """
        call = _Call(entry, request, place, recorder)
        queue_s = model_s = waited_s = 0.0
        if entry.api_key_env and self._keys.get(entry.api_key_env) is None:
            return Called(_without_key(entry), queue_s, model_s)
        attempt = tries = switched = 0
        while True:
            attempt, tries = attempt + 1, tries + 1
            started = self._around.clock()
            permit = await self._governor.acquire(entry.account_name, tokens_wanted(entry, request))
            queue_s += self._around.clock() - started
            if permit.stopped is not None:
                return Called(_stopped(entry, permit.stopped, attempt - 1), queue_s, model_s)
            tried = await self._try(call, permit, attempt)
            model_s += tried.latency_s
            failure = _failure(tried, entry)
            if failure is not None and switched < SWITCHES_MOST and await self._switched(call, tried, failure):
                tries, switched = tries - 1, switched + 1  # what is sent next is another request
                await recorder.commit(_record(call, tried, 0.0))
                continue
            wait_s = self._wait_s(call, replace(failure, attempts=tries), tried, waited_s) if failure else None
            await recorder.commit(_record(call, tried, wait_s))
            if wait_s is None:
                return Called(failure or _reply(tried), queue_s, model_s)
            await self._around.sleep(wait_s)
            waited_s += wait_s
            queue_s += wait_s

    async def _try(self, call: _Call, permit: Permit, attempt: int) -> _Try:
        switches = self.learnt(call.entry.label)
        signal = Signal("network")  # what a call that is cancelled, or cannot be written, leaves behind
        started = self._around.clock()
        try:
            sent = _encoded(call, switches)
            met = await exchange(self._line(), call.entry, sent, call.place.turn, self._around.wall())
            met = _as_quota(met, call.retry.quota_s)
            error_class: CallClass | Literal[""] = met.outcome.error_class if isinstance(met.outcome, Fault) else ""
            signal = Signal(error_class, met.retry_after_s, _tokens_taken(met))
        finally:
            await self._governor.release(permit, signal)
        return _Try(attempt, met, self._around.clock() - started, sent, switches)

    async def _switched(self, call: _Call, tried: _Try, failure: CallFailure) -> bool:
        """Whether the refused request will be sent otherwise: as another call has learnt meanwhile, or as it says."""
        fault, label = tried.met.outcome, call.entry.label
        if failure.error_class != "bad_request" or not isinstance(fault, Fault) or call.entry.policy == "http":
            return False  # a policy is sent one form only
        known = self.learnt(label)
        if _encoded(call, known) != tried.sent:
            return True
        switches = learn(known, Refusal(fault.words or fault.message, fault.parameter, json.loads(tried.sent)))
        if switches is None or _encoded(call, switches) == tried.sent:
            return False
        self._learnt[label] = switches
        await call.recorder.learn(label, switches)
        return True

    def _wait_s(self, call: _Call, failure: CallFailure, tried: _Try, waited_s: float) -> float | None:
        wait_s = call.retry.wait_s(failure, self._around.draw(), waited_s)
        # Some servers close a connection that they promised to keep: the next request on it fails at once.
        return 0.0 if wait_s is not None and tried.met.disconnected and tried.attempt == 1 else wait_s

    def _line(self) -> Line:
        return Line(self._around.pool.session(), self._keys, self._around.proxies)


def _encoded(call: _Call, switches: Switches) -> bytes:
    return canonical(protocol_of(call.entry).encode(call.request, call.entry, switches))


def _as_quota(met: Exchange, quota_s: float) -> Exchange:
    """A server that asks to come back in hours has run out; it is no use to wait at its door."""
    fault = met.outcome
    if isinstance(fault, Fault) and fault.error_class in ("rate", "overloaded") and (met.retry_after_s or 0) > quota_s:
        message = f"asks to wait {met.retry_after_s:g} s, more than {quota_s:g} s: {fault.message}"
        return replace(met, outcome=replace(fault, error_class="quota", message=message))
    return met


def _failure(tried: _Try, entry: ModelEntry) -> CallFailure | None:
    met, fault = tried.met, tried.met.outcome
    if isinstance(fault, Reply):
        return None
    message = fault.message
    if fault.error_class == "auth":
        message = f"model {entry.label}: the key in {entry.api_key_env or 'no variable'} was refused: {message}"
    return CallFailure(fault.error_class, met.status, tried.attempt, message, met.retry_after_s)


def _reply(tried: _Try) -> Reply:
    assert isinstance(tried.met.outcome, Reply)
    return tried.met.outcome


def _stopped(entry: ModelEntry, stopped: CallClass, attempts: int) -> CallFailure:
    why = "its key was refused" if stopped == "auth" else "its quota is spent"
    return CallFailure(stopped, None, attempts, f"account {entry.account_name}: no call is sent, since {why}")


def _without_key(entry: ModelEntry) -> CallFailure:
    return CallFailure("auth", None, 0, f"model {entry.label}: no key in {entry.api_key_env}; set that variable")


def policy_of(retries: Retries) -> RetryPolicy:
    """The bounds of a call's retries as the models file gives them."""
    return RetryPolicy(retries.attempts, retries.first, retries.longest, retries.budget)


def tokens_wanted(entry: ModelEntry, request: Request) -> int:
    """Tokens that a request will take at most, as far as can be told before: its own, and the limit of its reply."""
    most = request.setting.sampling.get("max_tokens", entry.speaks.max_tokens)
    return estimate_tokens(request.body) + (most if isinstance(most, int) else 0)


def _tokens_taken(met: Exchange) -> int | None:
    tokens = met.outcome.tokens
    return None if tokens.prompt is None else tokens.prompt + (tokens.completion or 0)


def _record(call: _Call, tried: _Try, wait_s: float | None) -> CallRecord:
    outcome, met = tried.met.outcome, tried.met
    if isinstance(outcome, Reply):
        error_class: CallClass | Literal[""] = "" if met.status == 200 else "content_filter"
        route, body, message = outcome.route, outcome.body, ""
    else:
        error_class, route, body, message = outcome.error_class, "", met.body, outcome.message
    key = call.place.key
    return CallRecord(
        market_id=key.market_id,
        seat=key.seat,
        model=call.entry.label,
        round_number=key.round_number,
        ask=call.place.ask,
        turn=call.place.turn,
        attempt=tried.attempt,
        digest=call.request.digest,
        status=met.status,
        error_class=error_class,
        final=wait_s is None,
        tokens=outcome.tokens,
        latency_s=tried.latency_s,
        cost_usd=cost_usd(outcome.tokens, call.entry.prices),
        route=route,
        request=call.request.shown,
        reply=body,
        message=message,
        switches=tried.switches.text(),
        wait_s=wait_s,
    )
