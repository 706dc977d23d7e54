"""Images in a session: they wait, are read one task at a time, and become records with the file attached."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from errno import EACCES, EINVAL, EIO, EMFILE, ENOENT
from pathlib import Path

import pytest
from PIL import Image

from memory_bank.agents.react import EnhancedPrompt, ImageRead, Progress, StepResult, Tools
from memory_bank.bank.errors import (
    AgentError,
    StorageError,
    UnreadableDocumentError,
    UnreadableImageError,
    raise_disk_error,
)
from memory_bank.bank.events import Event, Notice, PlanUpdated, SourceRefused
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.engines.step.prompt import with_image
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import first_difference, parse_export
from tests.builders import make_current, warned
from tests.documents.pictures.drawn import CHINESE, LATIN, line
from tests.faults.files import FileFault, Files
from tests.scripted import ScriptedFramework
from tests.session.test_session import NEXT_DAY
from tests.step_clock import StepClock

SAID = {
    "mill.png": "The mill closed in 1921.",
    "weir.png": "The weir is 12 m wide.",
    "barn.png": "The barn burnt down.",
}


def png(colour: str = "white", side: int = 40) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (side, 20), colour).save(file, "PNG")
    return file.getvalue()


IMAGES = tuple(Upload(name, png(colour)) for name, colour in zip(SAID, ("red", "green", "blue"), strict=True))


def see(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
    """Read the image by its name; answer any question with nothing."""
    del tools
    if prompt.image is None:
        return StepResult(answer="", messages=())
    source = prompt.image.source
    assert prompt.image.path.is_file()
    return StepResult(answer=SAID[source.name], messages=(), image=ImageRead(id=source.id, facts={"kind": "drawing"}))


def parts(framework: ScriptedFramework | None = None) -> Parts:
    embedder = HashEmbedder()
    engines = dict.fromkeys((name for name in AGENTS if name != "react"), OfflineEngine(embedder))
    return Parts(StepClock(NEXT_DAY), embedder, engines, framework or ScriptedFramework(see))


def begin(
    folder: Path, images: Iterable[Upload] = IMAGES, given: Parts | None = None, settings: Settings | None = None
) -> Session:
    return Session.create(
        "When did the mill close?",
        [*images, Upload("notes.txt", b"The mill is old.")],
        settings=settings or Settings(),
        sessions=folder,
        parts=given or parts(),
    )


def reopen(session: Session, given: Parts | None = None) -> Session:
    return Session.open(session.id, settings=session.settings, sessions=session.folder.parent, parts=given or parts())


def waiting(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.glob(".waiting/**/*") if path.is_file())


def tasks(session: Session) -> Iterator[str]:
    return (done.description for done in session.bank.insight_doc.completed_tasks)


def test_each_image_is_read_by_a_task_of_its_own_that_names_it(tmp_path: Path) -> None:
    session = begin(tmp_path)
    list(session.run())
    done = list(tasks(session))
    assert [task for task in done if task.startswith("Read image")] == [
        "Read image s1 (mill.png)",
        "Read image s2 (weir.png)",
        "Read image s3 (barn.png)",
    ]
    assert done[0] == "Read notes.txt"
    assert done[-1] == "When did the mill close?"


def test_what_it_says_is_a_record_with_the_file_attached(tmp_path: Path) -> None:
    session = begin(tmp_path)
    list(session.run())
    entry = next(entry for entry in session.bank.trees if entry.metadata["source"] == "mill.png")
    assert entry.text == SAID["mill.png"]
    assert entry.metadata["kind"] == "drawing"
    (attachment,) = entry.attachments
    assert (attachment.id, attachment.type, attachment.media_type) == ("s1", "image", "image/png")
    assert (session.folder / attachment.path).read_bytes() == IMAGES[0].data
    source = session.bank.sources["s1"]
    assert (source.sha256, source.characters) == (attachment.sha256, len(entry.text))


def test_until_it_is_read_an_image_waits_elsewhere_and_leaves_no_record(tmp_path: Path) -> None:
    session = begin(tmp_path)
    assert len(waiting(tmp_path)) == len(IMAGES)
    assert not list((session.folder / "files").glob("s[123]"))
    for event in session.run():
        if isinstance(event, PlanUpdated) and event.current and "s2" in event.current.description:
            break
    assert len(waiting(tmp_path)) == len(IMAGES) - 1
    assert {entry.metadata["source"] for entry in session.bank.trees} == {"notes.txt", "mill.png"}
    assert ".waiting" not in session.export()


def test_the_folder_of_those_that_wait_can_be_set(tmp_path: Path) -> None:
    session = begin(tmp_path, settings=Settings(temp_dir=tmp_path / "put_apart"))
    assert len(list((tmp_path / "put_apart").glob("*/*/*"))) == len(IMAGES)
    assert "put_apart" not in session.export()


@pytest.mark.parametrize("stop", ["end", "cancel"])
def test_nothing_waits_once_the_session_has_ended(tmp_path: Path, stop: str) -> None:
    session = begin(tmp_path)
    if stop == "cancel":
        session.cancel()
    list(session.run())
    assert waiting(tmp_path) == []


def test_what_a_killed_session_left_goes_when_it_is_gone(tmp_path: Path) -> None:
    killed = begin(tmp_path)
    begin(tmp_path, ())
    assert len(waiting(tmp_path)) == len(IMAGES)  # it can go on
    for path in sorted(killed.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    begin(tmp_path, ())
    assert waiting(tmp_path) == []


def test_a_session_killed_at_any_event_goes_on_with_the_same_records(tmp_path: Path) -> None:
    whole = begin(tmp_path / "whole")
    list(whole.run())
    expected = records(whole.events)
    number = 0
    while True:
        number += 1
        session = begin(tmp_path / str(number))
        for count, _event in enumerate(session.run(), start=1):
            if count == number:
                break
        else:
            break
        session.close()
        again = reopen(session)
        list(again.run())
        assert records(again.events) == expected, number
        assert waiting(tmp_path / str(number)) == []
    assert number > len(IMAGES)


def records(events: Iterable[Event]) -> list[tuple[str, str]]:
    """Every record with its source."""
    return [(event.entry.metadata["source"], event.entry.text) for event in events if event.type == "node_created"]


def test_an_image_that_cannot_be_read_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    def fail(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
        if prompt.image is not None and prompt.image.source.name == "weir.png":
            raise AgentError("react", "it is damaged")
        return see(prompt, tools)

    broken = (IMAGES[0], Upload("weir.png", b"\x89PNG\r\n\x1a\nnothing"), IMAGES[2])
    session = begin(tmp_path, broken, parts(ScriptedFramework(fail)))
    list(session.run())
    refused = [event for event in session.events if isinstance(event, SourceRefused)]
    assert [(event.source_id, event.task) for event in refused] == [("s2", None)]
    assert [one.name for one in session.bank.sources.values() if one.refused] == ["weir.png"]
    assert {entry.metadata["source"] for entry in session.bank.trees} == {"notes.txt", "mill.png", "barn.png"}
    assert session.bank.status == "finished"
    assert any("embedded engine reads it" in event.message for event in session.events if isinstance(event, Notice))


def test_the_export_of_a_session_with_images_adds_up(tmp_path: Path) -> None:
    session = begin(tmp_path)
    list(session.run())
    assert first_difference(parse_export(session.export())) is None


def test_the_same_image_given_as_a_reference_is_no_material(tmp_path: Path) -> None:
    session = Session.create("What?", [], [IMAGES[0]], sessions=tmp_path, parts=parts(), settings=Settings())
    assert session.bank.waiting_images() == []
    assert (session.folder / "files" / "s1").is_file()


def test_a_name_that_holds_the_id_of_another_image_leads_to_no_mix_up(tmp_path: Path) -> None:
    names = ("s2.png", "s1.png")
    pictures = [Upload(name, png(colour)) for name, colour in zip(names, ("red", "green"), strict=True)]

    def tell(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
        del tools
        if prompt.image is None:
            return StepResult(answer="", messages=())
        source = prompt.image.source
        return StepResult(answer=f"This is {source.id}.", messages=(), image=ImageRead(id=source.id))

    session = begin(tmp_path, pictures, parts(ScriptedFramework(tell)))
    for event in session.run():
        if event.type == "source_ingested" and event.source_id == "s1":
            break
    session.close()
    again = reopen(session, parts(ScriptedFramework(tell)))
    list(again.run())
    assert {(e.metadata["source_id"], e.text) for e in again.bank.trees if e.attachments} == {
        ("s1", "This is s1."),
        ("s2", "This is s2."),
    }


def test_a_task_that_only_mentions_an_image_reads_none(tmp_path: Path) -> None:
    bank = begin(tmp_path).bank
    task = make_current().model_copy(update={"description": "Read image s1 (mill.png) and compare s2 with it."})
    assert bank.waiting_image(task) is None
    assert bank.waiting_image(task.model_copy(update={"image_id": "s2"})) == bank.sources["s2"]


def test_an_image_whose_file_is_gone_is_refused_and_the_session_ends_well(tmp_path: Path) -> None:
    session = begin(tmp_path)
    for event in session.run():
        if event.type == "agent_called" and event.key.startswith("react/"):
            break
    session.close()
    (tmp_path / ".waiting" / f"doc-{session.id}" / "s1").unlink()
    again = reopen(session)
    list(again.run())
    assert again.bank.status == "finished"
    assert again.bank.sources["s1"].refused == "its file is not there any more"
    first = next(
        task for task in again.bank.insight_doc.completed_tasks if task.description.startswith("Read image s1")
    )
    assert first.status == "failed"


def test_a_run_that_ends_right_after_a_refusal_says_later_that_the_task_failed(tmp_path: Path) -> None:
    def fail(prompt: EnhancedPrompt, tools: Tools) -> StepResult:
        if prompt.image is not None:
            raise UnreadableImageError("react", "it is damaged")
        return see(prompt, tools)

    session = begin(tmp_path, IMAGES[:1], parts(ScriptedFramework(fail)))
    for event in session.run():
        if event.type == "source_refused":
            break
    session.close()
    again = reopen(session, parts(ScriptedFramework(fail)))
    list(again.run())
    done = {task.description: task for task in again.bank.insight_doc.completed_tasks}
    assert (done["Read image s1 (mill.png)"].status, done["Read image s1 (mill.png)"].context) == (
        "failed",
        "it is damaged",
    )


def test_reading_many_images_leaves_steps_for_the_question(tmp_path: Path) -> None:
    session = begin(tmp_path, settings=Settings(max_steps=2))
    list(session.run())
    assert list(tasks(session))[-1] == "When did the mill close?"


def test_what_else_is_in_the_temporary_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "temp" / "my-thesis").mkdir(parents=True)
    settings = Settings(temp_dir=tmp_path / "temp")
    other = begin(tmp_path / "other", settings=settings)
    begin(tmp_path / "one", (), settings=settings)
    assert (tmp_path / "temp" / "my-thesis").is_dir()
    list(other.run())
    assert not any(source.refused for source in other.bank.sources.values())


# -- read for real -------------------------------------------------------------------------------------------


def written(text: str, font: Path = LATIN) -> bytes:
    file = io.BytesIO()
    sheet = Image.new("L", (900, 120), 248)
    sheet.paste(line(text, 34, font), (20, 20))
    sheet.save(file, "PNG")
    return file.getvalue()


def scan(*lines: str) -> Upload:
    pages = []
    for said in lines:
        sheet = Image.new("L", (700, 100), 248)
        sheet.paste(line(said, 30), (20, 20))
        pages.append(sheet)
    file = io.BytesIO()
    pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:])
    return Upload("scan.tif", file.getvalue())


@pytest.mark.parametrize("wish", ["pause", "cancel"])
@pytest.mark.slow
def test_a_scan_of_many_pages_stops_between_two_and_is_read_whole_when_it_goes_on(tmp_path: Path, wish: str) -> None:
    said = ("The mill closed in 1921.", "The weir is 12 m wide.", "The barn burnt down.")
    given = replace(parts(), framework=OfflineFramework(HashEmbedder()))
    session = begin(tmp_path, [scan(*said)], given)
    for event in session.run():
        if isinstance(event, Notice):
            getattr(session, wish)()
    assert event.type == "status_changed"
    assert warned(session.events) == ["Page 1 of 3 of scan.tif is read."]
    assert not session.bank.sources["s1"].refused
    again = reopen(session, given)
    list(again.run())
    found = [entry.text for entry in again.bank.trees if entry.metadata["source"] == "scan.tif"]
    assert found == ([] if wish == "cancel" else ["\n\n".join(said)])
    assert len(warned(again.events)) == (1 if wish == "cancel" else 3)


def test_three_pictures_one_of_them_chinese_answer_with_citations_that_open_the_picture(tmp_path: Path) -> None:
    pictures = [
        Upload("sign.png", written("Harlow Bridge was opened in 1932.")),
        Upload("plaque.png", written("哈洛大桥长214米。", CHINESE)),
        Upload("bill.png", written("The ferry at Marlow cost 3 pence.")),
    ]
    for question, picture, value in (
        ("When was Harlow Bridge opened?", "sign.png", "1932"),
        ("哈洛大桥有多长？", "plaque.png", "214"),
        ("What did the ferry at Marlow cost?", "bill.png", "3 pence"),
    ):
        session = Session.create(question, pictures, sessions=tmp_path, settings=Settings())
        list(session.run())
        assert session.answer is not None
        assert value in session.answer.affirmed
        entry = session.bank.trees.entry(session.answer.citations[0].entry_id)
        (attachment,) = entry.attachments
        assert entry.metadata["source"] == picture
        assert (session.folder / attachment.path).read_bytes() == next(p.data for p in pictures if p.name == picture)


@pytest.mark.parametrize("gap", [10, 90])
def test_a_sign_and_a_letter_of_one_bridge_that_disagree_are_a_conflict(tmp_path: Path, gap: int) -> None:
    """Whether the name stands close above what is told of it, or by itself."""
    name, told = line("Harlow Bridge", 40), line("Opened to traffic in 1932.", 34)
    sheet = Image.new("L", (900, 400), 248)
    sheet.paste(name, (20, 20))
    sheet.paste(told, (20, 20 + name.height + gap))
    file = io.BytesIO()
    sheet.save(file, "PNG")
    letter = b"Dear Mary,\n\nYou asked about our town. The bridge at Harlow was opened in 1931. The inn is older."
    given = [Upload("sign.png", file.getvalue()), Upload("letter.txt", letter)]
    session = Session.create("When was Harlow Bridge opened?", given, sessions=tmp_path, settings=Settings())
    list(session.run())
    (conflict,) = session.bank.conflicts.values()
    assert "1931" in conflict.description
    assert "1932" in conflict.description


def test_a_picture_that_says_nothing_is_found_by_its_name_and_opens_no_conflict(tmp_path: Path) -> None:
    pictures = [Upload(f"{name}.png", png(name, side)) for name, side in (("red", 40), ("green", 60), ("blue", 90))]
    session = Session.create("Which picture is green?", pictures, sessions=tmp_path, settings=Settings())
    list(session.run())
    assert not session.bank.conflicts
    assert not any(node.claims for node in session.bank.query_graph)
    assert {entry.metadata["source"] for entry in session.bank.trees} == {"red.png", "green.png", "blue.png"}


class Shown(OfflineFramework):
    """Gives the image to a model that sees, and takes what that says."""

    def act(  # type: ignore[override]
        self, prompt: EnhancedPrompt, tools: Tools, *_more: object
    ) -> Generator[Progress, None, StepResult]:
        if prompt.image is not None:
            with_image([{"role": "user", "content": ""}], prompt.image)
        yield from ()
        return see(prompt, tools)


@pytest.mark.parametrize("framework", [OfflineFramework(HashEmbedder()), Shown(HashEmbedder())])
@pytest.mark.parametrize(
    "fault",
    [
        FileFault(step, number, wrong)
        for step, number, wrong in [("open", 1, EIO), ("read", 1, EIO), ("open", 2, EMFILE)]
    ],
    ids=str,
)
def test_an_image_that_the_disk_does_not_give_is_not_refused_but_read_later(
    tmp_path: Path, framework: OfflineFramework, fault: FileFault
) -> None:
    session = begin(tmp_path, IMAGES[:1], replace(parts(), framework=framework))
    with Files(tmp_path / ".waiting", fault).patched(), pytest.raises(StorageError):
        list(session.run())
    list(session.run())
    assert session.bank.status == "finished"
    assert session.bank.sources["s1"].refused is None
    assert (session.folder / session.bank.sources["s1"].path).read_bytes() == IMAGES[0].data


def test_an_image_cut_short_is_refused_and_not_taken_for_a_fault_of_the_disk(tmp_path: Path) -> None:
    cut = Upload("cut.png", png(side=400)[:-40])
    session = begin(tmp_path, [cut], replace(parts(), framework=OfflineFramework(HashEmbedder())))
    list(session.run())
    assert "damaged" in str(session.bank.sources["s1"].refused)


@pytest.mark.parametrize(("number", "raised"), [(EACCES, True), (None, False), (ENOENT, False), (EINVAL, False)])
def test_only_what_may_go_well_another_time_is_the_fault_of_the_disk(number: int | None, *, raised: bool) -> None:
    error = UnreadableDocumentError("scan.png", "it is damaged")
    error.__cause__ = OSError("broken") if number is None else OSError(number, "broken")
    with pytest.raises(OSError, match="broken") if raised else nullcontext():
        raise_disk_error(error)
