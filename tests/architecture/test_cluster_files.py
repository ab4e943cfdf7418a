"""The files for `ray up` and for KubeRay: known fields, a command that exists, and every field told in the how-to."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
import ray
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config
from typer.testing import CliRunner

from erpbench.__main__ import app
from tests.architecture import checks

SECONDS = {"type": "integer", "minimum": 1}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
TEMPLATE = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["containers"],
            "additionalProperties": False,
            "properties": {"containers": {"type": "array", "minItems": 1}, "volumes": {"type": "array"}},
        }
    },
}
HEAD = {
    "type": "object",
    "required": ["template"],
    "additionalProperties": False,
    "properties": {"rayStartParams": TEXTS, "template": TEMPLATE, "serviceType": {"type": "string"}},
}
WORKERS = {
    "type": "object",
    "required": ["groupName", "template"],
    "additionalProperties": False,
    "properties": {
        "groupName": {"type": "string"},
        "replicas": {"type": "integer"},
        "minReplicas": {"type": "integer"},
        "maxReplicas": {"type": "integer"},
        "rayStartParams": TEXTS,
        "template": TEMPLATE,
    },
}
RAY_JOB = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "ray.io/v1"},
        "kind": {"const": "RayJob"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": {
            "type": "object",
            "required": ["entrypoint", "rayClusterSpec"],
            "additionalProperties": False,
            "properties": {
                "entrypoint": {"type": "string"},
                "submissionMode": {"enum": ["K8sJobMode", "HTTPMode", "SidecarMode"]},
                "backoffLimit": {"type": "integer", "minimum": 0},
                "activeDeadlineSeconds": SECONDS,
                "shutdownAfterJobFinishes": {"type": "boolean"},
                "ttlSecondsAfterFinished": SECONDS,
                "runtimeEnvYAML": {"type": "string"},
                "rayClusterSpec": {
                    "type": "object",
                    "required": ["headGroupSpec"],
                    "additionalProperties": False,
                    "properties": {
                        "rayVersion": {"type": "string"},
                        "headGroupSpec": HEAD,
                        "workerGroupSpecs": {"type": "array", "items": WORKERS},
                    },
                },
            },
        },
    },
}
"""The fields of KubeRay's API reference, version ray.io/v1, that a run has a use for."""
PAGE = checks.ROOT / "docs" / "how-to" / "cluster.md"
FREE = {"file_mounts", "metadata", "template", "limits", "requests"}
"""Fields whose own keys are names of ours, or Kubernetes' and not Ray's."""


def test_ray_up_makes_of_the_cluster_file_one_node_for_each_machine() -> None:
    """What `ray up` does with it before it reaches for the first machine."""
    written = yaml.safe_load((checks.ROOT / "cluster.yaml").read_text())
    made = prepare_config(written)
    validate_config(made)
    assert made["max_workers"] == len(written["provider"]["worker_ips"])


@pytest.fixture
def job() -> dict[str, Any]:
    return {part["kind"]: part for part in yaml.safe_load_all((checks.ROOT / "rayjob.yaml").read_text())}


def test_the_ray_job_has_the_fields_that_kuberay_knows(job: dict[str, Any]) -> None:
    jsonschema.validate(job["RayJob"], RAY_JOB)
    assert job["RayJob"]["spec"]["rayClusterSpec"]["rayVersion"] == ray.__version__


def test_a_misspelt_field_of_the_ray_job_is_refused(job: dict[str, Any]) -> None:
    spec = job["RayJob"]["spec"]["rayClusterSpec"]
    spec["workerGroupSpecs"][0]["replica"] = spec["workerGroupSpecs"][0].pop("replicas")
    with pytest.raises(jsonschema.ValidationError, match="'replica' was unexpected"):
        jsonschema.validate(job["RayJob"], RAY_JOB)


def test_head_and_workers_of_the_ray_job_have_one_image_and_every_volume_is_there(job: dict[str, Any]) -> None:
    cluster = job["RayJob"]["spec"]["rayClusterSpec"]
    pods = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    containers = [pod["template"]["spec"]["containers"][0] for pod in pods]
    assert len({container["image"] for container in containers}) == 1
    volumes = {volume["name"]: volume for volume in pods[0]["template"]["spec"]["volumes"]}
    assert {mount["name"] for mount in containers[0]["volumeMounts"]} == set(volumes)
    claim = volumes["runs"]["persistentVolumeClaim"]["claimName"]
    assert claim == job["PersistentVolumeClaim"]["metadata"]["name"]


def test_the_ray_job_calls_commands_that_take_what_it_gives_them(job: dict[str, Any]) -> None:
    _, _, script = shlex.split(job["RayJob"]["spec"]["entrypoint"])
    calls = re.findall(r"erpbench (\w+) ([^;]*)", script)
    assert [command for command, _ in calls] == ["resume", "run"]
    mounts = job["RayJob"]["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"][0][
        "volumeMounts"
    ]
    for command, words in calls:
        told = CliRunner().invoke(app, [command, "--help"]).output
        assert [word for word in shlex.split(words) if word.startswith("--") and word not in told] == []
        paths = [word for word in shlex.split(words) if word.startswith("/")]
        assert paths
        assert all(any(path.startswith(mount["mountPath"]) for mount in mounts) for path in paths)


@pytest.mark.parametrize("name", ["cluster.yaml", "rayjob.yaml"])
def test_every_field_of_a_cluster_file_is_told_in_the_how_to(name: str) -> None:
    page = PAGE.read_text()
    parts = list(yaml.safe_load_all((checks.ROOT / name).read_text()))
    told = {field for part in parts if part.get("kind", "RayJob") == "RayJob" for field in _fields(part)}
    assert sorted(field for field in told if f"`{field}`" not in page) == []


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _fields(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name not in FREE:
                yield from _fields(inner)
