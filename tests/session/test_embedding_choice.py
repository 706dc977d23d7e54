"""Which embedding model a session gets where nobody chose one, and that it keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_bank.bank.errors import SettingsError
from memory_bank.bank.events import Notice
from memory_bank.bank.settings import Settings
from memory_bank.search.embedding import DEFAULT_MODEL, MULTILINGUAL_MODEL
from memory_bank.session import embedding_choice
from memory_bank.session.embedding_choice import choose_embedding_model, settings_as_recorded
from memory_bank.session.memory_qa import ask
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import SessionStore, Upload
from memory_bank.storage.transfer import import_session
from memory_bank.text.language_detection import may_be_english
from memory_bank.views.i18n import translator

ENGLISH = Upload("notes.md", b"# The bridge\n\nThe bridge was built in 1968, and it is 1,240 m long.")
CHINESE = Upload("桥.md", "# 大桥\n\n青石大桥于1968年建成，全长1240米。".encode())
QUESTION, FRAGE = "When was the bridge built?", "大桥是哪一年建成的？"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("When was the dam completed?", True),
        ("Nile", True),
        ("", True),
        ("1968;1240\n1971;1460", True),
        ("Who painted the Mona Lisa in the Louvre du Monde?", True),
        ("city,people\nLos Angeles,4\nEl Paso,1\nLas Vegas,1\nSan Jose,1\nDes Moines,1", True),
        ("Compare der Spiegel and die Zeit", True),
        ("How many km do they do per day, and how do they do it?", True),
        ("大坝是哪一年建成的？", False),
        ("长江大桥 Yangtze River Bridge 的长度", False),
        ("Когда построили мост?", False),
        ("Wann wurde die Brücke gebaut?", False),
        ("Welche Farbe hat das Haus?", False),
        ("Fasse zusammen, was schieflief.", False),
        ("Quand le pont a-t-il été construit ?", False),
        ("¿Cuándo se construyó el puente?", False),
    ],
)
def test_english_is_told_from_other_languages(text: str, english: bool) -> None:  # noqa: FBT001
    assert may_be_english(text) is english


@pytest.mark.parametrize(
    ("task", "files", "model"),
    [
        (QUESTION, [ENGLISH], DEFAULT_MODEL),
        (QUESTION, [], DEFAULT_MODEL),
        (FRAGE, [CHINESE], MULTILINGUAL_MODEL),
        (FRAGE, [ENGLISH], MULTILINGUAL_MODEL),
        (QUESTION, [CHINESE], MULTILINGUAL_MODEL),
        (QUESTION, [CHINESE, Upload("long.md", ENGLISH.data * 20)], DEFAULT_MODEL),
        (
            QUESTION,
            [Upload("gb.txt", "青石大桥于一九六八年建成，全长一千二百四十米。".encode("gb18030"))],
            MULTILINGUAL_MODEL,
        ),
        (QUESTION, [Upload("page.html", b"<html><body class='the of and'>" + CHINESE.data)], MULTILINGUAL_MODEL),
        (QUESTION, [Upload("scan.pdf", b"%PDF-1.7 " + CHINESE.data)], DEFAULT_MODEL),
        (QUESTION, [Upload("any.bin", bytes(range(256)) * 40)], DEFAULT_MODEL),
    ],
)
def test_the_model_follows_the_language_of_task_and_material(task: str, files: list[Upload], model: str) -> None:
    choice = choose_embedding_model(Settings(), task, files)
    assert choice.settings.embedding_model == model
    assert bool(choice.notice) is (model != DEFAULT_MODEL)


@pytest.mark.parametrize("model", [DEFAULT_MODEL, "hash"])
def test_a_model_that_is_set_stays(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", model)
    settings = Settings()
    assert choose_embedding_model(settings, FRAGE, [CHINESE]) == embedding_choice.EmbeddingChoice(settings)
    assert settings_as_recorded(settings, {"embedding_model": MULTILINGUAL_MODEL}) is settings


def test_where_the_model_does_not_run_the_default_is_used_and_why_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise SettingsError("EMBEDDING_MODEL", MULTILINGUAL_MODEL, "only where the processor has AVX2 instructions")

    monkeypatch.setattr(embedding_choice, "load_embedder", refuse)
    choice = choose_embedding_model(Settings(), FRAGE, [])
    assert choice.settings.embedding_model == DEFAULT_MODEL
    assert "a processor with AVX2" in choice.notice
    assert translator("zh").recorded(choice.notice) != choice.notice


@pytest.mark.parametrize("model", ["/etc/model", "someone/model", "", "my-model"])
def test_no_other_model_is_taken_from_a_log(model: str) -> None:
    assert settings_as_recorded(Settings(), {"embedding_model": model}).embedding_model == DEFAULT_MODEL


def test_a_session_keeps_its_model_through_log_resume_export_import_and_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    standard = Parts.standard

    def noted(settings: Settings) -> Parts:
        made.append(settings.embedding_model)
        return standard(settings)

    monkeypatch.setattr(Parts, "standard", noted)
    session = Session.create(FRAGE, [CHINESE], settings=Settings(), sessions=tmp_path, session_id="s")
    (notice,) = (event for event in session.events if isinstance(event, Notice))
    assert translator("zh").recorded(notice.message) != notice.message
    session.pause()
    list(session.run())
    again = Session.open("s", settings=Settings(), sessions=tmp_path)
    list(again.run())
    assert again.answer is not None
    assert "1968年" in again.answer.text
    copy = import_session(again.export(), SessionStore(tmp_path))
    opened = Session.open(copy, settings=Settings(), sessions=tmp_path)
    assert made == [MULTILINGUAL_MODEL] * 3
    settings = settings_as_recorded(Settings(), opened.bank.settings)
    assert "1240米" in ask(opened.bank, Parts.asking(settings), "大桥有多长？").answer.text
