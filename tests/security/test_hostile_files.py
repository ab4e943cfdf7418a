"""Models files, panels and run files that attack their readers: each is refused in a line, or read as plain data."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors import driver, run_file
from actors.journal import Journal
from actors.planning import RunRequest, make_plan
from actors.run_file import RunSettings
from ecologies import models, panel_file
from ecologies.ecology import slug
from ecologies.models import load_models, parse_models
from ecologies.panel import generate
from ecologies.panel_file import Panel, decode, encode, load_panel
from erpbench.report_files import report_folder
from erpsim.errors import ErpbenchError, ModelsError, ProblemError, RunError

ADDRESS = "http://127.0.0.1:1/v1"
ENTRY = f'[models."x"]\nbase_url = "{ADDRESS}"\nmodel = "m"\n'
DEEP = "[" * 5_000 + "]" * 5_000


def labelled(label: str) -> str:
    return ENTRY.replace('"x"', json.dumps(label), 1)


def refused(text: str) -> str:
    with pytest.raises(ModelsError) as caught:
        parse_models(text, "m.toml")
    assert str(caught.value).startswith("m.toml: ")
    assert len(str(caught.value)) < 500
    return str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "file:///etc/passwd",
            "javascript:alert(1)",
            "gopher://host/",
            "unix:///run/x.sock",
            "//host/v1",
            "http:///v1",
        ),
        *(
            "http://user:password@host/v1",
            "http://@host/v1",
            "http://host@/v1",
            "http://host/v1?key=1",
            "http://host/#x",
        ),
        *("http://host:99999/v1", "http://host:0/v1", "http://host:/v1", "http://host:port/v1", "http://[::1/v1"),
        *("http://ho st/v1", "http://host\r\nX-Evil: 1/v1", "http://host\t/v1", "http://ho\u0000st/v1"),
        *("http://h\u00f6st/v1", "http://\u202ehost/v1"),
    ],
)
def test_an_address_that_is_none_or_holds_more_is_refused_without_being_shown(url: str) -> None:
    message = refused(ENTRY.replace(json.dumps(ADDRESS), json.dumps(url)))
    assert "key 'base_url': " in message
    assert repr(url) not in message


@pytest.mark.parametrize("label", ["a\x1b[31m", "a\u202eb", "a\u200bb", "a\x9bb", "a\x7fb", "", "a b", "a" * 81])
def test_a_label_that_could_steer_or_mislead_a_reader_is_refused(label: str) -> None:
    assert "a label has 1-80 characters" in refused(labelled(label))


@pytest.mark.parametrize(
    "label", ["../../x", "..", ".", "/etc/passwd", "C:\\x", "constructor", "__proto__", "=1+1", "-1", "%2e%2e%2f", "~"]
)
def test_a_label_is_a_name_and_never_a_path(label: str) -> None:
    (entry,) = parse_models(labelled(label), "m.toml").entries
    assert entry.label == label
    assert not set("/\\%~") & set(slug(label))


@pytest.mark.parametrize(
    "text",
    [
        f"a = {DEEP}\n",
        f"{ENTRY}extra = {{ a = {DEEP} }}\n",
        f"{ENTRY}extra = {{ a = {'[' * 21}{']' * 21} }}\n",
        f"{ENTRY}extra = {{ {'.'.join('a' * 900)} = 1 }}\n",
        f"a = {'{a=' * 5_000}1\n",
        f"{ENTRY}sampling = {{ seed = {'9' * 5_000} }}\n",
        f"{ENTRY}sampling = {{ seed = 0x{'f' * 5_000} }}\n",
        f"{ENTRY}extra = {{ a = 0x{'f' * 5_000} }}\n",
        f"{ENTRY}limits = {{ connections = 99999999999999999999 }}\n",
        f"{ENTRY}timeouts = {{ total = inf }}\n",
        f"{ENTRY}retries = {{ budget = nan }}\n",
        f"{ENTRY}quirks = {{ key_header = \"X\\r\\nY\" }}\n",
        f"{ENTRY}quirks = {{ path = \"/x?y=1\" }}\n",
        f'{ENTRY}api_key_env = "$(id)"\n',
        f'{ENTRY}api_key_env = "A=B"\n',
        ENTRY + '[models."y".__class__]\n',
        ENTRY.replace("[models", "[[models"),
    ],
)  # fmt: skip
def test_what_is_too_deep_too_large_or_of_another_kind_is_refused(text: str) -> None:
    refused(text)


@given(st.text(max_size=200))
def test_any_text_is_a_models_file_or_is_refused(text: str) -> None:
    for attempt in (text, ENTRY + text, f"{ENTRY}extra = {{ a = {text} }}\n", labelled(text)):
        try:
            found = parse_models(attempt, "m.toml")
        except ModelsError:
            continue
        assert all(entry.label.isprintable() for entry in found.entries)
        assert len(found.digest()) == 64


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=8))
def test_any_value_in_a_panel_is_read_or_is_refused(value: Any) -> None:
    (problem,) = generate(1, 1)
    document = json.loads(encode(Panel(1, "x", (problem,))))
    for target in (document, document["problems"][0], document["problems"][0]["opening"]):
        for name in list(target):
            before, target[name] = target[name], value
            try:
                decode(json.dumps(document, allow_nan=True).encode("utf-8", "surrogatepass"), "p.json")
            except ProblemError as error:
                assert str(error).startswith("p.json: ")  # noqa: PT017 - most values are refused, some are right
            target[name] = before


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A good panel of one problem, with a change."""
    document = json.loads(encode(Panel(1, "x", generate(1, 1))))
    change(document)
    return json.dumps(document).encode()


def with_opening(**figures: object) -> Callable[[dict[str, Any]], object]:
    return lambda document: document["problems"][0]["opening"].update(figures)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"format":' + b"9" * 5_000 + b"}",
        changed(lambda document: document["problems"][0].update(market=json.loads(DEEP[4_500:5_500]))),
        changed(lambda document: document["problems"][0].update(problem_id="../../x")),
        changed(lambda document: document["problems"][0].update(problem_id="/etc/passwd")),
        changed(lambda document: document["problems"][0].update(problem_id="\x1b[31m")),
        changed(lambda document: document["problems"][0].update(seed=2**63)),
        changed(lambda document: document["problems"][0].update(horizon=10**30)),
        changed(with_opening(cash=10**30)),
        changed(with_opening(loan=10**17)),
        changed(with_opening(materials=[10**18] * 10)),
        changed(with_opening(goods=[[0, 10**18, 0]] * 12)),
        changed(with_opening(orders=[{"material": "oats", "quantity": 10**18, "receipt_day": 1, "value": 1}])),
        changed(with_opening(orders=[{"material": "oats", "quantity": 1, "receipt_day": 1, "value": 10**18}])),
    ],
)
def test_a_panel_that_is_too_deep_too_large_or_a_path_is_refused(data: bytes) -> None:
    with pytest.raises(ProblemError, match=r"^p\.json: "):
        decode(data, "p.json")


@pytest.mark.parametrize("size", ["cash", "loan"])
def test_the_largest_figures_of_a_panel_stay_within_64_bits(size: str) -> None:
    data = changed(with_opening(cash=10**11, loan=0, materials=[10**9] * 10) if size == "cash" else with_opening())
    (problem,) = decode(data, "p.json").problems
    assert problem.opening.cash <= 10**11


@pytest.mark.parametrize("name", ["../../x", "\x1b[31m\u202e", "<script>", "x" * 1_000_000])
def test_a_panels_name_is_never_used_as_a_path(name: str, tmp_path: Path) -> None:
    path = tmp_path / "panel.json"
    path.write_bytes(changed(lambda document: document.update(name=name)))
    settings = RunSettings(panel_path=str(path))
    run_file.create(tmp_path / "run", make_plan(RunRequest(problems="all"), settings), settings)
    assert sorted(made.name for made in tmp_path.rglob("*")) == ["panel.json", "run", "run.toml"]


def test_a_file_beyond_its_bound_is_not_read_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "LARGEST_FILE", 1_000)
    monkeypatch.setattr(panel_file, "LARGEST_FILE", 1_000)
    monkeypatch.setattr(run_file, "LARGEST_FILE", 1_000)
    path = tmp_path / "run.toml"
    path.write_bytes(b"#" * 1_001)
    readers: tuple[tuple[Callable[[Path], object], Path], ...] = (
        (load_models, path),
        (load_panel, path),
        (run_file.load, tmp_path),
    )
    for read, place in readers:
        with pytest.raises(ErpbenchError, match="is longer than"):
            read(place)


def test_a_device_without_end_is_refused_as_too_long() -> None:
    with pytest.raises(ModelsError, match="is longer than the 1,048,576 bytes"):
        load_models(Path("/dev/zero"))
    with pytest.raises(ProblemError, match="is longer than the 67,108,864 bytes"):
        load_panel(Path("/dev/zero"))


@pytest.mark.parametrize("text", [f"a = {DEEP}", f"run_id = {'9' * 5_000}", f"a = {'{a=' * 5_000}1"])
def test_a_run_file_that_is_too_deep_or_too_long_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(RunError, match=r"run\.toml: is no TOML"):
        run_file.load(tmp_path)


def test_a_link_that_leads_nowhere_or_round_is_told(tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to(tmp_path / "round")
    (tmp_path / "gone").symlink_to(tmp_path / "nothing")
    for name in ("round", "gone"):
        with pytest.raises(ModelsError, match="cannot be read"):
            load_models(tmp_path / name)
        with pytest.raises(ProblemError, match="cannot be read"):
            load_panel(tmp_path / name)


def test_a_file_of_somebody_else_shows_none_of_its_content(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary-of-a-file\n")
    (tmp_path / "linked").symlink_to(secret)
    for read in (load_models, load_panel):
        with pytest.raises(ErpbenchError) as caught:
            read(tmp_path / "linked")
        assert "canary" not in str(caught.value)


def test_a_run_file_is_written_in_place_of_a_link_and_never_through_it(tmp_path: Path) -> None:
    plan = make_plan(RunRequest(problems="1"), RunSettings())
    run = run_file.create(tmp_path / "run", plan, RunSettings())
    outside = tmp_path / "outside"
    outside.write_text("mine")
    (tmp_path / "run" / "run.toml").rename(tmp_path / "kept")
    (tmp_path / "run" / "run.toml").symlink_to(outside)
    run_file.save(tmp_path / "run", run)
    assert outside.read_text() == "mine"
    assert run_file.load(tmp_path / "run") == run


@pytest.mark.parametrize(
    "name",
    [
        "run.toml.new",
        "run.lock",
        "journal.lock",
        "journal.db",
        "journal.db-wal",
        "journal.db-shm",
        "records",
        "records/x.new",
    ],
)
def test_a_run_is_not_gone_on_with_through_a_link(name: str, tmp_path: Path) -> None:
    plan = make_plan(RunRequest(problems="1"), RunSettings())
    run_file.create(tmp_path / "run", plan, RunSettings())
    outside = tmp_path / "outside"
    outside.touch()
    (tmp_path / "run" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "run" / name).symlink_to(outside)
    with pytest.raises(RunError, match=r"is a link, and would be written through; put the file or folder itself"):
        driver.resume(tmp_path / "run", lambda progress: None)
    assert outside.read_bytes() == b""


@pytest.mark.parametrize(("folders", "name"), [(1, "report"), (2, "report-joint"), (1, "report/index.html.new")])
def test_a_report_is_not_written_through_a_link(folders: int, name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).symlink_to(tmp_path)
    with pytest.raises(RunError, match="is a link, and would be written through"):
        report_folder([tmp_path] * folders)


def test_a_report_goes_into_the_folder_of_its_run(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    assert report_folder([tmp_path]) == tmp_path / "report"
    assert report_folder([tmp_path, tmp_path]) == tmp_path / "report-joint"


def test_a_pipe_in_the_place_of_a_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    for name in ("run.toml", "journal.db", "models.toml"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(RunError, match=r"run\.toml: cannot be read \(no file but a pipe"):
        run_file.load(tmp_path)
    for writable in (True, False):
        with pytest.raises(RunError, match=r"journal\.db: is no file; put the journal back"):
            Journal(tmp_path / "journal.db", writable=writable)
    with pytest.raises(ModelsError, match="no file but a pipe"):
        load_models(tmp_path / "models.toml")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("prices = { input = 1e308 }", "less than or equal to 1000000"),
        ("sampling = { max_tokens = 99999999999999999999 }", "less than 2147483648"),
        ("extra = { x = nan }", "must hold finite numbers, not nan"),
        ("extra = { deep = [{ x = inf }] }", "must hold finite numbers, not inf"),
        ("extra = { x = 2020-01-01 }", "must hold what JSON has, no date or time such as 2020-01-01; write it as text"),
    ],
)
def test_numbers_that_no_server_takes_and_dates_are_refused(lines: str, words: str) -> None:
    assert words in refused(f"{ENTRY}{lines}\n")
