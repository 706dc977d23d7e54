"""The HTML report: complete, in one file, with all text escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from lxml import etree, html
from playwright.sync_api import Browser

from memory_bank.app.demo import load_demo
from memory_bank.bank.answer import NO_PASSAGE, UNCONFIRMED, Rejection
from memory_bank.bank.conflict import NOT_ALL_FOUND
from memory_bank.bank.events import (
    AnswerGiven,
    ConflictDecided,
    ConflictOpened,
    Event,
    SourceRefused,
    StatusChanged,
    TaskUnderstood,
)
from memory_bank.bank.task_kind import TaskKind
from memory_bank.session.answer_check import Fault, VerificationReport
from memory_bank.session.session import Session
from memory_bank.views.exports.html_report import report
from memory_bank.views.i18n import ENGLISH, Language, translator
from tests.builders import every_event, in_markdown, make_answer, make_claim, make_conflict
from tests.pages.hostile import EVIL
from tests.views.exports.hostile import harmless_events, worst_events

pytestmark = pytest.mark.slow

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """The events of the demo, run to its end."""
    given = load_demo()
    session = Session.create(given.task, given.documents, given.sources, sessions=tmp_path_factory.mktemp("sessions"))
    for _event in session.run():
        pass
    return session.events


def parsed(events: Sequence[Event], language: Language = "en") -> html.HtmlElement:
    return html.document_fromstring(report(events, translator(language)))


def said(element: html.HtmlElement) -> str:
    return " ".join(" ".join(element.itertext()).split())


def section(page: html.HtmlElement, name: str) -> str:
    return said(page.get_element_by_id(name))


def swapped(events: Sequence[Event], kind: type, **update: object) -> list[Event]:
    return [event.model_copy(update=update) if isinstance(event, kind) else event for event in events]


def test_how_much_of_the_answer_holds_is_told_with_what_does_not() -> None:
    verified = VerificationReport(3, (Fault("The dam <fell>.", "its passages do not bear it"),))
    page = html.document_fromstring(report(every_event(), translator("en"), verified))
    assert "2 of 3 sentences confirmed" in section(page, "answer")
    assert "its passages do not bear it: The dam <fell>." in section(page, "answer")
    assert "hold" not in section(parsed(every_event()), "answer")


def test_a_comparison_is_a_table() -> None:
    text = "## Fee\n\nA: “It is <5>.” [1]\nB: “It is 6.” [1]\n\n## Time\n\nB: “An hour.” [1]"
    given = make_answer().model_copy(update={"text": text})
    page = parsed(swapped(every_event(), AnswerGiven, answer=given))
    rows = page.xpath("//section[@id='answer']/table/tr")
    assert [[said(cell) for cell in row] for row in rows] == [
        ["", "A", "B"], ["Fee", "“It is <5>.” [1]", "“It is 6.” [1]"],
    ]  # fmt: skip


@pytest.mark.parametrize("by_engine", [True, False])
def test_only_the_embedded_engine_says_that_it_may_have_missed_some(*, by_engine: bool) -> None:
    begun, rest = every_event()[:1], [event for event in every_event()[1:] if event.type != "task_understood"]
    understood = [TaskUnderstood(kind=TaskKind.FACT, by="agent")] if by_engine else []
    events = [*begun, *understood, *rest, StatusChanged(status="finished")]
    assert (NOT_ALL_FOUND in section(parsed(events), "conflicts")) is by_engine


# -- content -------------------------------------------------------------------------------------------------


def test_the_demo_is_told_whole(demo: list[Event]) -> None:
    page = parsed(demo)
    answer = section(page, "answer")
    assert "The Aswan High Dam was completed in 1970, after ten years of work.” [1]" in answer
    assert "In dispute: no evidence settles it brochure.pdf: “The Nile is 6,650 km long" in answer
    assert "Not part of the answer: refuted “The Aswan High Dam was completed in 1968 .”" in answer
    conflicts = section(page, "conflicts")
    assert "Verdict: the second statement holds · by the agent · confidence 0." in conflicts
    assert (
        "“The Aswan High Dam was completed on 21 July 1970 and inaugurated in January 1971.” dam-register.md"
        in conflicts
    )
    assert "Read brochure.pdf 2 pages, 2 topics. done" in section(page, "timeline")
    sources = section(page, "sources")
    assert "brochure.pdf A week on the Nile to work on" in sources
    assert "dam-register.md" in sources
    assert "kept to check against" in sources
    assert page.xpath("//*[local-name()='svg'][@role='img']")
    assert "n6 · The Nile: reading notes: The Aswan High Dam" in section(page, "nodes")


def test_each_number_of_the_answer_leads_to_its_passage_marked_in_its_place(demo: list[Event]) -> None:
    page = parsed(demo)
    numbers = page.xpath("//section[@id='answer']//a[@class='cite']")
    assert [number.text for number in numbers] == [f"[{place}]" for place in range(1, len(numbers) + 1)]
    passages = [page.get_element_by_id(number.get("href")[1:]) for number in numbers]
    marked = [passage.xpath("string(.//mark)") for passage in passages]
    assert marked[0] == "The Aswan High Dam was completed in 1970, after ten years of work."
    assert "It stands 111 metres high." in said(passages[0])
    assert said(passages[1]).startswith("[2] dam-register.md")  # what settled the dispute
    labels = [number.get("aria-label") for number in numbers]
    place = next(n for n, label in enumerate(labels) if label.endswith(": brochure.pdf, p. 1"))
    assert said(passages[place]).startswith(f"[{place + 1}] brochure.pdf, p. 1")


def test_every_link_stays_inside_and_arrives(demo: list[Event]) -> None:
    for events in (demo, every_event(), worst_events()):
        page = parsed(events)
        names = {element.get("id") for element in page.xpath("//*[@id]")}
        targets = {link.get("href") for link in page.xpath("//*[@href]")}
        assert targets
        assert targets <= {f"#{name}" for name in names}


def test_the_words_in_which_two_statements_differ_are_marked(demo: list[Event]) -> None:
    sides = parsed(demo).xpath("//div[@class='sides']//blockquote")
    assert [[mark.text for mark in side.iter("mark")] for side in sides[2:]] == [
        ["1968"],
        ["1970, after ten years of work"],
    ]


def test_a_verdict_by_a_person_has_a_reason_and_no_confidence() -> None:
    page = parsed(swapped(every_event(), ConflictDecided, decided_by="person"))
    conflicts = section(page, "conflicts")
    assert "the first statement holds · by a person the register" in conflicts
    assert "confidence" not in conflicts


def test_a_conflict_that_is_open_says_so_and_blames_nobody() -> None:
    conflicts = section(parsed(every_event()[:17]), "conflicts")
    assert "x1 · open: not settled yet" in conflicts
    assert "refuted" not in conflicts
    assert "Verdict" not in conflicts


def test_a_document_that_was_refused_is_listed_with_the_reason() -> None:
    assert "refused: it is an image" in section(parsed(swapped(every_event(), SourceRefused, task=None)), "sources")


def test_a_sentence_without_a_passage_is_told_apart() -> None:
    answer = make_answer().model_copy(update={"text": f"It may be. {NO_PASSAGE}"})
    page = parsed(swapped(every_event(), AnswerGiven, answer=answer))
    assert [said(line) for line in page.find_class("unfounded")] == ["It may be. no passage found"]
    answer = make_answer().model_copy(update={"text": f"It may be. [1] {UNCONFIRMED}"})
    page = parsed(swapped(every_event(), AnswerGiven, answer=answer))
    assert [said(line) for line in page.find_class("unfounded")] == ["It may be. [1] not confirmed"]


def test_markdown_is_read_as_plain_text_and_what_differs_in_it_is_marked() -> None:
    text = "The dam was finished in 1968."
    claims = (make_claim("c2", "e2", text).model_copy(update={"end": len(text) + len("****")}), make_claim())
    conflict = make_conflict().model_copy(update={"claims": claims})
    answer = make_answer().model_copy(update={"rejected": (Rejection(conflict_id="x1", text=text, why="a register"),)})
    first = next(event for event in every_event() if isinstance(event, ConflictOpened))
    events = [event.model_copy(update={"conflict": conflict}) if event == first else event for event in every_event()]
    page = parsed(in_markdown(swapped(events, AnswerGiven, answer=answer)))
    assert "**" not in said(page)
    assert [mark.text for mark in page.xpath("//div[@class='aside rejected']//mark")] == ["1968"]


def test_a_citation_whose_record_is_missing_is_said_to_be() -> None:
    page = parsed(swapped(every_event(), AnswerGiven, answer=make_answer("e77")))
    assert "The record of this passage is not in the session." in section(page, "passages")


@pytest.mark.parametrize("count", range(1, len(every_event()) + 1))
def test_a_session_can_be_reported_at_any_moment(count: int) -> None:
    page = parsed(every_event()[:count])
    finished = count == len(every_event())
    assert ("The session was not finished when this report was written." in said(page)) is not finished


def test_what_it_cost_is_said() -> None:
    facts = said(parsed(every_event()).find_class("facts")[0])
    assert "Cost cost unknown" in facts
    assert "offline · hash" in facts
    assert "2024-05-01 12:00 UTC" in facts


def test_the_address_of_the_session_is_not_given_away(demo: list[Event]) -> None:
    first = demo[0]
    assert first.type == "session_created"
    assert first.session_id not in report(demo, ENGLISH)


def test_the_fixed_words_are_in_the_language_asked_for_and_what_was_said_stays(demo: list[Event]) -> None:
    page = parsed(demo, "zh")
    assert page.get("lang") == "zh-Hans"
    assert section(page, "answer").startswith(translator("zh").say("Answer"))
    assert "The Aswan High Dam was completed in 1970, after ten years of work." in said(page)


def test_the_same_session_is_the_same_file(demo: list[Event]) -> None:
    assert report(demo, ENGLISH) == report(demo, ENGLISH)


# -- safety --------------------------------------------------------------------------------------------------


def skeleton(page: html.HtmlElement) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Elements with the names of their attributes, without the rows of the picture's labels."""
    for element in page.iter(etree.Element):
        if element.tag != "tspan":
            yield element.tag, tuple(sorted(element.attrib))


def test_hostile_content_changes_no_element_and_no_attribute() -> None:
    assert list(skeleton(parsed(worst_events()))) == list(skeleton(parsed(harmless_events())))


def test_hostile_content_is_there_as_text() -> None:
    page = parsed(worst_events())
    for part in ("answer", "conflicts", "timeline", "nodes", "sources", "passages"):
        assert EVIL in section(page, part)


def test_no_character_is_left_that_markup_cannot_hold() -> None:
    text = report(worst_events(), ENGLISH)
    assert not {character for character in text if ord(character) < 32} - {"\n", "\t"}
    assert "\ufffe" not in text


def test_nothing_in_it_runs_or_asks_a_host(demo: list[Event]) -> None:
    for events in (demo, worst_events()):
        page = parsed(events)
        assert page.xpath("string(//meta[@http-equiv='Content-Security-Policy']/@content)") == POLICY
        assert not page.xpath("//script | //img | //iframe | //link | //form | //object | //@src | //base")
        assert not [name for element in page.iter(etree.Element) for name in element.attrib if name.startswith("on")]
        assert "url(" not in report(demo, ENGLISH)


@pytest.mark.browser
@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}])
def test_chromium_shows_it_without_an_error_a_request_or_a_sideways_scroll(
    options: dict[str, object], demo: list[Event], tmp_path: Path, chromium: Browser
) -> None:
    wrong: list[str] = []
    page = chromium.new_page(**options)  # type: ignore[arg-type]
    page.on("console", lambda message: wrong.append(message.text))
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    for name, events in (("demo", demo), ("worst", worst_events())):
        path = tmp_path / f"{name}.html"
        path.write_text(report(events, ENGLISH), encoding="utf-8")
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("typeof window.evil") == "undefined"
    page.close()
    assert wrong == []
