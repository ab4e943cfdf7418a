"""The house rules as functions over source text; each returns what breaks the rule, so planted faults can test it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("erpsim", "ecologies", "actors", "analysis", "erpbench")

MAX_MODULE_LINES = 300
MAX_FUNCTION_LINES = 40
MAX_BROAD_EXCEPTS = 2
MAX_FILE_BYTES = 1_000_000

# erpsim <- ecologies <- actors <- erpbench and erpsim <- analysis <- erpbench;
# and what a package that is pure or free of Ray leaves alone.
FORBIDDEN_IMPORTS = {
    "erpsim": {
        *("ecologies", "actors", "analysis", "erpbench", "tests"),
        *("ray", "aiohttp", "asyncio", "pandas", "pyarrow", "scipy", "sqlite3"),
    },
    "ecologies": {"actors", "analysis", "erpbench", "tests", "ray", "aiohttp"},
    "actors": {"analysis", "erpbench", "tests"},
    "analysis": {"ecologies", "actors", "erpbench", "tests", "ray"},
    "erpbench": {"tests"},
}
UNSAFE_CALLS = {"eval", "exec", "compile"}
UNSAFE_MODULES = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "joblib", "torch", "dbm", "jsonpickle", "code"}
# What reads a format that may run code, or hands text to a shell; by the end of a dotted name.
UNSAFE_READERS = {
    *("read_pickle", "to_pickle", "HDFStore", "read_hdf", "os.system", "os.popen", "subprocess.getoutput"),
    *("subprocess.getstatusoutput", "yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load"),
    *("create_subprocess_shell", "enable_load_extension", "load_extension"),
    *("extractall", "unpack_archive", "environment.from_string", "ray.cloudpickle"),
}
UNSAFE_ARGUMENTS = {("shell", True), ("allow_pickle", True), ("weights_only", False), ("autoescape", False)}

# Written in pieces, so that this file does not hold what it looks for.
_REGISTRY_HOSTS = ("py" + "pi.org", "python" + "hosted.org", "registry." + "npmjs", "deb." + "debian.org")
_MACHINE_FOLDERS = ("home", "root", "work", "farm", "Users")
_OUTSIDE_TEXT = re.compile(
    "|".join(
        (
            *(re.escape(host) for host in _REGISTRY_HOSTS),
            r"(?<![A-Za-z0-9_.])/(?:" + "|".join(_MACHINE_FOLDERS) + ")/",
            r"\.\./" + "shared",
            r"sk-" + r"[A-Za-z0-9]{20,}",
        )
    )
)
_MARKDOWN_LINK = re.compile(r"\]\(([^)\s]+)\)")


def modules_of(package: str) -> list[Path]:
    """Every Python file of a package, in the order of its path."""
    return sorted((ROOT / package).rglob("*.py"))


def forbidden_imports(source: str, forbidden: set[str]) -> list[str]:
    """Imports whose first name is forbidden, wherever in the module they stand."""
    return [f"line {line}: {name}" for line, name in _imports(source) if name.split(".")[0] in forbidden]


def relative_imports(source: str) -> list[str]:
    """Imports that start with a dot; they would slip past the check by name."""
    nodes = ast.walk(ast.parse(source))
    return [f"line {node.lineno}" for node in nodes if isinstance(node, ast.ImportFrom) and node.level > 0]


def long_functions(source: str, most: int = MAX_FUNCTION_LINES) -> list[str]:
    """Functions with more lines than `most`, their docstring not counted."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = _lines(node) - _docstring_lines(node)
            if lines > most:
                found.append(f"line {node.lineno}: {node.name} has {lines} lines")
    return found


def broad_excepts(source: str) -> list[str]:
    """Handlers and `suppress` calls that catch everything."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler):
            caught = [node.type] if not isinstance(node.type, ast.Tuple) else node.type.elts
        elif isinstance(node, ast.Call) and _called_name(node) == "suppress":
            caught = list(node.args)
        else:
            continue
        if any(item is None or _last_name(item) in {"Exception", "BaseException"} for item in caught):
            found.append(f"line {node.lineno}")
    return found


def unsafe_code(source: str) -> list[str]:
    """Evaluated text and formats that run code when they are read."""
    calls = [
        f"line {node.lineno}: {node.func.id}()"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in UNSAFE_CALLS
    ]
    imports = [
        f"line {line}: {name}"
        for line, name in _imports(source)
        if UNSAFE_MODULES.intersection(name.split(".")) or _is_unsafe_reader(name)
    ]
    return calls + imports + _unsafe_uses(source)


def _unsafe_uses(source: str) -> list[str]:
    """Calls of readers and shells that run what they are given, and arguments that have a call do so."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            safe_loader = any("Safe" in ast.unparse(item.value) for item in node.keywords if item.arg == "Loader")
            if _is_unsafe_reader(name) and not safe_loader:
                found.append(f"line {node.lineno}: {name}()")
            found += [
                f"line {node.lineno}: {item.arg}={item.value.value!r}"
                for item in node.keywords
                if isinstance(item.value, ast.Constant) and (item.arg, item.value.value) in UNSAFE_ARGUMENTS
            ]
    return found


def _is_unsafe_reader(name: str) -> bool:
    return any(name == reader or name.endswith(f".{reader}") for reader in UNSAFE_READERS)


def outside_text(text: str) -> list[str]:
    """Registry hosts, absolute paths of one machine and things that look like a key."""
    rows = enumerate(text.splitlines(), start=1)
    return [f"line {number}: {match.group()}" for number, row in rows for match in _OUTSIDE_TEXT.finditer(row)]


def unlisted_exports(source: str) -> list[str]:
    """Public names that an `__init__` binds but leaves out of its `__all__`."""
    tree = ast.parse(source)
    listed: set[str] = set()
    bound: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom | ast.Import):
            bound += [(alias.asname or alias.name).split(".")[0] for alias in node.names]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if "__all__" in names:
                listed = set(ast.literal_eval(node.value))
            else:
                bound += names
    return [name for name in bound if not name.startswith("_") and name not in listed]


def broken_links(text: str, folder: Path) -> list[str]:
    """Relative Markdown links that lead to no file below or beside `folder`."""
    targets = [target.split("#")[0] for target in _MARKDOWN_LINK.findall(text) if "://" not in target]
    return [target for target in targets if target and not (folder / target).exists()]


def _imports(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Call) and _called_name(node) in {"import_module", "__import__"} and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield node.lineno, first.value


def _called_name(node: ast.Call) -> str:
    return _last_name(node.func)


def _last_name(node: ast.expr | None) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return _lines(node.body[0]) if ast.get_docstring(node, clean=False) is not None else 0
