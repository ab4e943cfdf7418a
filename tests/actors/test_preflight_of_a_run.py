"""When a run asks its models first, and what that leaves behind; the markets themselves are not played."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from actors import driver
from actors.entries import Writer, call_entry, commit_entry
from actors.journal import Journal
from actors.planning import RunRequest, make_plan, work_of
from actors.preflight import preflight
from actors.preflight_replies import PREFLIGHT
from actors.progress import FailedCall, Progress
from actors.pulse import Pulse
from actors.run_file import RunPlan, RunSettings, load
from actors.sources import read_sources
from actors.tally import Extent, Tally
from erpsim.errors import ProviderError
from tests.actors.llm.peers import CANARY
from tests.actors.samples import call_record
from tests.erpbench.refusing_peer import RefusingPeer, refusing

TEXT = """
[models."lab/one"]
base_url = "{0}"
model = "good"
api_key_env = "CANARY_KEY"
"""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_KEY", CANARY)


@pytest.fixture
def peer() -> Iterator[RefusingPeer]:
    """A server that answers one decision and then refuses the key."""
    with refusing(401, good=1) as found:
        yield found


@pytest.fixture
def markets(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Folders whose markets were to be played; nothing is."""
    asked: list[Path] = []
    monkeypatch.setattr(driver, "play_markets", lambda folder, play: asked.append(folder))
    return asked


def _planned(
    folder: Path, peer: RefusingPeer, skip_preflight: bool = False, problems: str = "P001"
) -> tuple[RunPlan, RunSettings]:
    (folder / "models.toml").write_text(TEXT.format(peer.address))
    settings = RunSettings(models_path=str(folder / "models.toml"), skip_preflight=skip_preflight)
    return make_plan(RunRequest(problems=problems, ecologies=("solo",)), settings), settings


def _calls(folder: Path) -> list[str]:
    journal = Journal(folder / "journal.db", writable=False)
    try:
        return [str(row.key[0]) for row in journal.rows("calls")]
    finally:
        journal.close()


def test_every_model_is_asked_before_any_market_and_warnings_reach_the_listener_and_the_summary(
    tmp_path: Path, peer: RefusingPeer, markets: list[Path]
) -> None:
    told: list[Progress] = []
    summary = driver.play(tmp_path / "run", *_planned(tmp_path, peer), told.append)
    assert told[0].stage == "asking each model once"
    assert markets == [tmp_path / "run"]
    assert _calls(tmp_path / "run") == [PREFLIGHT]
    assert summary.progress.notes[0].startswith("model lab/one: made no tool call")
    assert "counts 100 tokens of a prompt of about" in summary.progress.notes[1]
    assert told[-1].notes == summary.progress.notes
    assert summary.progress.calls == 1, "what the preflight took is spent"


def test_a_reply_is_asked_for_once_in_a_run_and_a_resume_tells_the_same(
    tmp_path: Path, peer: RefusingPeer, markets: list[Path]
) -> None:
    first = driver.play(tmp_path / "run", *_planned(tmp_path, peer), lambda _: None)
    later = [driver.resume(tmp_path / "run", lambda _: None) for _ in range(3)]
    assert (len(markets), len(peer.asked)) == (4, 1)
    assert _calls(tmp_path / "run") == [PREFLIGHT]
    assert [summary.progress.notes for summary in later] == [first.progress.notes] * 3


def test_a_later_play_shows_each_model_the_same_though_the_first_markets_are_done(
    tmp_path: Path, peer: RefusingPeer, markets: list[Path]
) -> None:
    plan, settings = _planned(tmp_path, peer, problems="P001,P002")
    driver.play(tmp_path / "run", plan, settings, lambda _: None)
    sources = read_sources(settings)
    units = work_of(plan, sources).units
    run = load(tmp_path / "run")
    told = preflight(tmp_path / "run", run, sources.models.entries, units[1:], units)
    assert told[0].startswith("model lab/one: made no tool call")
    assert preflight(tmp_path / "run", run, sources.models.entries, (), units) == []
    assert len(peer.asked) == 1


def test_a_refusal_ends_the_run_before_any_market_and_a_resume_asks_again(tmp_path: Path, markets: list[Path]) -> None:
    with refusing(401) as peer:
        plan, settings = _planned(tmp_path, peer)
        with pytest.raises(ProviderError, match=r"^model lab/one: the key in CANARY_KEY was refused: "):
            driver.play(tmp_path / "run", plan, settings, lambda _: None)
        with pytest.raises(ProviderError, match=r"^model lab/one: the key in CANARY_KEY was refused: "):
            driver.resume(tmp_path / "run", lambda _: None)
    assert not markets
    assert _calls(tmp_path / "run") == [PREFLIGHT, PREFLIGHT]
    assert driver.status(tmp_path / "run").markets_failed == 0


def test_without_a_preflight_nothing_is_asked_and_a_resume_keeps_to_that(
    tmp_path: Path, peer: RefusingPeer, markets: list[Path]
) -> None:
    plan, settings = _planned(tmp_path, peer, skip_preflight=True)
    driver.play(tmp_path / "run", plan, settings, lambda _: None)
    driver.resume(tmp_path / "run", lambda _: None)
    assert len(markets) == 2
    assert not peer.asked


def test_a_run_that_is_complete_asks_nothing(tmp_path: Path, peer: RefusingPeer, markets: list[Path]) -> None:
    plan, settings = _planned(tmp_path, peer, skip_preflight=True)
    driver.play(tmp_path / "run", plan, settings, lambda _: None)
    journal = Journal(tmp_path / "run" / "journal.db", writable=True)
    for unit in work_of(plan, read_sources(settings)).units:
        journal.write([commit_entry(unit.market.market_id, number, last=number == 6) for number in range(1, 7)])
    journal.close()
    driver.resume(tmp_path / "run", lambda _: None, replace(settings, skip_preflight=False))
    assert len(markets) == 1
    assert not peer.asked


@pytest.mark.parametrize(("error_class", "stops"), [("auth", True), ("model_not_found", True), ("rate", False)])
def test_a_call_that_says_that_the_set_up_is_wrong_is_in_the_progress(error_class: str, stops: bool) -> None:
    tally = Tally()
    record = call_record(error_class=error_class, status=401, message="no", model="lab/one")
    tally.add([call_entry(record, Writer("life", 1))], [True])
    found = tally.progress(Extent(1, 6)).refused
    assert found == (FailedCall(error_class, "lab/one", "no") if stops else None)


def test_a_refusal_of_an_earlier_play_is_no_reason_to_stop(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.db", writable=True)
    journal.write([call_entry(call_record(error_class="auth", status=401), Writer("life", 1))])
    journal.close()
    assert Tally.of(tmp_path / "journal.db").progress(Extent(1, 6)).refused is None


def test_a_note_stays_with_everything_that_is_told_later() -> None:
    told: list[Progress] = []
    pulse = Pulse(told.append, Progress())
    pulse.note(["model a: calls no tools"])
    pulse.playing(Progress(rounds_done=1), 1)
    pulse.stage("done", Progress())
    assert [progress.notes for progress in told] == [("model a: calls no tools",)] * 3
