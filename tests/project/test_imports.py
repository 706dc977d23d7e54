"""What each command imports: nothing large before it is needed, so that help, checks and small runs begin at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_bank import Session, Settings, Upload
from tests.project.test_layering import HEAVY, ROOT

PROGRAM = """
import sys
before = set(sys.modules)
from memory_bank.app.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code
print(code, *{name.partition(".")[0] for name in set(sys.modules) - before}, file=sys.stderr)
"""
PARSERS = {"docx", "pptx", "openpyxl", "pypdfium2", "bs4", "striprtf"}
LANGUAGES = {"babel", "jieba"}


def imported_by(*arguments: str, code: int = 0) -> set[str]:
    """The packages that a command imports in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    ended_with, *packages = ended.stderr.splitlines()[-1].split()
    assert int(ended_with) == code, ended.stderr
    return set(packages)


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    session = Session.create(
        "When was the mill built?",
        [Upload("a.md", b"The mill was built in 1860.")],
        settings=Settings(storage_dir=folder / "sessions", embedding_model="hash"),
    )
    list(session.run())
    session.export(folder / "out.json")
    return folder / "out.json"


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["run", "--help"], 0), (["rum"], 2), (["run"], 2)])
def test_help_and_usage_errors_import_no_package(arguments: list[str], code: int) -> None:
    assert imported_by(*arguments, code=code) - sys.stdlib_module_names <= {"memory_bank"}


def test_replay_and_exports_import_no_network_and_no_parser(export: Path, tmp_path: Path) -> None:
    unneeded = HEAVY | PARSERS | LANGUAGES | {"httpx2"}
    assert not imported_by("replay", str(export)) & unneeded
    for form in ("json", "graphml"):
        assert not imported_by("export", str(export), "--format", form, "--out", str(tmp_path / form)) & unneeded


def test_check_imports_no_network_and_no_parser() -> None:
    assert not imported_by("check") & (HEAVY | PARSERS | LANGUAGES)


def test_measuring_imports_nothing_that_only_models_named_by_a_person_need() -> None:
    """`make run` and `make setup` do not install it."""
    only_with_make_models = {"torch", "sentence_transformers", "transformers"}
    assert not imported_by("bench", "--only", "nothing", code=2) & only_with_make_models


def test_a_run_on_notes_imports_no_parser(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("The mill was built in 1860.", encoding="utf-8")
    arguments = ("--task", "When was the mill built?", "--doc", str(note), "--sessions", str(tmp_path / "sessions"))
    assert not imported_by("run", "--quiet", *arguments) & (HEAVY | PARSERS | {"jieba"}) - {"onnxruntime"}
