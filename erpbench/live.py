"""Progress while a run is played: a live line on a terminal, a plain line every few seconds elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from erpbench.terminal import inert

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from actors.progress import Listener, Progress

PLAIN_SECONDS: Final = 5.0
"""Time between two plain lines of one stage."""
PACE_SECONDS: Final = 10.0
"""Time over which calls per second are taken."""


@dataclass
class Pace:
    """Calls per second of the last few seconds; snapshots come in the order of their time."""

    marks: deque[tuple[float, int]] = field(default_factory=deque)  # (seconds since the play began, calls)

    def per_second(self, progress: Progress) -> float | None:
        """Note a snapshot and give the pace; None before two snapshots."""
        self.marks.append((progress.elapsed_s, progress.calls))
        while len(self.marks) > 2 and self.marks[1][0] <= progress.elapsed_s - PACE_SECONDS:
            self.marks.popleft()
        (start, before), (end, after) = self.marks[0], self.marks[-1]
        return (after - before) / (end - start) if end > start else None


@contextmanager
def shown(console: Console, first: str = "loading") -> Iterator[Listener]:
    """Show progress on a console while the block runs; gives the listener to be called.

    A terminal shows the word `first` until then; elsewhere nothing stands before an error.
    """
    if not console.is_terminal:
        yield with_notes(console, plain_lines(console))
        return
    from rich.live import Live

    pace = Pace()
    with Live(first, console=console, refresh_per_second=4, transient=True) as live:
        yield with_notes(console, lambda progress: live.update(_display(progress, pace.per_second(progress))))


def plain_lines(console: Console) -> Listener:
    """Give a listener that prints a line at each new stage and every few seconds of one."""
    pace = Pace()
    last: list[tuple[str, float]] = []

    def listen(progress: Progress) -> None:
        rate = pace.per_second(progress)
        if last and last[0][0] == progress.stage and progress.elapsed_s - last[0][1] < PLAIN_SECONDS:
            return
        last[:] = [(progress.stage, progress.elapsed_s)]
        console.print(line(progress, rate), soft_wrap=True)

    return listen


def with_notes(console: Console, listener: Listener) -> Listener:
    """Give a listener that prints each note of a play once, before it passes the progress on."""
    told: set[str] = set()

    def listen(progress: Progress) -> None:
        for note in progress.notes:
            if note not in told:
                told.add(note)
                console.print(f"warning: {inert(note)}", soft_wrap=True)
        listener(progress)

    return listen


def line(progress: Progress, calls_per_second: float | None = None) -> str:
    """Say in one line how far a run is."""
    return "; ".join(_parts(progress, calls_per_second))


def duration(seconds: float) -> str:
    """Give a time as minutes and seconds, with hours if there are any.

    >>> duration(3725)
    '1:02:05'
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def time_line(spent: Mapping[str, float]) -> str:
    """Say where the time went, by seconds of each part; the shares make 100 %.

    >>> time_line({"model": 90.0, "queue": 10.0})
    'waiting of all firms and markets 1:40: model 90.0 %, queue 10.0 %'
    """
    from ecologies.apportion import apportion

    whole = sum(spent.values())
    tenths = apportion(1000, tuple(spent.values())) if whole else (0,) * len(spent)
    parts = (f"{name} {share / 10:.1f} %" for name, share in zip(spent, tenths, strict=True))
    return f"waiting of all firms and markets {duration(whole)}: {', '.join(parts)}"


def _display(progress: Progress, calls_per_second: float | None) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    parts = _parts(progress, calls_per_second)
    return Group(
        Text("; ".join(parts[:-3]), no_wrap=True, overflow="ellipsis"),
        ProgressBar(total=max(progress.rounds_total or 0, 1), completed=progress.rounds_done),
        Text("; ".join(parts[-3:]), no_wrap=True, overflow="ellipsis", style="dim"),
    )


def _parts(progress: Progress, calls_per_second: float | None) -> list[str]:
    failed = f", {progress.markets_failed:,} failed" if progress.markets_failed else ""
    pace = f" ({calls_per_second:.1f}/s)" if calls_per_second is not None else ""
    left = f", about {duration(progress.eta_s)} left" if progress.eta_s is not None else ""
    stage = f"{progress.stage} ({progress.detail})" if progress.detail else progress.stage
    done = f"{progress.markets_done:,} of {progress.markets_total:,} markets done"
    return [
        f"{inert(stage)}: {done}, {progress.markets_in_flight:,} in flight{failed}",
        *([f"{duration(progress.elapsed_s)}{left}"] if progress.elapsed_s else []),
        *([f"quota spent: {inert(', '.join(progress.quota_spent))}"] if progress.quota_spent else []),
        f"{progress.calls:,} calls{pace}{_failed_calls(progress)}, {progress.throttled:,} x 429{_open_calls(progress)}",
        f"{progress.tokens_in:,} tokens in, {progress.tokens_out:,} out",
        _money(progress),
    ]


def _failed_calls(progress: Progress) -> str:
    last = progress.last_failed
    if last is None:
        return ""
    return f", {progress.calls_failed:,} failed (last: {inert(last.error_class)}, model {inert(last.model)})"


def _open_calls(progress: Progress) -> str:
    """Calls open and allowed of the accounts that have a common governor."""
    if not progress.accounts:
        return ""
    open_now, cap = (sum(getattr(account, name) for account in progress.accounts) for name in ("open", "cap"))
    return f", {open_now:,} of {cap:,} open"


def _money(progress: Progress) -> str:
    if progress.budget_usd is not None and progress.reckoned_usd is not None:
        return f"{progress.reckoned_usd:,.2f} of {progress.budget_usd:,.2f} USD"
    return "cost unknown" if progress.cost_usd is None else f"{progress.cost_usd:,.2f} USD"
