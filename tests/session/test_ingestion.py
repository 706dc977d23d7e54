"""A chat on its way into memory, and asked for who said what when."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from memory_bank.agents.analysis import AnalysisOutput
from memory_bank.agents.classification import ClassificationInput, ClassificationOutput, Cluster
from memory_bank.agents.structure import StructureInput, StructureOutput
from memory_bank.app.cli import main
from memory_bank.bank.bank import Bank
from memory_bank.bank.events import SourceAdded, SourceRead
from memory_bank.bank.settings import AgentSettings, Settings
from memory_bank.bank.source import Source
from memory_bank.bank.spoken import said_by, turns_of
from memory_bank.documents.source_reader import SourceReader
from memory_bank.session.ingestion import Ingestion
from memory_bank.session.memory_qa import QuestionAnswer, ask
from memory_bank.session.node_view import node_view
from memory_bank.session.session import Parts, Session
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.views.exports.html_report import report
from memory_bank.views.i18n import Translator
from tests.chats import CHAT, MESSAGES
from tests.workbench import Workbench, workbench

TASK = "What did Ada say about the boiler in May?"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A finished session on a chat and, beside it, a document on something else."""
    folder = tmp_path_factory.mktemp("chat")
    (folder / "chat.txt").write_text(CHAT)
    (folder / "mill.txt").write_text("Beacon Mill was built in 1869. The mill has four floors and a round cap.")
    settings = Settings(storage_dir=folder / "store")
    made = Session.create(task=TASK, documents=[folder / "chat.txt", folder / "mill.txt"], settings=settings)
    for _event in made.run():
        pass
    return made


def ingest(bench: Workbench, folder: Path, name: str, text: str) -> Bank:
    (folder / "files").mkdir(exist_ok=True)
    (folder / "files" / "f1").write_text(text)
    source = Source(id="s1", name=name, role="material", path="files/f1", bytes=len(text), sha256="")
    bench.begin()
    bench.recorder.record(SourceAdded(source=source))
    for _event in Ingestion(
        bench.recorder, bench.pipeline, SourceReader(folder), folder, WaitingImages(folder, "d")
    ).read(source):
        pass
    return bench.bank


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.txt", "The mill was closed in 1921 and burnt down.", "en"),
        ("b.txt", "磨坊于一九二一年关闭，后来被烧毁。", "zh"),
        ("c.txt", "1921", None),
        ("d.py", "mill = {'closed': 1921}  # The mill was closed and burnt down.", None),
    ],
)
def test_the_language_of_a_document_is_recorded(tmp_path: Path, name: str, text: str, language: str | None) -> None:
    with workbench(tmp_path) as bench:
        assert ingest(bench, tmp_path, name, text).sources["s1"].language == language


def test_a_log_from_before_languages_were_recorded_is_read() -> None:
    old = {"type": "source_read", "source_id": "s1", "title": None, "media_type": "x", "characters": 1, "pages": 0}
    assert SourceRead.model_validate(old).language is None


def said(bank: Bank) -> list[tuple[str, str, str | None]]:
    """What the entries hold, turn by turn."""
    return [
        (turn.speaker, entry.text[turn.said : turn.end], turn.at) for entry in bank.trees for turn in turns_of(entry)
    ]


def test_entries_keep_every_turn_with_speaker_and_time_and_the_text_word_for_word(tmp_path: Path) -> None:
    with workbench(tmp_path) as bench:
        bank = ingest(bench, tmp_path, "chat.txt", CHAT)
    assert "".join(entry.text for entry in bank.trees) == CHAT
    assert said(bank) == [(speaker, text, at.isoformat()) for speaker, text, at in MESSAGES]
    assert len(bank.trees) > 1
    assert bank.insight_doc.completed_tasks[0].context.startswith("60 turns, ")


def test_messages_in_json_become_the_same_memory(tmp_path: Path) -> None:
    rows = [{"speaker": speaker, "text": text, "time": at.isoformat()} for speaker, text, at in MESSAGES]
    with workbench(tmp_path) as bench:
        bank = ingest(bench, tmp_path, "chat.json", json.dumps({"messages": rows}))
    assert said(bank) == [(speaker, text, at.isoformat()) for speaker, text, at in MESSAGES]


def test_an_agent_sees_of_a_claim_from_a_chat_who_said_it_and_when(tmp_path: Path) -> None:
    with workbench(tmp_path) as bench:
        bank = ingest(bench, tmp_path, "chat.txt", CHAT)
        views = [node_view(bank, node.id) for node in bank.query_graph]
    claims = {claim.id: claim for view in views for claim in view.claims}
    voices = {claim_id: place for view in views for claim_id, place in view.voices.items()}
    assert claims.keys() == voices.keys()
    assert claims
    for claim_id, place in voices.items():
        assert any(
            place == f"{speaker}, {at:%Y-%m-%d %H:%M}" and claims[claim_id].text in text
            for speaker, text, at in MESSAGES
        )


def test_an_agent_sees_of_every_node_how_its_document_begins(tmp_path: Path) -> None:
    mail = (
        "From: Ann Hale\nTo: Ben Ray\n\n" + "The mill was closed in 1921. " * 40 + "\n\n" + "Wool costs 3 pounds. " * 60
    )
    with workbench(tmp_path) as bench:
        bank = ingest(bench, tmp_path, "mail.txt", mail)
        heads = [node_view(bank, node.id).head for node in bank.query_graph]
    assert len(heads) > 1
    assert set(heads) == {"From: Ann Hale · To: Ben Ray"}


def test_an_agent_sees_which_claims_are_entries_of_lists(tmp_path: Path) -> None:
    text = "The dough needs flour and honey.\n\n- 500 grams of white flour for the dough\n- 30 grams of clear honey\n"
    with workbench(tmp_path) as bench:
        bank = ingest(bench, tmp_path, "buns.md", text)
        views = [node_view(bank, node.id) for node in bank.query_graph]
    of_lists = {claim.text for view in views for claim in view.claims if claim.id in view.items}
    assert of_lists == {"500 grams of white flour for the dough", "30 grams of clear honey"}


@pytest.mark.parametrize("every", [7, 61, 400])
def test_no_topic_is_cut_inside_a_turn_wherever_an_engine_cuts(tmp_path: Path, every: int) -> None:
    def classify(given: ClassificationInput) -> ClassificationOutput:
        edges = [*range(0, len(given.text), every), len(given.text)]
        halves = [tuple(pairwise(edges))[place::2] for place in (0, 1)]  # two topics, interwoven
        clusters = [
            Cluster(cluster_id=number, context="x", keywords=(), spans=spans)
            for number, spans in enumerate(halves, start=1)
            if spans
        ]
        return ClassificationOutput(should_cluster=True, clusters=tuple(clusters))

    def structure(given: StructureInput) -> StructureOutput:
        assert all(given.content[turn.said : turn.end].strip() for turn in given.turns)
        return StructureOutput(summary=given.content[:40], claims=())

    scripts = {
        "classification": classify,
        "structure": structure,
        "analysis": lambda _given: AnalysisOutput(relations=()),
    }
    with workbench(tmp_path, scripts) as bench:
        bank = ingest(bench, tmp_path, "chat.txt", CHAT)
    assert sorted(said(bank)) == sorted((speaker, text, at.isoformat()) for speaker, text, at in MESSAGES)
    assert sum(len(entry.text) for entry in bank.trees) == len(CHAT)


@pytest.mark.slow
def test_a_turn_that_no_window_holds_is_cut_and_every_part_keeps_its_speaker(tmp_path: Path) -> None:
    long = " ".join(f"You know that mill {number} has {number} floors." for number in range(300))
    text = f"[2023-05-08 10:00] Ada: Tell me.\n[2023-05-08 10:01] Bob: {long}\n[2023-05-08 10:02] Ada: Thank you.\n"
    with workbench(tmp_path, classification=AgentSettings(window=1024), chunk_ratio=0.5) as bench:
        bank = ingest(bench, tmp_path, "chat.txt", text)
    assert "".join(entry.text for entry in bank.trees) == text
    parts = [words for speaker, words, _at in said(bank) if speaker == "Bob"]
    assert len(parts) > 1
    assert "".join(parts).replace(" ", "") == long.replace(" ", "")


def test_opinions_and_questions_of_a_chat_are_no_contradictions(session: Session) -> None:
    assert session.bank.conflicts == {}


def test_two_people_who_state_different_facts_still_contradict_each_other(tmp_path: Path) -> None:
    first = "[2023-05-08 10:00] Ada: Did you know? Harlow Bridge was completed in 1932.\n[2023-05-08 10:01] Bob: No.\n"
    other = "[2023-06-08 10:00] Cem: Harlow Bridge was completed in 1934.\n[2023-06-08 10:01] Bob: You sure?\n"
    with workbench(tmp_path) as bench:
        bank = ingest(bench, tmp_path, "chat.txt", first + other)
    (conflict,) = bank.conflicts.values()
    told = {said_by(bank.trees.entry(claim.entry_id), claim.start, claim.end) for claim in conflict.claims}
    assert told == {"Ada, 2023-05-08 10:00", "Cem, 2023-06-08 10:00"}


# -- asked -----------------------------------------------------------------------------------------------------


def asked(session: Session, question: str) -> QuestionAnswer:
    return ask(session.bank, Parts.asking(Settings()), question)


QUESTIONS = (
    (TASK, "Ada, 2023-05-08 13:58", "a new pump for 340 euros"),
    ("What did Bob say about the boiler in October?", "Bob, 2023-10-02 19:00", "The boiler rattles again"),
    ("What did Ada say about the boiler in March?", "Ada, 2023-03-04 09:12", "The boiler is from 1994"),
    ("Who lost a scarf?", "Bob, 2023-07-23 21:43", "I lost my blue scarf"),
    ("How many photos did Ada take?", "Ada, 2023-07-23 21:46", "812 photos"),
    ("When was the pump changed?", "Ada, 2023-05-12 20:05", "The pump was changed yesterday"),
    ("What did Cem say about his new job?", "Cem, 2023-09-15 08:18", "I started my new job at the observatory"),
    ("What is the name of Nora's child?", "Ada, 2023-04-11 18:38", "Ilse."),
)


@pytest.mark.parametrize(("question", "who", "words"), QUESTIONS)
def test_who_said_what_when_is_found_and_cited(session: Session, question: str, who: str, words: str) -> None:
    found = asked(session, question)
    entries = {citation: session.bank.trees.entry(citation.entry_id) for citation in found.answer.citations}
    cited = {said_by(entry, one.start, one.end): entry.text[one.start : one.end] for one, entry in entries.items()}
    assert words in cited.get(who, ""), found.answer.text
    speaker, _, when = who.partition(", ")
    assert f"{speaker} ({when[:10]}): “" in found.answer.text


def test_a_question_about_something_else_is_answered_by_the_other_document(session: Session) -> None:
    (citation, *_others) = asked(session, "When was Beacon Mill built?").answer.citations
    assert citation.source == "mill.txt"


def test_what_somebody_said_is_not_answered_by_what_others_said(session: Session) -> None:
    found = asked(session, "What did Bob say about the price of the pump?").answer
    told = {said_by(session.bank.trees.entry(one.entry_id), one.start, one.end)[:3] for one in found.citations}
    assert told <= {"Bob"}


def test_an_exported_chat_is_asked_and_shown_with_speaker_and_time(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = tmp_path / "out.json"
    session.export(export)
    assert main(["replay", str(export)]) == 0
    assert main(["import", str(export), "--sessions", str(tmp_path / "store")]) == 0
    capsys.readouterr()
    assert main(["ask", str(export), "--question", TASK]) == 0
    assert "chat.txt, Ada, 2023-05-08 13:58: " in capsys.readouterr().out
    assert "chat.txt, Ada, 2023-05-08 13:58</h3>" in report(session.events, Translator("en"))
