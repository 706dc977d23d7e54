"""A process for work on a file starts everywhere, and is bounded as far as the system lets it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from memory_bank.documents.child_process import ROOT, environment, limit

SET = list[tuple[int, tuple[int, int]]]


def test_libraries_there_have_one_thread_whatever_is_set_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "16")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    given = environment()
    assert (given["OPENBLAS_NUM_THREADS"], given["OMP_NUM_THREADS"]) == ("1", "1")
    assert given["PYTHONPATH"] == os.pathsep.join([str(ROOT), "/elsewhere"])
    assert given["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "JINA_API_KEY", "LONG_TERM_URI", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "LD_PRELOAD"]
)
def test_it_is_told_no_key_and_nothing_else_of_the_environment(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "sk-not-for-a-parser")
    code = "import os; print(sorted(os.environ.values()))"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), check=True, timeout=30, capture_output=True
    )
    assert b"sk-not-for-a-parser" in b"".join(f"{key}={value}".encode() for key, value in os.environ.items())
    assert b"sk-not-for-a-parser" not in told.stdout


@pytest.mark.parametrize(("most", "bound"), [(resource.RLIM_INFINITY, 1_000), (10_000, 1_000), (500, 500)])
def test_no_bound_is_above_what_the_system_allows(monkeypatch: pytest.MonkeyPatch, most: int, bound: int) -> None:
    done: SET = []
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (most, most))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: done.append((kind, pair)))
    limit(1_000, 1_000.5)
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU)
    assert done == [*((kind, (bound, bound)) for kind in kinds), (resource.RLIMIT_FSIZE, (0, 0))]


@pytest.mark.parametrize("error", [ValueError("not here"), OSError("not here")])
def test_a_system_that_sets_no_bounds_does_the_work_all_the_same(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(_kind: int, _pair: tuple[int, int]) -> None:
        raise error

    monkeypatch.setattr(resource, "setrlimit", refuse)
    limit(1_000, 1_000)


def test_a_process_that_nobody_ends_ends_by_itself() -> None:
    code = "from memory_bank.documents.child_process import limit; limit(10**9, 1)\nwhile True: pass"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), check=False, timeout=30)
    assert done.returncode < 0


def test_a_process_that_reads_a_file_can_write_to_none(tmp_path: Path) -> None:
    code = (
        "import sys; from memory_bank.documents.child_process import limit; limit(10**9, 9)\n"
        "open(sys.argv[1], 'wb', buffering=0).write(b'x')"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "written")]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, check=False, timeout=30)
    assert b"File too large" in done.stderr
    assert (tmp_path / "written").read_bytes() == b""
