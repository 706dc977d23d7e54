"""Who may know whom. The rules are style rules 3 and 9; what is checked is the imports as they are written."""

from __future__ import annotations

import ast
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = "memory_bank"

# The lower layers, and all that each may import of the package. What is not named here stands above them.
PLAIN = {"errors", "one_line", "durable_files", "task_kind"}
STORED = {"bank", "events", *PLAIN}
MAY_IMPORT = {
    "errors": {"bank"},  # no more than the plain value of what a failed call cost
    "one_line": set[str](),
    "task_kind": set[str](),
    "durable_files": set[str](),
    "clock": set[str](),
    "settings": {"errors", "task_kind"},
    "bank": STORED,
    "events": STORED,
    "recorded_words": {"task_kind"},
    "words": {"recorded_words"},
    "event_words": {"events", "one_line", "words"},
    "modules": {"modules", *STORED},
    "values": {"values", "modules"},
    "judgement": {"judgement", "modules", "values", *STORED},
    "agents": {"agents", *STORED},
    "waiting_images": {"durable_files"},
    "session_store": {"modules", "waiting_images", *STORED},
    "importing": {"session_store", *STORED},
    "observability": STORED,
    "recorder": {"agents", "clock", "modules", "observability", *STORED},
    "recall": {"judgement", "modules", *STORED},
    "engines": {"engines", "agents", "judgement", "modules", "settings", "values", *STORED},
    "research": {"research", "agents", "engines", "modules", *STORED},
    "long_term": {
        *("long_term", "agents", "clock", "durable_files", "engines", "judgement", "modules", "settings", "values"),
        *STORED,
    },
    "remembering": {"remembering", "agents", "engines", "long_term", "pipeline", "recorder", *STORED},
    "source_reader": {"modules", *STORED},
    "tools": {
        *(
            "tools",
            "agents",
            "judgement",
            "long_term",
            "modules",
            "recall",
            "remembering",
            "research",
            "settings",
            "source_reader",
        ),
        *STORED,
    },
}
OFFLINE = ("language", "answering")
# Who stands above the session, which sees everything else.
ABOVE_THE_SESSION = {"__init__", "__main__", "cli", "mcp_sessions", "runner", "evaluation"}
PAGE = {"streamlit", "pyvis"}
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
RUNS_THE_NETWORKS = {"onnxruntime"}


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


def layer(name: str) -> str:
    """The first part of a dotted name inside the package."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def test_every_layer_of_the_table_exists() -> None:
    assert MAY_IMPORT.keys() <= {layer(name) for name in FILES}
    assert ABOVE_THE_SESSION - {"__init__"} <= {layer(name) for name in FILES}


def test_a_lower_layer_imports_what_lies_below_it_and_nothing_else() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in FILES.items()
        if layer(name) in MAY_IMPORT
        for other in imported(path)
        if layer(other) not in MAY_IMPORT[layer(name)]
    ]
    assert wrong == []


def test_the_embedded_engine_reads_before_it_answers() -> None:
    """Words, claims, answers: each part of it knows those before it."""
    engine = f"{PACKAGE}.engines.offline."
    for number, part in enumerate(OFFLINE):
        above = tuple(engine + later for later in OFFLINE[number + 1 :])
        files = {name: path for name, path in FILES.items() if name.startswith(engine + part)}
        assert files, f"{part} is gone"
        assert not [(name, to) for name, path in files.items() for to, _ in imports(path) if to.startswith(above)]


def test_only_what_stands_above_the_session_imports_it() -> None:
    wrong = [
        name
        for name, path in FILES.items()
        if layer(name) not in ABOVE_THE_SESSION and f"{PACKAGE}.session" in imported(path)
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


@pytest.mark.parametrize("module", ["memory_bank", "memory_bank.bank.bank", "memory_bank.cli"])
def test_importing_it_loads_no_model_library_and_no_page(module: str) -> None:
    """A command that needs no vectors, such as `import`, answers at once."""
    program = f"import sys, {module}; sys.stdout.write(' '.join(set(sys.modules) & set({sorted(HEAVY)!r})))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == ""


def test_a_session_on_the_embedded_engine_loads_nothing_that_takes_seconds(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from memory_bank.cli import main\n"
        f"code = main(['run', '--quiet', '--doc', {str(tmp_path / 'a.md')!r}, '--task', 'When was it built?',"
        f" '--sessions', {str(tmp_path / 's')!r}])\n"
        f"sys.stderr.write(' '.join(set(sys.modules) & set({sorted(HEAVY - RUNS_THE_NETWORKS)!r})))\n"
        "sys.exit(code)"
    )
    (tmp_path / "a.md").write_text("The mill was built in 1840.", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1840" in done.stdout


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
