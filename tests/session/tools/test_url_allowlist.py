"""Which addresses a step may visit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_bank.bank.events import EntryRecorded, TurnTaken
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.message import Message, StepTurn
from memory_bank.session.tools.url_allowlist import UrlAllowlist
from tests.builders import USAGE, make_attachment, make_entry
from tests.workbench import Workbench, workbench

DAM = "https://town.org/Dam?a=1&b=2"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with workbench(tmp_path) as made:
        yield made


def named_in(bench: Workbench, text: str, url: str) -> bool:
    bench.put("n1", "The dam.", text)
    return url in UrlAllowlist(bench.bank)


@pytest.mark.parametrize(
    "text",
    [
        DAM,
        f"It is told of on {DAM}, a page.",
        f"More at {DAM}.",
        f"(see {DAM})",
        f"[the dam]({DAM}).",
        f"**{DAM}**",
        f"<a href='{DAM}'>",
        f"{DAM}#top",
        f"{DAM}/",
        DAM.replace("&", "&amp;"),
        "http://TOWN.org/Dam?a=1&b=2",
        "Town.Org/Dam?a=1&b=2",
        f"见{DAM}。",
        f"见{DAM}的介绍",
    ],
)
@pytest.mark.parametrize("url", [DAM, f" {DAM}#top ", f"{DAM}/", "HTTP://Town.ORG/Dam?a=1&b=2"])
def test_an_address_is_named_however_it_is_written(bench: Workbench, text: str, url: str) -> None:
    assert named_in(bench, text, url)


@pytest.mark.parametrize("text", ["www.harlow.org", "Read http://www.harlow.org/."])
def test_a_site_is_named_with_and_without_its_scheme(bench: Workbench, text: str) -> None:
    assert named_in(bench, text, "https://www.harlow.org/")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (DAM, "https://town.org/D"),
        (DAM, "https://town.org/Dam"),
        (DAM, "https://town.org"),
        (DAM, f"{DAM}&c=3"),
        (DAM, "https://town.org/dam?a=1&b=2"),
        ("https://town.org/a.b", "https://town.org/a"),
        ("https://town.org/a-b", "https://town.org/a"),
        ("https://town.org/a/b", "https://town.org/a/"),
        ("https://town.org/a...b", "https://town.org/a"),
        ("https://my-town.org/a", "https://town.org/a"),
        ("https://the.town.org/a", "https://town.org/a"),
        ("ann@town.org", "https://town.org"),
        ("https://town.org/a", "https://townxorg/a"),
        (DAM, f"{DAM}//"),
        ("https://town.org/a", "https://town.org/a////"),
        ("https://town.org/a/", "https://town.org/a//"),
        ("https://town.org", "https://town.org//"),
        ("https://town.org/a", "https://!"),
        ("https://town.org/a", "https://"),
        ("https://town.org/a", ""),
        ("https://town.org/a", "#"),
    ],
)
def test_a_part_of_an_address_names_nothing(bench: Workbench, text: str, url: str) -> None:
    assert not named_in(bench, text, url)


def test_among_endless_signs_none_is_looked_for_for_ever(bench: Workbench) -> None:
    named = UrlAllowlist(bench.bank)
    named.note("!" * 200_000 + ".a", "town.org" + "!" * 200_000 + "a", "town.org!" * 20_000 + "a")
    assert not any(url in named for url in ("https://!", "https://!.a", "https://town.org/!", "town.org!"))


def test_a_page_whose_record_tells_where_it_was_found_is_named_by_it(bench: Workbench) -> None:
    bench.put("n1", "The dam.")
    bench.recorder.record(
        EntryRecorded(node_id="n1", entry=make_entry("e9", "The dam.").model_copy(update={"metadata": {"source": DAM}}))
    )
    assert DAM in UrlAllowlist(bench.bank)


def test_what_the_person_asks_for_names_it(bench: Workbench) -> None:
    bench.begin(f"What does {DAM} say?")
    assert DAM in UrlAllowlist(bench.bank)


def test_what_a_tool_brings_names_it_at_once(bench: Workbench) -> None:
    named = UrlAllowlist(bench.bank)
    named.note("The dam.", f"See {DAM} and www.harlow.org", "https://zh.wikipedia.org/wiki/埃菲尔铁塔")
    assert all(url in named for url in (DAM, "https://www.harlow.org", "https://zh.wikipedia.org/wiki/埃菲尔铁塔"))
    assert "https://town.org/Dam" not in named


RECORDED = {
    "a passage": (Message(role="tool", name="search", content=f"See {DAM}.", source="guide.txt"), True),
    "a page that was found": (Message(role="tool", name="search", content="The dam.", source=DAM), True),
    "a page that was visited": (Message(role="tool", name="visit", content=f"See {DAM}.", source="http://a.org"), True),
    "a refusal": (Message(role="tool", name="visit", content=f"'{DAM}' is not read.", from_memory=True), False),
    "an answer that says it again": (
        Message(role="tool", name="deep_retrieval", content=f"There is no node {DAM}.", from_memory=True),
        False,
    ),
    "a fact that the agent stored": (
        Message(role="tool", name="retrieve_facts", content=f"2024-01-01: {DAM}", from_memory=True),
        False,
    ),
    "what the agent says": (Message(role="assistant", content=f"I read {DAM}."), False),
}


@pytest.mark.parametrize(("message", "expected"), RECORDED.values(), ids=RECORDED)
def test_of_a_step_that_goes_on_only_what_its_tools_brought_names(
    bench: Workbench, message: Message, *, expected: bool
) -> None:
    turn = StepTurn(messages=(Message(role="assistant", content=""), message))
    bench.recorder.record(TurnTaken(task_id="t1", number=1, turn=turn, usage=USAGE))
    assert (DAM in UrlAllowlist(bench.bank)) is expected


PICTURE = make_attachment().model_copy(update={"id": "s1", "type": "image"})
IN_A_MODELS_WORDS = {
    "a verification": ({"conflict_id": "x1"}, ()),
    "a fact or an episode of earlier sessions": ({"record_id": "r1"}, ()),
    "a picture": ({"source_id": "s1"}, (PICTURE,)),
}


@pytest.mark.parametrize(("metadata", "attachments"), IN_A_MODELS_WORDS.values(), ids=IN_A_MODELS_WORDS)
def test_a_record_in_a_models_own_words_names_nothing(
    bench: Workbench, metadata: dict[str, str], attachments: tuple[Attachment, ...]
) -> None:
    bench.put("n1", "The dam.")
    entry = make_entry("e9", f"See {DAM}.").model_copy(update={"metadata": metadata, "attachments": attachments})
    bench.recorder.record(EntryRecorded(node_id="n1", entry=entry))
    assert DAM not in UrlAllowlist(bench.bank)


def test_a_document_with_a_picture_in_it_names_what_it_says(bench: Workbench) -> None:
    bench.put("n1", "The dam.")
    enclosed = PICTURE.model_copy(update={"id": "s1.1"})
    entry = make_entry("e9", f"See {DAM}.").model_copy(
        update={"metadata": {"source_id": "s1"}, "attachments": (enclosed,)}
    )
    bench.recorder.record(EntryRecorded(node_id="n1", entry=entry))
    assert DAM in UrlAllowlist(bench.bank)
