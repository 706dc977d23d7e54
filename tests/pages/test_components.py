"""What the components make of plain values."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components import answer, event_feed, merge, passage, query_graph, start_form
from components.look import NODE_STATES, duration, mark_differences, money, plain
from components.query_graph import EdgeKind, GraphEdge, GraphNode
from memory_bank.bank.answer import NO_PASSAGE, UNCONFIRMED, Answer, Citation, Dispute
from memory_bank.bank.events import TextStreamed
from memory_bank.storage.session_store import Upload
from memory_bank.text.difference import difference
from memory_bank.views.graph_look import width
from tests.builders import every_event, make_conflict, make_source
from tests.pages.hostile import EVIL

TEXT = st.text(st.sampled_from("ab <>&\"'$:[]\n1"), max_size=60)


def shown(markup: str) -> str:
    """What a person reads of our markup."""
    return html.unescape(re.sub(r"</?mark>", "", markup))


# -- passages


@given(TEXT, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_marking_changes_no_character(text: str, spans: list[tuple[int, int]]) -> None:
    marked = shown(passage.mark_spans(text, spans))
    rest = marked.removeprefix("…")
    assert text.endswith(rest)
    assert (marked != rest) == (rest != text)


def test_only_the_passage_is_marked() -> None:
    assert passage.mark_spans("a <b> c", [(2, 5)]) == "a <mark>&lt;b&gt;</mark> c"


def test_long_text_is_cut_around_the_passage() -> None:
    text = "x" * 5000 + "HERE" + "y" * 5000
    cut = passage.mark_spans(text, [(5000, 5004)])
    assert "<mark>HERE</mark>" in cut
    assert cut.startswith("…x")
    assert cut.endswith("y…")
    assert len(cut) < 2000


@pytest.mark.parametrize("line", ["A line of a list\n", "Some words of one long line without an end "])
def test_a_passage_is_in_view_when_its_box_opens(line: str) -> None:
    before, _mark, _after = passage.mark_spans(line * 100 + "HERE", [(len(line) * 100, len(line) * 100 + 4)]).partition(
        "<mark>"
    )
    assert before.startswith(("…A line", "…Some", "…words", "…of", "…one", "…long", "…line", "…without", "…an", "…end"))
    assert sum(1 + len(part) // 40 for part in before.split("\n")) <= 12


def drawn_bar(seconds: float, waited: float, **states: tuple[str, int, float]) -> str:
    """What the bar says of documents, each with its state, its size and the share of its text that is in memory."""

    def draw(seconds: float, waited: float, sources: list[dict[str, object]]) -> None:
        from components import progress
        from memory_bank.views.snapshot import SourceProgress

        progress.draw_bar([SourceProgress.model_validate(source) for source in sources], seconds, waited)

    sources = [
        {**dict(make_source()), "id": name, "name": name, "state": state, "bytes": size, "share": share}
        for name, (state, size, share) in states.items()
    ]
    test = AppTest.from_function(draw, kwargs={"seconds": seconds, "waited": waited, "sources": sources}).run()
    (bar,) = test.get("progress")
    return f"{bar.proto.value} {bar.proto.text}"


@pytest.mark.parametrize(
    ("seconds", "states", "told"),
    [
        (2, {"a": ("reading", 100, 0.5)}, "50 0 of 1 document read"),
        (30, {"a": ("reading", 100, 0.05)}, "5 0 of 1 document read"),
        (30, {"a": ("reading", 100, 0.5)}, "50 0 of 1 document read · less than a minute left"),
        (60, {"a": ("reading", 100, 0.5)}, "50 0 of 1 document read · about 1 minute left"),
        (61, {"a": ("reading", 100, 0.5)}, "50 0 of 1 document read · about 2 minutes left"),
        (61, {"a": ("refused", 900, 0.0), "b": ("waiting", 100, 0.0)}, "0 1 of 2 documents read"),
        (
            10,
            {"a": ("in memory", 100, 1.0), "b": ("reading", 300, 0.0)},
            "25 1 of 2 documents read · less than a minute left",
        ),
    ],
)
def test_the_time_left_is_told_in_minutes_and_only_where_it_is_known(
    seconds: float, states: dict[str, tuple[str, int, float]], told: str
) -> None:
    assert drawn_bar(seconds, 0, **states) == told


def test_the_time_left_runs_down_while_nothing_is_added_and_is_not_told_once_it_has_run_out() -> None:
    said = [drawn_bar(100, waited, a=("reading", 100, 0.5)).rpartition(" · ")[2] for waited in (0, 39, 41, 99)]
    assert said == [
        "about 2 minutes left",
        "about 2 minutes left",
        "less than a minute left",
        "less than a minute left",
    ]
    assert "left" not in drawn_bar(100, 101, a=("reading", 100, 0.5))


# -- documents


@pytest.mark.parametrize(
    ("language", "said"), [("zh", "in memory, 2 of 2 topics · language: zh"), (None, "in memory, 2 of 2 topics")]
)
def test_the_language_of_a_document_is_shown_where_it_is_known(language: str | None, said: str) -> None:
    page = AppTest.from_function(_one_document, args=(language,)).run()
    assert said in page.get("html")[0].proto.body
    assert ("language" in page.get("html")[0].proto.body) is (language is not None)


def _one_document(language: str | None) -> None:
    from components import progress
    from memory_bank.views.snapshot import SourceProgress
    from tests.builders import make_source

    source = {**dict(make_source()), "language": language}
    progress.draw_documents([SourceProgress.model_validate({**source, "state": "in memory", "done": 2, "known": 2})])


# -- conflicts and merges


@given(TEXT, TEXT)
def test_differing_words_are_marked_and_nothing_is_lost(first: str, second: str) -> None:
    a, b = (mark_differences(pieces) for pieces in difference(first, second))
    assert (shown(a), shown(b)) == (first, second)


def test_the_word_that_differs_is_marked() -> None:
    first, second = (
        mark_differences(pieces) for pieces in difference("completed in 1968 & open", "completed in 1970 & open")
    )
    assert first == "completed in <mark>1968</mark> &amp; open"
    assert second == "completed in <mark>1970</mark> &amp; open"


@pytest.mark.parametrize(
    ("parts", "merged", "before", "after"),
    [
        (["It is high.\nIt is old."], "It is old. It is high.", ["It is high. It is old."], "It is old. It is high."),
        (
            ["It is high. Done in 1968.", "It is long. Done in 1970."],
            "It is long. Done in 1970. It is high.",
            ["It is high. <mark>Done in 1968.</mark>", "It is long. Done in 1970."],
            "It is long. Done in 1970. It is high.",
        ),
        (
            ["The dam is high."],
            "The dam is very high.",
            ["The dam is high."],
            "The dam is <mark>very </mark>high.",
        ),
        ([""], "New.", [""], "<mark>New.</mark>"),
    ],
)
def test_in_a_merge_only_what_the_other_side_lacks_is_marked(
    parts: list[str], merged: str, before: list[str], after: str
) -> None:
    said, became = merge.diff_merge(parts, merged)
    assert [mark_differences(pieces) for pieces in said] == before
    assert mark_differences(became) == after


@given(st.lists(TEXT, max_size=3), TEXT)
def test_in_a_merge_no_word_is_lost(parts: list[str], merged: str) -> None:
    said, became = merge.diff_merge(parts, merged)
    for text, pieces in zip((*parts, merged), (*said, became), strict=True):
        assert shown(mark_differences(pieces)).split() == text.split()


# -- answer


def test_only_numbers_of_citations_can_be_pressed() -> None:
    given_answer = Answer(
        text="1970: “set\nin two lines [7] [2] of it” [1]\nNext.\n\nIn dispute:\n- 6,650 km [2]\n- 6,695 km",
        affirmed="1970: “set\nin two lines [7] [2] of it” [1]",
        disputed=(Dispute(conflict_id="x1", sides=("6,650 km [2]", "6,695 km")),),
        citations=tuple(Citation(number=n, entry_id="e1", start=0, end=1, source="a.pdf", page=n) for n in (1, 2)),
    )
    first, second, dispute = answer.blocks(given_answer, {})
    assert [(piece.text, piece.link) for piece in first.segments] == [
        ("1970: “set in two lines [7] [2] of it” ", None),
        ("1", "1"),
    ]
    assert first.segments[1].label == "Citation 1: a.pdf, p. 1"
    assert [piece.text for piece in second.segments] == ["Next."]
    assert dispute.kind == "dispute"
    assert [piece.link for piece in dispute.segments] == [None, "2", None, None]


def test_a_sentence_that_its_citation_does_not_confirm_says_so_after_it() -> None:
    given_answer = Answer(
        text=f"It is high. [1] {UNCONFIRMED}",
        affirmed="",
        citations=(Citation(number=1, entry_id="e1", start=0, end=1, source="a.pdf"),),
    )
    (block,) = answer.blocks(given_answer, {})
    assert block.kind == "unfounded"
    assert [(piece.text, piece.link) for piece in block.segments] == [
        ("It is high. ", None),
        ("1", "1"),
        (f" {UNCONFIRMED}", None),
    ]


def test_a_written_sentence_may_rest_on_several_passages_and_a_weaker_one_on_none() -> None:
    given_answer = Answer(
        text=f"It was finished in 1970, as [2] says. [1][2]\nIt is high. {NO_PASSAGE}\nIt is long. [2]",
        affirmed="It was finished in 1970, as [2] says. [1][2]\nIt is long. [2]",
        citations=tuple(Citation(number=n, entry_id="e1", start=0, end=1, source="a.pdf") for n in (1, 2)),
    )
    blocks = list(answer.blocks(given_answer, {}))
    assert [block.kind for block in blocks] == ["text", "unfounded", "text"]
    assert [(piece.text, piece.link) for piece in blocks[0].segments] == [
        ("It was finished in 1970, as [2] says. ", None),
        ("1", "1"),
        ("2", "2"),
    ]
    assert [piece.text for piece in blocks[1].segments] == [f"It is high. {NO_PASSAGE}"]


@given(st.lists(st.tuples(TEXT, TEXT), max_size=3))
def test_disputes_are_not_told_twice(sides: list[tuple[str, str]]) -> None:
    disputed = tuple(Dispute(conflict_id="x1", sides=side) for side in sides)
    said = ["It is high. [1]", *("In dispute:\n" + "\n".join(f"- {text}" for text in side) for side in sides)]
    blocks = list(answer.blocks(Answer(text="\n\n".join(said), affirmed="", disputed=disputed), {}))
    assert [block.kind for block in blocks] == ["text", *["dispute"] * len(sides)]


@pytest.mark.parametrize(("checked", "words"), [(True, "no evidence settles it"), (False, "this has not been checked")])
def test_only_a_dispute_that_was_verified_is_called_unsettled(checked: bool, words: str) -> None:  # noqa: FBT001
    disputed = (Dispute(conflict_id="x1", sides=("6,650 km", "6,695 km"), checked=checked),)
    (dispute,) = answer.blocks(Answer(text="", affirmed="", disputed=disputed), {})
    assert dispute.title == f"In dispute: {words}"
    (told,) = answer.blocks(Answer(text="", affirmed="", disputed=disputed), {"x1": make_conflict()})
    assert told.title == "The dam was finished: 1970 or 1968"
    assert told.segments[0].text == f"In dispute: {words}"


def test_a_comparison_is_a_table_with_its_citations() -> None:
    text = "## Fee\n\nA: “It is 5.” [1]\nB: “It is 6.” [1]\n\n## Time\n\nB: “An hour.” [1]"
    citation = Citation(number=1, entry_id="e1", start=0, end=1, source="a.md")
    table, alone = answer.blocks(Answer(text=text, affirmed=text, citations=(citation,)), {})
    assert table.kind == "table"
    assert [["".join(piece.text for piece in cell) for cell in row] for row in table.rows] == [
        ["", "A", "B"],
        ["Fee", "“It is 5.” 1", "“It is 6.” 1"],
    ]
    assert alone.title == "Time"
    assert alone.segments[0].text == "B: “An hour.” "


def test_an_answer_that_affirms_nothing_says_what_it_says() -> None:
    (only,) = answer.blocks(Answer(text="The documents hold no answer.", affirmed=""), {})
    assert only.segments[0].text == "The documents hold no answer."


# -- graph


def node(node_id: str, topic: str = "The dam", **given: object) -> GraphNode:
    return GraphNode(**{"id": node_id, "topic": topic, "state": "active", "records": 1} | given)  # type: ignore[arg-type]


def test_open_conflict_is_a_thick_dashed_vermilion_line_with_a_word() -> None:
    line = query_graph.vis_edge(GraphEdge(("n1", "n2"), "conflict"))
    assert (line["color"], line["width"], bool(line["dashes"]), line["label"]) == ("#D55E00", 4, True, "conflict")


def test_of_a_relation_no_more_is_sent_than_its_ends() -> None:
    line = query_graph.vis_edge(GraphEdge(("n1", "n2")))
    assert line == {"id": "n1 n2", "from": "n1", "to": "n2"}


def test_lines_between_the_same_nodes_are_told_apart() -> None:
    kinds: tuple[EdgeKind, ...] = ("related", "conflict", "dispute", "became")
    assert len({query_graph.edge_id(GraphEdge(("n1", "n2"), kind)) for kind in kinds}) == len(kinds)


def test_no_title_is_given_to_the_library_as_text() -> None:
    """vis-network may read a title that is a string as markup; ours makes an element of `words`."""
    drawn = query_graph.vis_node(node("n1", EVIL))
    assert "title" not in drawn
    assert EVIL in drawn["words"]


def test_a_state_is_a_shape_and_a_word_too() -> None:
    drawn = [query_graph.vis_node(node("n1", state=state)) for state in NODE_STATES]
    assert len({(one["shape"], state in ("new", "merged")) for one, state in zip(drawn, NODE_STATES, strict=True)}) > 6
    assert all(look.word in one["words"] for one, look in zip(drawn, NODE_STATES.values(), strict=True))


@pytest.mark.parametrize(
    ("topic", "label"),
    [
        ("The Nile: reading notes: The river", "n1 The river"),
        ("A very long name of a topic that goes on and on", "n1 A very long\nname of a topic…"),
        ("Donaudampfschifffahrtsgesellschaft", "n1\nDonaudampfschifffa…"),
        ("尼罗河与阿斯旺高坝的水位记录", "n1 尼罗河与阿斯旺\n高坝的水位记录"),
        ("", "n1"),
    ],
)
def test_labels_are_short(topic: str, label: str) -> None:
    assert query_graph.vis_node(node("n1", topic))["label"] == label


@given(st.text(st.sampled_from("abc  :尼罗河"), max_size=80))
def test_labels_are_never_wider_than_the_room_of_a_node(topic: str) -> None:
    lines = query_graph.vis_node(node("n1", topic, since="added"))["label"].split("\n")
    assert len(lines) <= 2
    assert all(width(line.removesuffix("…")) <= 18 for line in lines)


def test_what_has_happened_since_is_said_beside_a_contradiction() -> None:
    drawn = query_graph.vis_node(node("n1", state="conflicting", since="added"))
    assert drawn["label"].startswith(NODE_STATES["added"].glyph)
    assert "in conflict, added since" in drawn["words"]


def test_the_library_is_pyvis_own_and_asks_nobody() -> None:
    script = query_graph._library()
    assert "vis-network" in script[:100]
    assert "sourceMappingURL" not in script


# -- the rest


@pytest.mark.parametrize("text", [EVIL, "a\nb", "1. list", "# head", "a:smile:b"])
def test_plain_text_survives_a_label(text: str) -> None:
    label = plain(text)
    assert "\n" not in label
    assert not re.search(r"(?<!\\)[<\[\]()*_`$#:]", label), "every character with a meaning is escaped"
    assert not re.search(r":[a-z]", label), "no icon code is left whole"


def test_copies_are_left_out_by_name_and_empty_files_go_to_the_session() -> None:
    class File(Upload):
        def getvalue(self) -> bytes:
            return self.data

    files = [File("a.txt", b"one"), File("b.txt", b"one"), File("c.txt", b""), File("d.txt", b" ")]
    filled = start_form.read_input(" a\ntask ", files, [], "pasted")
    assert filled.task == "a task"
    assert [upload.name for upload in filled.documents] == ["a.txt", "c.txt", "d.txt", "pasted text.txt"]
    assert filled.remarks == ("b.txt was left out: it is the same as a.txt.",)
    assert filled.error is None


def test_times_are_told_in_full() -> None:
    assert [duration(seconds) for seconds in (0, 42.9, 61, 3723)] == ["00:00", "00:42", "01:01", "1:02:03"]


@pytest.mark.parametrize(
    ("usd", "said"),
    [(None, "cost unknown"), (0.0, "0.00 $"), (0.0042, "0.0042 $"), (0.1, "0.10 $"), (12.345, "12.35 $")],
)
def test_money_is_told_with_the_digits_that_matter(usd: float | None, said: str) -> None:
    assert money(usd) == said


def test_pieces_of_speech_have_no_line() -> None:
    told = [event for event in every_event() if event.type != "text_streamed"]
    events = [*told, *(TextStreamed(task_id="t1", text="word ") for _ in range(100))]
    assert event_feed.visible_events(events) == told
