"""Quotations of Markdown documents as plain text, in the view alone."""

from __future__ import annotations

from pathlib import Path

from memory_bank.app.cli.answers import passage_lines
from memory_bank.bank.answer import Answer, Citation, Dispute
from memory_bank.bank.bank import Bank
from memory_bank.bank.events import SourceAdded, SourceRead
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.text.wording import Wording
from memory_bank.views.readable import read_answer, read_conflict, read_insight_doc, read_node, read_record
from tests.builders import make_source
from tests.workbench import workbench

ROW = "| Roof | **Keller** | 48 |"
LINK = "It was finished in [June](https://a.b)."
TEXT = f"| Trade | Firm | Price |\n|---|---|---|\n{ROW}\n\n- {LINK}\n<b>x</b>"


def bank_of(folder: Path, media_type: str) -> Bank:
    """A table and a sentence that another document contradicts."""
    with workbench(folder) as bench:
        bench.begin()
        bench.recorder.record(SourceAdded(source=make_source().model_copy(update={"name": "a.md"})))
        read = SourceRead(source_id="s1", title=None, media_type=media_type, characters=9, pages=0)
        bench.recorder.record(read)
        bench.put("n1", "Trades", TEXT, source="a.md", source_id="s1")
        bench.put("n2", "Trades", "It was finished in July.", source="b.txt")
        claims = [place(ROW), place(LINK)]
        node = bench.bank.query_graph["n1"]
        parts = [
            node.claims[0].model_copy(update={"id": f"c{start}", "text": TEXT[start:end], "start": start, "end": end})
            for start, end in claims
        ]
        bench.bank.query_graph.update_node(node.model_copy(update={"claims": tuple(parts), "summary": TEXT}))
        bench.open_conflict("n1", "n2", (1, 0))
        return bench.bank


def place(part: str) -> tuple[int, int]:
    start = TEXT.index(part)
    return start, start + len(part)


def answer_quoting() -> Answer:
    """An answer that quotes the row, with a dispute about the sentence."""
    side = f"a.md: “{LINK}” [2]"
    said = Wording("Price: {text}", text=f"“{ROW}”")
    return Answer(
        text=f"{said} [1]\n\nIn dispute:\n- {side}\n- b.txt: “It was finished in July.” [3]",
        affirmed=f"{said} [1]",
        disputed=(Dispute(conflict_id="x1", sides=(side, "b.txt: “It was finished in July.” [3]")),),
        citations=tuple(
            Citation(number=number, entry_id="e1", start=start, end=end, source="a.md")
            for number, (start, end) in enumerate(map(place, (ROW, LINK)), start=1)
        ),
        lines=(said,),
    )


def test_an_answer_reads_as_plain_text_and_cites_the_same_places(tmp_path: Path) -> None:
    bank, answer = bank_of(tmp_path, "text/markdown"), answer_quoting()
    read = read_answer(bank, answer)
    assert read.affirmed == "Price: “Trade: Roof · Firm: Keller · Price: 48” [1]"
    assert read.disputed[0].sides[0] == "a.md: “It was finished in June.” [2]"
    assert read.text.endswith("\n".join(f"- {side}" for side in read.disputed[0].sides))
    assert (read.citations, read.lines[0].template) == (answer.citations, "Price: {text}")
    assert passage_lines(bank, answer)[0] == "[1] a.md: Trade: Roof · Firm: Keller · Price: 48"


def test_nodes_and_conflicts_read_as_plain_text(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, "text/markdown")
    node = read_node(bank, bank.query_graph["n1"])
    assert [claim.text for claim in node.claims] == [
        "Trade: Roof · Firm: Keller · Price: 48",
        "It was finished in June.",
    ]
    assert node.summary.endswith("• It was finished in June.\n<b>x</b>")
    assert read_conflict(bank, bank.conflicts["x1"]).claims[0].text == "It was finished in June."


def test_what_is_marked_in_a_passage_is_the_quotation(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, "text/markdown")
    record = read_record(bank, bank.trees.entry("e1"))
    assert record.quote(*place("**Keller**")) == "Keller"
    start, end = record.span(*place(LINK))
    assert (record.text[start - 2 : start], record.text[start:end]) == ("• ", "It was finished in June.")
    assert record.text[end:] == "\n<b>x</b>"


def test_tasks_that_quote_read_as_plain_text(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, "text/markdown")
    task = CompletedTask(
        type="NORMAL", description=Wording("Verify: “{text}”", text=LINK), status="success", context=LINK
    )
    bank.insight_doc = bank.insight_doc.plan(task, None)
    read = read_insight_doc(bank).completed_tasks[0]
    assert (read.description, read.context) == ("Verify: “It was finished in June.”", "It was finished in June.")
    assert isinstance(read.description, Wording)


def test_other_documents_are_left_as_they_are(tmp_path: Path) -> None:
    bank, answer = bank_of(tmp_path, "text/plain"), answer_quoting()
    assert read_answer(bank, answer) == answer
    assert read_node(bank, bank.query_graph["n1"]) == bank.query_graph["n1"]
    assert read_conflict(bank, bank.conflicts["x1"]) == bank.conflicts["x1"]
