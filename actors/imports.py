"""Whether driver and workers run the same code: both hash the packages that they would import.

Ray puts a run's working directory on its workers' path, so a folder with an `actors/` of its own could stand in front
of ours. The probe travels by value and uses the standard library alone: it works where the wrong package is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from erpsim.errors import RunError

PACKAGES: Final = ("erpsim", "ecologies", "actors")
"""Packages that a worker imports."""

Found = dict[str, tuple[str, str]]
"""Folder, "" when there is none, and SHA-256 of names and bytes of its files, by package."""


class Code(NamedTuple):
    """What a process would run of one package."""

    folder: str
    digest: str


def code_root() -> Path:
    """Folder that holds the packages of this very process."""
    return Path(__file__).resolve().parents[1]


def own_code() -> dict[str, Code]:
    """The packages that this very process runs, wherever its import path would lead by now."""
    return {name: Code(*found) for name, found in probe()(PACKAGES, str(code_root())).items()}


def probe() -> Callable[[tuple[str, ...], str], Found]:
    """Make the function that looks packages up where it runs, below a root or, without one, by the import path.

    It is a local function, so Ray sends its code instead of its name, and it imports none of the packages.
    """

    def look(packages: tuple[str, ...], root: str) -> Found:
        import hashlib  # noqa: PLC0415 - it travels without this module
        import sys  # noqa: PLC0415
        from pathlib import Path  # noqa: PLC0415

        def folder_of(package: str) -> Path | None:
            if root:
                return Path(root, package)
            specs = (finder.find_spec(package, None) for finder in sys.meta_path)
            spec = next((item for item in specs if item is not None), None)
            return Path(spec.origin).resolve().parent if spec is not None and spec.origin else None

        def digest_of(folder: Path) -> str:
            digest = hashlib.sha256()
            for path in sorted(folder.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
            return digest.hexdigest()

        folders = {package: folder_of(package) for package in packages}
        return {name: (str(folder), digest_of(folder)) if folder else ("", "") for name, folder in folders.items()}

    return look


def check(mine: Mapping[str, Code], theirs: Found, where: str) -> None:
    """Hold another process's packages against this one's.

    Args:
        mine: what this process runs.
        theirs: what the other one would import.
        where: names the other one in the message.

    Raises:
        RunError: a package is missing there, or holds other code.
    """
    for name, code in mine.items():
        folder, digest = theirs[name]
        if digest != code.digest:
            found = f"{name!r} in {folder}" if folder else f"no package {name!r}"
            raise RunError(
                f"{where} finds {found}, while this process runs {code.folder}: other code would decide, and no model"
                f" was called. Start from a folder that holds no {name!r}, or install the same version there"
            )
