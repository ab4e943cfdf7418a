"""Each house rule is shown a fault that it must find and a neighbour that it must leave alone."""

from pathlib import Path

import pytest

from tests.architecture import checks


@pytest.mark.parametrize(
    "source",
    [
        "import ray",
        "import ray.util as u",
        "from ray import remote",
        "from ray.util import x",
        "def f():\n    import ray",
        "import importlib\nimportlib.import_module('ray.util')",
        "__import__('ray')",
    ],
)
def test_every_way_to_import_ray_is_found(source: str) -> None:
    assert len(checks.forbidden_imports(source, {"ray"})) == 1


@pytest.mark.parametrize("source", ["import arrays", "from erpsim import rays", "text = 'import ray'", "ray = 1"])
def test_a_name_that_only_looks_like_ray_is_left_alone(source: str) -> None:
    assert checks.forbidden_imports(source, {"ray"}) == []


@pytest.mark.parametrize("package", checks.PACKAGES)
def test_no_package_may_import_what_stands_above_it(package: str) -> None:
    above = {
        "erpsim": {"ecologies", "actors", "analysis", "erpbench"},
        "ecologies": {"actors", "analysis", "erpbench"},
        "actors": {"analysis", "erpbench"},
        "analysis": {"ecologies", "actors", "erpbench"},
        "erpbench": set(),
    }[package]
    source = "\n".join(f"import {name}" for name in sorted(above))
    assert len(checks.forbidden_imports(source, checks.FORBIDDEN_IMPORTS[package])) == len(above)


def test_a_relative_import_is_found() -> None:
    assert checks.relative_imports("import a\nfrom . import b\nfrom c import d") == ["line 2"]


def test_a_function_of_41_lines_is_found_and_one_of_40_is_not() -> None:
    def source(statements: int) -> str:
        return "async def f():\n" + "    pass\n" * statements

    assert checks.long_functions(source(40)) == ["line 1: f has 41 lines"]
    assert checks.long_functions(source(39)) == []


def test_a_docstring_does_not_count_as_length() -> None:
    source = 'def f():\n    """One.\n\n    Two.\n    """\n' + "    pass\n" * 39
    assert checks.long_functions(source) == []


@pytest.mark.parametrize(
    "handler",
    ["except:", "except Exception:", "except (ValueError, BaseException) as e:", "except builtins.Exception:"],
)
def test_a_broad_except_is_found(handler: str) -> None:
    assert checks.broad_excepts(f"try:\n    f()\n{handler}\n    pass") == ["line 3"]


def test_a_broad_suppress_is_found() -> None:
    assert checks.broad_excepts("with contextlib.suppress(Exception):\n    f()") == ["line 1"]


def test_a_narrow_except_is_left_alone() -> None:
    source = "try:\n    f()\nexcept (OSError, ValueError):\n    with suppress(KeyError):\n        g()"
    assert checks.broad_excepts(source) == []


@pytest.mark.parametrize(
    "source", ["eval('1')", "exec(text)", "compile(a, b, c)", "import pickle", "from ray import cloudpickle"]
)
def test_code_that_runs_data_is_found(source: str) -> None:
    assert len(checks.unsafe_code(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        *("import shelve", "import torch", "from pandas import read_pickle", "pd.read_pickle(path)"),
        *("yaml.load(text)", "yaml.load(text, Loader=yaml.Loader)", "np.load(path, allow_pickle=True)"),
        *("subprocess.run(text, shell=True)", "os.system(text)", "asyncio.create_subprocess_shell(text)"),
        *("torch.load(path, weights_only=False)", "connection.enable_load_extension(True)", "archive.extractall()"),
        *("Environment(autoescape=False)", "environment.from_string(text)", "frame.to_pickle(path)"),
    ],
)
def test_a_reader_that_may_run_what_it_reads_is_found(source: str) -> None:
    assert len(checks.unsafe_code(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        *("json.load(stream)", "yaml.load(text, Loader=yaml.SafeLoader)", "yaml.safe_load(text)", "np.load(path)"),
        *("subprocess.run([name], shell=False)", "np.load(path, allow_pickle=False)", "Environment(autoescape=True)"),
    ],
)
def test_a_reader_of_plain_data_is_left_alone(source: str) -> None:
    assert checks.unsafe_code(source) == []


def test_a_method_of_a_like_name_is_left_alone() -> None:
    assert checks.unsafe_code("frame.eval('a')\nre.compile('a')") == []


@pytest.mark.parametrize(
    "text", ["see py" + "pi.org", "open('/ho" + "me/x/y')", "`/wo" + "rk/x`", "../sha" + "red/spec", "sk-" + "a1" * 12]
)
def test_text_that_belongs_to_one_machine_is_found(text: str) -> None:
    assert len(checks.outside_text(f"first\n{text}\n")) == 1


@pytest.mark.parametrize("text", ["the /homework/ folder", "https://host/ro" + "ot/x", "~/erpbench/work", "task-abc"])
def test_text_that_only_looks_like_it_is_left_alone(text: str) -> None:
    assert checks.outside_text(text) == []


def test_a_public_name_left_out_of_all_is_found() -> None:
    source = "from a import b, c as d\nimport e.f\n_g = 1\nh = 2\n__all__ = ['b']\ndef i(): ..."
    assert checks.unlisted_exports(source) == ["d", "e", "h", "i"]


def test_a_complete_all_is_left_alone() -> None:
    assert checks.unlisted_exports("from a import b\n__all__: list[str] = ['b']") == []


def test_a_link_to_a_missing_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").touch()
    text = "[a](there.md#part) [b](gone.md) [c](https://host/x) [d](#part)"
    assert checks.broken_links(text, tmp_path) == ["gone.md"]
