"""What counts as kept after a kill, and the server's log behind it."""

import json
import time
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.reliability import local_play
from benchmarks.reliability.kill import summary
from benchmarks.reliability.order import NOWHERE
from benchmarks.reliability.server import LoggingServer, logging_server
from benchmarks.reliability.setting import Size, Standing, graded, make_setting, standing
from benchmarks.reliability.trial import Reference, Strike, Striker, Trial, judged

GOOD = Trial(1, "Firm", pid=9, uncommitted=2, repeats=2, identical=True)


@pytest.mark.parametrize(
    ("changes", "good"),
    [
        ({}, True),
        ({"repeats": 3}, False),
        ({"committed_again": 1}, False),
        ({"identical": False}, False),
        ({"left_over": 1}, False),
        ({"error": "RunError: x"}, False),
    ],
)
def test_a_trial_is_good_only_if_everything_was_kept(changes: dict[str, object], good: bool) -> None:
    assert Trial(**{**vars(GOOD), **changes}).good is good


def test_late_trials_count_as_nothing_else() -> None:
    figures = summary("actors", [GOOD, Trial(2, "Audit", late=True)])
    assert (figures["trials"], figures["late"], figures["good"], figures["repeats"]) == (1, 1, 1, 2)


@pytest.mark.slow
def test_a_request_asked_again_though_its_reply_was_committed_is_seen(tmp_path: Path) -> None:
    setting = make_setting(tmp_path, NOWHERE, Size(1, 1))
    local_play.play(setting, tmp_path / "run", 0)
    held = standing(tmp_path / "run")
    assert held.replies.total() >= 12
    assert (held.rounds, held.unfinished) == (1, 0)
    log = tmp_path / "server.log"
    log.write_text("")
    server = LoggingServer(0, log)
    striker = Striker(server, tmp_path / "run", 0.0, lambda: 9)
    known = next(iter(held.replies))
    log.write_text(f"1.0 came {known}\n1.1 sent {known}\n1.2 came {known}\n1.3 came new\n")
    striker.struck = Strike(9, 0.0, 1, Counter(["new"]), Standing(held.replies, 1, 0), time.monotonic())
    reference = Reference(graded(tmp_path / "run"), Counter([known]), 1.0)
    seen = judged(Trial(1, "Firm"), striker, reference, server, tmp_path / "run")
    assert (seen.identical, seen.repeats, seen.uncommitted, seen.committed_again) == (True, 2, 1, 1)
    assert not seen.good


@pytest.mark.slow
def test_the_server_logs_each_request_under_the_tag_that_its_reply_bears(tmp_path: Path) -> None:
    asked = {"model": "standin/a", "messages": [{"role": "user", "content": "hello"}]}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with logging_server(tmp_path, 0.0) as server:
        mark = server.mark()
        request = urllib.request.Request(f"{server.url}/chat/completions", json.dumps(asked).encode())
        with opener.open(request, timeout=30) as answer:
            reply = json.load(answer)
        deadline = time.monotonic() + 10.0
        while server.seen(mark).in_flight and time.monotonic() < deadline:
            time.sleep(0.01)
        seen = server.seen(mark)
    (tag,) = seen.came
    assert reply["id"] == f"chatcmpl-standin-{tag}"
    assert seen.in_flight == 0
