"""A transcript as lines of text: headings at the margin, everything that a model or a file wrote set in below them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from erpbench.terminal import counted

if TYPE_CHECKING:
    from actors.message_parts import Message, Part
    from actors.transcript import Attempt, Exchange, Executed, Transcript

INDENT: Final = "    "
"""Set before every line of a message, so that no text can pass for a heading."""


def transcript_lines(found: Transcript, raw: bool = False) -> Iterator[str]:
    """Give the lines of a transcript; they may hold control characters, but no line end.

    Args:
        found: what the journal says.
        raw: whether requests and replies are shown as they are recorded as well.
    """
    return (line.replace("\n", "\\n") for line in _lines(found, raw))


def _lines(found: Transcript, raw: bool) -> Iterator[str]:
    place = found.place
    yield f"{place.market_id}, round {place.round}: {place.firm} (seat {place.seat}, {place.kind} {place.policy})"
    yield from _totals(found)
    if not found.exchanges:
        yield from ("", _without_calls(found))
    number = 0
    for exchange in found.exchanges:
        yield from ("", _call_heading(exchange))
        for message in exchange.messages:
            number += 1
            yield from _message_lines(number, message)
        for attempt in exchange.attempts:
            yield _attempt_line(attempt)
        if exchange.reply is not None:
            number += 1
            yield from _message_lines(number, exchange.reply)
        if raw:
            yield from _raw_lines(exchange)
    yield from _outcome(found)


def _totals(found: Transcript) -> Iterator[str]:
    attempts = [attempt for exchange in found.exchanges for attempt in exchange.attempts]
    if not attempts:
        return
    costs = [attempt.cost_usd for attempt in attempts if attempt.cost_usd is not None or not attempt.error_class]
    known = [cost for cost in costs if cost is not None]
    cost = f"{sum(known):.6f} USD" if len(known) == len(costs) else "cost unknown"
    spent = [attempt.tokens for attempt in attempts if not attempt.error_class or any(attempt.tokens.values())]
    tokens = f"tokens {_sum(spent, 'prompt')} in, {_sum(spent, 'completion')} out"
    yield f"{counted(len(found.exchanges), 'call')}, {counted(len(attempts), 'attempt')}; {tokens}; {cost}"
    if found.seconds:
        yield "seconds: " + ", ".join(f"{name.removesuffix('_s')} {value:.3f}" for name, value in found.seconds.items())


def _without_calls(found: Transcript) -> str:
    if found.place.kind in ("model", "http"):
        return "No call is recorded: the model was not reached, or the decision rests on no conversation."
    return f"No conversation: this firm is led by the {found.place.kind} {found.place.policy}."


def _call_heading(exchange: Exchange) -> str:
    settings = {name: value for name, value in exchange.settings.items() if name != "messages_before"}
    shown = ", ".join(f"{name} {_compact(value)}" for name, value in settings.items())
    return f"CALL ask {exchange.ask}, turn {exchange.turn}: {shown}"


def _message_lines(number: int, message: Message) -> Iterator[str]:
    yield f"[{number}] {message.role}"
    if not message.parts:
        yield f"{INDENT}(empty)"
    for part in message.parts:
        title = _part_title(part)
        if title:
            yield f"  {title}"
        yield from _set_in(part.text)


def _part_title(part: Part) -> str:
    call = f" (id {part.call_id})" if part.call_id else ""
    titles = {
        "reasoning": "reasoning:",
        "refusal": "refusal:",
        "tool_call": f"calls {part.name}{call}:",
        "tool_answer": f"answer to a call{call}:",
        "other": f"{part.name or 'unknown part'}:",
    }
    return titles.get(part.kind, "")


def _attempt_line(attempt: Attempt) -> str:
    status = "no answer" if attempt.status is None else f"status {attempt.status}"
    told = [f"  attempt {attempt.number}: {status}, {attempt.latency_s:.3f} s"]
    if attempt.error_class:
        told.append(f"{attempt.error_class}: {attempt.message}" if attempt.message else attempt.error_class)
    counts = ", ".join(f"{name} {count:,}" for name, count in attempt.tokens.items() if count is not None)
    told.append(f"tokens {counts}" if counts else "tokens unknown")
    told.append("cost unknown" if attempt.cost_usd is None else f"{attempt.cost_usd:.6f} USD")
    if attempt.route.strip("|"):
        told.append(f"route {attempt.route}")
    if attempt.switches:
        told.append(f"switched {attempt.switches}")
    if attempt.wait_s is not None:
        told.append(f"waited {attempt.wait_s:.3f} s before the next")
    told.append("used" if attempt.used else "not used")
    return "; ".join(told)


def _raw_lines(exchange: Exchange) -> Iterator[str]:
    yield "  request as recorded:"
    yield from _set_in(exchange.request)
    for attempt in exchange.attempts:
        if attempt.reply:
            yield f"  reply of attempt {attempt.number} as recorded:"
            yield from _set_in(attempt.reply)


def _outcome(found: Transcript) -> Iterator[str]:
    for failure in found.failures:
        yield from ("", "MARKET STOPPED IN THIS ROUND")
        yield from _set_in(f"{failure['cause']} after {counted(failure['attempts'], 'attempt')}: {failure['message']}")
    yield from ("", "EVENTS" if found.events else "EVENTS none")
    yield from (INDENT + _event_line(event) for event in found.events)
    executed = found.executed
    if executed is None:
        yield from ("", "NOT DECIDED YET: the journal holds no decision of this round")
        return
    yield from ("", f"PROPOSAL {executed.status}" if executed.asked else "PROPOSAL none: the fallback is executed")
    asked = json.loads(executed.asked) if executed.asked else {}
    yield from _decision_lines(asked)
    yield from ("", "EXECUTED" if executed.committed else "EXECUTED (the round is not committed yet)")
    yield from _decision_lines(json.loads(executed.decision), asked)
    yield from _cut_lines(executed)
    row = executed.row
    yield from ("", f"RESULT valuation {row['valuation']:,.2f}, net income {row['net_income']:,.2f} EUR")


def _event_line(event: Mapping[str, Any]) -> str:
    what = " ".join(str(event[name]) for name in ("layer", "category", "code", "field") if event[name])
    change = "" if event["asked"] == event["granted"] == "null" else f": asked {event['asked']}, got {event['granted']}"
    limit = "" if event["limit"] == "null" else f", limit {event['limit']}"
    cause = f" ({event['cause']})" if event["cause"] else ""
    return f"{what}{change}{limit}{cause}"


def _decision_lines(decision: Mapping[str, Any], asked: Mapping[str, Any] | None = None) -> Iterator[str]:
    """A line for each entry of each section that holds something; of what was asked the same, only that it was."""
    for section, content in decision.items():
        if not content:
            continue
        if asked and asked.get(section) == content:
            yield f"  {section} as proposed"
            continue
        yield f"  {section}"
        if isinstance(content, dict):
            yield from (f"{INDENT}{name}: {_compact(value)}" for name, value in content.items())
        elif isinstance(content, list):
            yield from (INDENT + _compact(item) for item in content)
        else:
            yield from _set_in(str(content))


def _cut_lines(executed: Executed) -> Iterator[str]:
    if executed.asked is None:
        return
    yield from ("", "REPAIR CHANGED" if executed.cuts else "REPAIR CHANGED no amount")
    for cut in executed.cuts:
        why = f" ({cut.why})" if cut.why else ""
        yield f"{INDENT}{cut.section} {cut.what}: asked {cut.asked:,.12g}, got {cut.granted:,.12g}{why}"


def _set_in(text: str) -> Iterator[str]:
    return (INDENT + line for line in text.split("\n"))


def _compact(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _sum(tokens: Iterable[Mapping[str, int | None]], kind: str) -> str:
    counts = [one[kind] for one in tokens]
    known = sum(count for count in counts if count is not None)
    return f"{known:,}" if None not in counts else f"at least {known:,}"
