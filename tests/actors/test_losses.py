"""The death of Ray's own processes, as a run tells it."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
import ray
from ray.exceptions import ActorDiedError, LocalRayletDiedError, RayError, RayTaskError

from actors import driver, playing, remote
from actors.addresses import is_raised, reason_of
from actors.losses import losses_told
from actors.messages import Lost
from actors.planning import RunRequest, make_plan
from actors.remote import Cast
from actors.run_file import RunSettings
from erpsim.errors import ProviderError, RunError

DIED = """The actor died unexpectedly before finishing this task.
	class_name: Audit
	actor_id: 3b1c
	namespace: erpbench-1
The actor is dead because its node has died."""
GOES_ON = r"`erpbench resume runs/first` goes on$"


def error_of(kind: type[RayError], text: str) -> RayError:
    """An error of a kind with the words that Ray gives it."""
    made: RayError = type(kind.__name__, (kind,), {"__init__": lambda self: None, "__str__": lambda self: text})()
    return made


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            error_of(ActorDiedError, DIED),
            r"\(ActorDiedError: The actor died unexpectedly before finishing this task\. \(Audit actor\)\)",
        ),
        (LocalRayletDiedError(), r"\(LocalRayletDiedError: The task's local raylet died\."),
        (Lost("no actor is called 'audit' any more"), r"\(no actor is called 'audit' any more\)"),
    ],
)
def test_a_loss_is_told_with_what_was_lost_and_how_the_run_goes_on(error: Exception, told: str) -> None:
    with pytest.raises(RunError, match=rf"^runs/first: .*{told}.*{GOES_ON}") as raised, losses_told(Path("runs/first")):
        raise error
    assert not isinstance(raised.value, Lost)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "error",
    [
        ProviderError("model lab/one: 401"),
        RunError("the disk is full"),
        error_of(RayTaskError, "KeyError: 'a bug'"),
    ],
)
def test_what_is_no_loss_stays_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as raised, losses_told(Path("runs/first")):
        raise error
    assert raised.value is error


@pytest.mark.parametrize(
    ("text", "kind"),
    [(DIED, Lost), ("The actor died because of an error\nerpsim.errors.RunError: the folder is a link", RunError)],
)
def test_an_actor_that_dies_at_its_start_is_lost_unless_its_own_code_ended_it(
    text: str, kind: type[RunError], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = error_of(ActorDiedError, text)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(ray, "wait", lambda references, **_: (references, []))
    monkeypatch.setattr(ray, "get", fail)
    actor = SimpleNamespace(ready=SimpleNamespace(remote=lambda: "up?"))
    with pytest.raises(RunError, match=r"^the audit actor cannot start: ActorDiedError: ") as raised:
        remote.await_cast(Cast(actor, ()), 1.0)
    assert type(raised.value) is kind
    assert is_raised(error) == (kind is RunError)
    assert ("(Audit actor)" in reason_of(error)) == (kind is Lost)


def test_a_play_whose_raylet_dies_before_the_first_actor_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(seconds: float) -> None:
        raise LocalRayletDiedError

    for name in ("ray_session", "standin_server"):
        monkeypatch.setattr(playing, name, lambda _: nullcontext())
    monkeypatch.setattr(remote, "check_workers", fail)
    plan = make_plan(RunRequest(problems="P001", ecologies=("solo",)), RunSettings())
    folder = tmp_path / "run"
    with pytest.raises(RunError, match=rf"^{folder}: .*LocalRayletDiedError.*`erpbench resume {folder}` goes on$"):
        driver.play(folder, plan, RunSettings(), lambda _: None)
