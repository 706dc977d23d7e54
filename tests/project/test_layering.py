"""Who may know whom, and by which name.

The rules are style rules 3 and 9; what is checked is the imports and definitions as they are written.
"""

from __future__ import annotations

import ast
import re
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "memory_bank"

# The rooms of the package, lowest first: each imports only those before it.
ROOMS = (
    *("text", "bank", "documents", "storage", "agents", "search", "judgement"),
    *("engines", "long_term", "session", "views", "app"),
)
# What others than an engine itself may import of the engines: each engine's own door, and what all engines share.
DOORS = ("client.", "step.", "llm.engine", "llm.react", "offline.engine")
# Modules that do the same, each in its own way, under the same names; their caller chooses one.
ALTERNATIVES = (
    ("memory_bank.engines.llm", "memory_bank.engines.offline"),  # both fulfil the contracts of the agents
    tuple(f"memory_bank.judgement.coreference.{part}" for part in ("question", "english", "chinese")),
)
PAGE = {"streamlit"}
HEAVY = {
    "torch",
    "sentence_transformers",
    "transformers",
    "pymilvus",
    "grpc",
    "mcp",
    "cv2",
    "onnxruntime",
    "rapidocr",
    "sklearn",
    "scipy",
    "pandas",
    "openai",
    *PAGE,
}


def name_of(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted((ROOT / PACKAGE).rglob("*.py"))}


def imports(path: Path) -> Iterator[tuple[str, str | None]]:
    """Every import in a file, wherever in it: the module, and the name taken from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import, which this test does not follow"
            yield from ((node.module or "", alias.name) for alias in node.names)


def imported(path: Path) -> set[str]:
    """The files of the package that a file imports, by their dotted names."""
    pairs = [(module, name) for module, name in imports(path) if module.split(".")[0] == PACKAGE]
    return {f"{module}.{name}" if f"{module}.{name}" in FILES else module for module, name in pairs}


def room(name: str) -> str:
    """The first part of a dotted name inside the package."""
    return name.split(".")[1]


def test_the_package_has_the_rooms_of_the_table_and_nothing_loose() -> None:
    entries = {path.name for path in (ROOT / PACKAGE).iterdir() if path.name != "__pycache__"}
    assert entries == {*ROOMS, "__init__.py", "__main__.py"}


def test_a_room_imports_only_rooms_below_it() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in FILES.items()
        if name.count(".") and room(name) in ROOMS
        for other in imported(path)
        if other.count(".") and ROOMS.index(room(other)) > ROOMS.index(room(name))
    ]
    assert wrong == []


def test_nobody_imports_the_inside_of_an_engine() -> None:
    engines = f"{PACKAGE}.engines."
    wrong = [
        f"{name} imports {other}"
        for name, path in FILES.items()
        if not name.startswith(engines)
        for other in imported(path)
        if other.startswith(engines) and not other.removeprefix(engines).startswith(DOORS)
    ]
    assert wrong == []


def test_nothing_of_the_package_draws_a_page() -> None:
    drawing = [name for name, path in FILES.items() if PAGE & {module.split(".")[0] for module, _ in imports(path)}]
    assert drawing == []


def test_nobody_takes_a_private_name_from_another_file() -> None:
    taken = [
        f"{name} takes {module}.{part}"
        for name, path in FILES.items()
        for module, part in imports(path)
        if module.startswith(PACKAGE) and part is not None and re.match(r"_[^_]", part)
    ]
    assert taken == []


def are_alternatives(modules: Sequence[str]) -> bool:
    """Whether each module belongs to another one of several alternatives."""
    chosen = [
        [part for name in modules for part in group if f"{name}.".startswith(f"{part}.")] for group in ALTERNATIVES
    ]
    return any(len(parts) == len(set(parts)) == len(modules) for parts in chosen)


def test_no_two_public_classes_or_functions_share_a_name() -> None:
    modules = defaultdict(list)
    for folder in (PACKAGE, "pages", "components"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
                    modules[node.name].append(name_of(path))
    del modules["main"]  # where a program or a page begins
    shared = {name: where for name, where in modules.items() if len(where) > 1 and not are_alternatives(where)}
    assert shared == {}


def test_no_file_imports_itself_through_others() -> None:
    graph = {name: imported(path) & FILES.keys() for name, path in FILES.items()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path[path.index(name) :], name))
        if name not in done:
            for other in graph[name] - {name}:
                visit(other, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("module", ["memory_bank", "memory_bank.bank.bank", "memory_bank.app.cli"])
def test_importing_it_loads_no_model_library_and_no_page(module: str) -> None:
    """A command that needs no vectors, such as `import`, answers at once."""
    program = f"import sys, {module}; sys.stdout.write(' '.join(set(sys.modules) & set({sorted(HEAVY)!r})))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == ""


# -- the guard of conftest.py --------------------------------------------------------------------------------


def test_no_test_reaches_another_machine() -> None:
    for address in ("192.0.2.1", "example.org", "10.0.0.1", "2001:db8::1"):
        with pytest.raises(pytest.fail.Exception, match="network"):
            socket.create_connection((address, 80), timeout=0.01)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram, pytest.raises(pytest.fail.Exception):
        datagram.sendto(b"hello", ("192.0.2.1", 53))


def test_a_test_may_talk_to_this_machine() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    with server, socket.create_connection(("localhost", server.getsockname()[1]), timeout=1) as client:
        client.sendall(b"hello")
