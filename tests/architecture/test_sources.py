"""The house rules held against every module of every package."""

import pytest

from tests.architecture import checks

ALL_MODULES = [path for package in checks.PACKAGES for path in checks.modules_of(package)]


def _offences(found: dict[str, list[str]]) -> str:
    return "\n".join(f"{name}: {item}" for name, items in sorted(found.items()) for item in items)


@pytest.mark.parametrize("package", checks.PACKAGES)
def test_imports_follow_the_dependency_direction(package: str) -> None:
    paths = checks.modules_of(package)
    forbidden = checks.FORBIDDEN_IMPORTS[package]
    found = {
        str(path.relative_to(checks.ROOT)): checks.forbidden_imports(path.read_text(), forbidden) for path in paths
    }
    assert paths
    assert not _offences(found), _offences(found)


def test_imports_are_absolute() -> None:
    found = {str(path.relative_to(checks.ROOT)): checks.relative_imports(path.read_text()) for path in ALL_MODULES}
    assert not _offences(found), _offences(found)


def test_modules_are_short() -> None:
    lengths = {str(path.relative_to(checks.ROOT)): len(path.read_text().splitlines()) for path in ALL_MODULES}
    found = {name: [f"{lines} lines"] for name, lines in lengths.items() if lines > checks.MAX_MODULE_LINES}
    assert not found, _offences(found)


def test_functions_are_short() -> None:
    found = {str(path.relative_to(checks.ROOT)): checks.long_functions(path.read_text()) for path in ALL_MODULES}
    assert not _offences(found), _offences(found)


def test_broad_excepts_are_two_at_most() -> None:
    found = {str(path.relative_to(checks.ROOT)): checks.broad_excepts(path.read_text()) for path in ALL_MODULES}
    count = sum(len(items) for items in found.values())
    assert count <= checks.MAX_BROAD_EXCEPTS, _offences(found)


def test_nothing_is_evaluated_or_unpickled() -> None:
    found = {str(path.relative_to(checks.ROOT)): checks.unsafe_code(path.read_text()) for path in ALL_MODULES}
    assert not _offences(found), _offences(found)
