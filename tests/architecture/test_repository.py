"""What is committed: nothing of one machine, nothing large, no dead links, and files that their readers accept."""

import json
import subprocess
import tomllib
from pathlib import Path

import jsonschema
import pytest
import ray
import yaml

from tests.architecture import checks


def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=checks.ROOT, capture_output=True, check=True).stdout
    paths = [checks.ROOT / name for name in listed.decode().split("\0") if name]
    assert checks.ROOT / "pyproject.toml" in paths
    return [path for path in paths if path.exists()]


def _ray_schema() -> dict[str, object]:
    schema: dict[str, object] = json.loads(
        Path(ray.__file__).with_name("autoscaler").joinpath("ray-schema.json").read_text()
    )
    return schema


def _name(path: Path) -> str:
    return str(path.relative_to(checks.ROOT))


def test_no_file_names_a_registry_a_machine_or_a_key() -> None:
    found = []
    for path in _tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{_name(path)}: {item}" for item in checks.outside_text(text)]
    assert found == []


def test_no_file_is_larger_than_a_megabyte() -> None:
    assert [_name(path) for path in _tracked() if path.stat().st_size > checks.MAX_FILE_BYTES] == []


def test_every_relative_link_leads_somewhere() -> None:
    pages = [path for path in _tracked() if path.suffix == ".md"]
    assert pages
    found = [f"{_name(page)}: {link}" for page in pages for link in checks.broken_links(page.read_text(), page.parent)]
    assert found == []


def test_every_pin_has_a_hash_and_no_address() -> None:
    for name in ("base", "dev"):
        text = (checks.ROOT / "requirements" / f"{name}.txt").read_text()
        pins = [line for line in text.splitlines() if "==" in line]
        assert pins
        assert all(line.endswith("\\") for line in pins)
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((checks.ROOT / "pyproject.toml").read_text())["project"]
    pins = (checks.ROOT / "requirements" / "base.txt").read_text()
    assert [name for name in project["dependencies"] if f"\n{name.split('>')[0]}==" not in pins] == []


def test_the_cluster_file_satisfies_rays_own_schema() -> None:
    cluster = yaml.safe_load((checks.ROOT / "cluster.yaml").read_text())
    jsonschema.validate(cluster, _ray_schema())
    assert cluster["provider"]["type"] == "local"


def test_rays_schema_refuses_a_misspelt_cluster_file() -> None:
    cluster = yaml.safe_load((checks.ROOT / "cluster.yaml").read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**cluster, "worker_setup_comands": []}, _ray_schema())
