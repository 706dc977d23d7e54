"""Documentation is kept true: README's Python runs, what it names exists, every public name is there."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import memory_bank
from memory_bank.app.cli import main
from memory_bank.app.evaluation.dossiers import read_dossiers
from memory_bank.bank.settings import AGENTS, PROVIDERS, load_settings

ROOT = Path(__file__).parents[2]
READER_DOCUMENTS = ("README.md", *(f"docs/{name}.md" for name in ("guide", "questions", "comparison", "running")))


def test_the_python_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own documentation


def test_every_command_that_is_named_exists(capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join((ROOT / document).read_text() for document in READER_DOCUMENTS)
    commands = set(re.findall(r"python -m memory_bank (\w+)", text))
    assert {"run", "resume", "replay", "import", "serve"} <= commands
    for command in commands:
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        assert stopped.value.code == 0


def test_the_dossier_of_the_guide_is_one(tmp_path: Path) -> None:
    (dossier,) = re.findall(r"```json\n(.*?)```", (ROOT / "docs/guide.md").read_text(), flags=re.DOTALL)
    (tmp_path / "mill.json").write_text(dossier)
    (read,) = read_dossiers(tmp_path)
    spans = [place for planted in read.contradictions for place in (planted.a, planted.b)]
    texts = {document.name: document.text for document in read.documents}
    assert spans
    assert all(place.span in texts[place.document] for place in spans)


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", "docs/guide.md", "docs/questions.md", "docs/running.md", "docs/mcp.md"]
)
def test_every_file_that_is_named_exists(document: str) -> None:
    text = (ROOT / document).read_text()
    named = re.findall(r"\]\(([\w./-]+)\)", text) + re.findall(
        r"`((?:memory_bank|docs|pages|components)/[\w./-]*)`", text
    )
    assert named
    places = (ROOT, (ROOT / document).parent)
    assert [path for path in named if not any((place / path).exists() for place in places)] == []


@pytest.mark.parametrize("document", READER_DOCUMENTS)
def test_every_section_that_is_linked_exists(document: str) -> None:
    linked = re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", (ROOT / document).read_text())
    pages = {path: ((ROOT / document).parent / path if path else ROOT / document).read_text() for path, _ in linked}
    assert [(path, section) for path, section in linked if section not in _sections(pages[path])] == []


def _sections(text: str) -> set[str]:
    """The names under which the headings of a document can be linked."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_test_that_the_threat_model_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "SECURITY.md").read_text()))
    there = {
        name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    assert len(named) > 40
    assert named - there == set()


def test_every_setting_of_the_readme_is_one() -> None:
    fields = {name.upper() for name in memory_bank.Settings.model_fields}
    assert set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", (ROOT / "README.md").read_text())) <= fields | {"SESSION_ID"}


def test_the_public_names_are_sorted_and_there() -> None:
    assert memory_bank.__all__ == sorted(memory_bank.__all__)
    assert all(getattr(memory_bank, name) for name in memory_bank.__all__)


def test_the_example_of_settings_names_every_one_of_them_with_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / ".env.example").read_text()
    for variable in os.environ:
        if variable in text:
            monkeypatch.delenv(variable)
    (tmp_path / ".env").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert load_settings() == memory_bank.Settings.model_construct()
    groups = {*AGENTS, *PROVIDERS}
    single = [name.upper() for name in memory_bank.Settings.model_fields if name not in groups]
    assert [name for name in single if not re.search(rf"^(?:# )?{name}=", text, re.MULTILINE)] == []
    for provider in PROVIDERS:
        for name in ("API_KEY", "BASE_URL", "MODEL"):
            assert re.search(rf"^(?:# )?{provider.upper()}_{name}=", text, re.MULTILINE)
