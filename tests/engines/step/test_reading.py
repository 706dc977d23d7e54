"""Parsing an agent's answer: sentence by sentence, or as a verdict with its evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from memory_bank.agents.react import StepResult
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import InvalidOutputError
from memory_bank.bank.message import Message
from memory_bank.engines.step.reading import MOST_SENTENCES, answer_text, new_tool_results, read_step
from memory_bank.judgement.grounding import Grounding
from memory_bank.judgement.judge import NoJudge
from memory_bank.search.hash_embedder import HashEmbedder
from tests.engines.offline.fake_tools import FakeTools

KENT, WORKED, SMOCK = "Beacon Mill stands in Kent.", "It was last worked in 1955.", "It is a smock mill."
SAILS = "Beacon Mill has four sails."
DOCUMENTS = {
    "guide.txt": f"{KENT} {WORKED} It cost 3 pounds.",
    "survey.txt": f"Beacon Mill was last worked in 1921. {SMOCK}",
    "zh.txt": "信标磨坊位于肯特郡。磨坊建于1772年。",
}
READ = Message(role="tool", name="deep_retrieval", content="e1 · guide.txt", from_memory=True)
FOUND = Message(role="tool", name="search", content=f"{SAILS} It was sold in 1930.", source="register.txt", page=7)

GROUNDING = Grounding(HashEmbedder(), NoJudge())


def memory() -> FakeTools:
    return FakeTools(DOCUMENTS)


def read(said: str, tools: Sequence[Message] = (READ, FOUND), of: FakeTools | None = None) -> StepResult:
    known = of or memory()
    messages = [*tools, Message(role="assistant", content=said)]
    return read_step(known.prompt("Where does Beacon Mill stand?"), messages, known, GROUNDING)


def lines(result: StepResult) -> list[tuple[str | None, list[str]]]:
    """The statements, each with its passages."""
    return [(statement.text, [quote.text for quote in statement.quotes]) for statement in result.statements]


# -- the answer in what was said -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("<answer>a</answer>", "a"),
        ("a", "a"),
        ("<answer>a", "a"),
        ("a</answer>", "a"),
        ("a <answer>", "a"),
        ("<ANSWER>a</Answer>", "a"),
        ("<answer >a</answer >", "a"),
        ('<answer lang="en">a</answer>', "a"),
        ("<answer><answer>a</answer></answer>", "a"),
        ("I will write <answer>…</answer>. <answer>a</answer>", "a"),
        ("<answer>a</answer><answer></answer>", "a"),
        ("<answer>\n</answer>\na", "a"),
        ("<answer></answer>", ""),
        ("", ""),
        ("<think>b</think><answer>a</answer>", "a"),
        ("<think>b <answer>c</answer></think>a", "a"),
        ("<think>b", ""),
        ("<tool_call>{}</tool_call>a", "a"),
        ("<answer>a<tool_call>{</answer>", "a"),
        ("a<tool_call>{", "a"),
        ("<tool_response>a</tool_response>", "a"),
        ("<answers>a</answers>", "<answers>a</answers>"),
        ("a < b", "a < b"),
    ],
)
def test_the_answer_is_found_whatever_became_of_its_tags(said: str, answer: str) -> None:
    assert answer_text(said) == answer


# -- sentences and marks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "Beacon Mill stands in Kent [n1].",
        "Beacon Mill stands in Kent[n1].",
        "Beacon Mill stands in Kent. [n1]",
        "Beacon Mill stands in Kent.[n1]",
        "Beacon Mill stands in Kent [n1]. [n1]",
        "Beacon Mill stands in Kent. [n1].",
        "[n1] Beacon Mill stands in Kent.",
        "Beacon Mill stands in Kent [n1, n2].",
        "Beacon Mill stands in Kent [n1; r1].",
        "Beacon Mill stands in Kent [n1 and r1].",
        "Beacon Mill stands in Kent [n1][r1].",
        "Beacon Mill stands in Kent [n1] [r1].",
        "Beacon Mill stands in Kent. [n1] [r1]",
        "Beacon Mill stands in Kent [N1].",
        "Beacon Mill stands in Kent (n1).",
        "Beacon Mill stands in Kent ([n1]).",
        "Beacon Mill stands in Kent [node n1].",
        "Beacon Mill stands in Kent [n1: guide.txt].",
        "Beacon Mill stands in Kent 【n1】.",
        "According to [n1], Beacon Mill stands in Kent.",
        "Beacon Mill [n1] stands in Kent.",
        "**Beacon Mill** stands in *Kent* [n1].",
        "`Beacon Mill` stands in __Kent__. **[n1]**",
        "- Beacon Mill stands in Kent [n1].",
        "1. Beacon Mill stands in Kent [n1].",
        "• Beacon Mill stands in Kent. [n1]",
        "As stated in [n1], Beacon Mill stands in Kent.",
        "Per [n1], Beacon Mill stands in Kent.",
        "Beacon Mill stands in Kent, according to [n1].",
        "Beacon Mill stands in Kent (see [n1]).",
        "Beacon Mill stands in Kent (source: [n1]).",
        "Beacon Mill stands in Kent ([n1], [n1]).",
        "Beacon Mill stands in Kent. [n1], [n1]",
        "Beacon Mill stands in Kent [n1, p. 3].",
        "Beacon Mill stands in Kent [n1 (guide-r3.txt)].",
        "Beacon Mill stands in Kent [n1: report r3].",
        "Beacon Mill stands in Kent [n1/n2].",
        "Beacon Mill stands in Kent [n1–n2].",
        "Beacon Mill stands in Kent [Source: n1].",
        "Beacon Mill stands in Kent [^n1].",
        "> Beacon Mill stands in Kent. [n1]",
        "**Beacon Mill stands in Kent.** [n1]",
    ],
)
def test_a_mark_leads_to_its_passage_wherever_it_is_put_and_is_not_shown(said: str) -> None:
    result = read(f"<answer>{said}</answer>")
    assert lines(result) == [(KENT, [KENT])]
    assert result.answer == KENT
    assert result.remarks == ()


@pytest.mark.parametrize(
    "said",
    [
        "In winter [n1], Beacon Mill is closed.",
        "In Kent [n1], the mill is closed.",
        "By 1955 [n1], the mill was closed.",
        "It is a mill (wooden [n1]).",
        "It is a mill (built in 1772 [n1]).",
    ],
)
def test_words_before_a_mark_that_say_something_stay(said: str) -> None:
    assert lines(read(said))[0][0] == said.replace(" [n1]", "")


@pytest.mark.parametrize(
    "said",
    [
        f"{KENT} [n1], [n3] {SMOCK} [n2]",
        f"**{KENT}** [n1] {SMOCK} [n2]",
        f"**{KENT}** {SMOCK}",
        f"In short:\n{KENT} [n1]\n{SMOCK} [n2]",
    ],
)
def test_sentences_are_told_apart_whatever_marks_and_emphasis_stand_between(said: str) -> None:
    assert lines(read(said)) == [(KENT, [KENT]), (SMOCK, [SMOCK])]


def test_a_row_of_a_table_is_said_with_the_heads_of_its_columns() -> None:
    said = (
        "| Mill | Last worked | Source |\n|:---|---:|---|\n| Beacon Mill | 1921 | [n2] |\n"
        f"| Post **Mill** | 1930 [r1] | |\n\n{SMOCK} [n2]"
    )
    result = read(said)
    assert [text for text, _quotes in lines(result)] == [
        "Mill: Beacon Mill; Last worked: 1921",
        "Mill: Post Mill; Last worked: 1930",
        SMOCK,
    ]
    assert lines(result)[0][1] == ["Beacon Mill was last worked in 1921."]
    assert not any("marks" in remark.what for remark in result.remarks)


@pytest.mark.parametrize(
    "said", [f"{KENT} [n1] {SMOCK} [n2]", f"{KENT}[n1] {SMOCK}[n2]", f"- {KENT} [n1]\n- {SMOCK} [n2]"]
)
def test_marks_after_the_full_stop_belong_to_the_sentence_before_them(said: str) -> None:
    assert lines(read(said)) == [(KENT, [KENT]), (SMOCK, [SMOCK])]


@pytest.mark.parametrize(
    "said", ["信标磨坊位于肯特郡[n3]。磨坊建于1772年[n3]。", "信标磨坊位于肯特郡。[n3]磨坊建于1772年。【n3】"]
)
def test_chinese_sentences_are_read_the_same(said: str) -> None:
    first, second = "信标磨坊位于肯特郡。", "磨坊建于1772年。"
    assert lines(read(said)) == [(first, [first]), (second, [second])]


def test_a_list_in_bold_with_a_heading_is_its_sentences() -> None:
    said = f"# Summary\n\n**Findings:**\n\n* **Where**: {KENT} [n1]\n* It was last worked in **1955** [n1]\n2) {SMOCK}"
    result = read(said)
    assert lines(result) == [(f"Where: {KENT}", [KENT]), (WORKED[:-1], [WORKED]), (SMOCK, [SMOCK])]
    assert {remark.what for remark in result.remarks} == {
        "a heading, no sentence: Summary",
        "a heading, no sentence: Findings",
    }


@pytest.mark.parametrize(
    ("second", "headings"),
    [
        ("**A smock mill:**", ["Beacon Mill", "A smock mill"]),
        ("**A smock mill [n1]**", [None, None]),  # it cites, so it is read as a sentence
        ("**The owner burned it**", [None, None]),  # it says what nothing under it does
        ("**It was built in 1772:**", [None, None]),
        ("**It is a smock mill.**", [None, None]),
        ("**—**", [None, None]),
    ],
)
def test_headings_of_an_answer_in_parts_stand_above_these_where_they_state_nothing(
    second: str, headings: list[str | None]
) -> None:
    result = read(f"# Beacon Mill\n\n{KENT} [n1]\n\n{second}\n\n{SMOCK} [n1]")
    shown = {one.text: one.heading for one in result.statements}
    assert [shown[KENT], shown[SMOCK]] == headings


def test_what_says_nothing_is_not_affirmed_whatever_it_cites() -> None:
    assert lines(read(f"Beacon Mill stands in Kent, so the answer is: [n1]\n\n{KENT} [n1]")) == [(KENT, [KENT])]
    asked = "Does Beacon Mill stand in Kent?"
    assert lines(read(f"{asked} [n1]\n\n{KENT} [n1]")) == [(asked, []), (KENT, [KENT])]


def test_a_bold_line_that_is_borne_is_no_heading() -> None:
    assert lines(read("**It was last worked in 1955.**")) == [(WORKED, [WORKED])]


def test_a_name_that_begins_with_a_dot_stays_apart_from_the_word_before_it() -> None:
    (told, _passages) = lines(read("The key is kept in `.streamlit/secrets.toml` , not in the code ."))[0]
    assert told == "The key is kept in .streamlit/secrets.toml, not in the code."


def test_a_number_in_brackets_is_no_mark_and_never_looks_like_a_citation() -> None:
    result = read("It cost 3 pounds [3].")
    assert lines(result) == [("It cost 3 pounds.", ["It cost 3 pounds."])]
    assert [remark.what for remark in result.remarks] == ["marks that lead nowhere: [3]"]
    assert lines(read("The mill was sold [1930]."))[0][0] == "The mill was sold [1930]."


@pytest.mark.parametrize("mark", ["n99", "r2", "r0", "n0", "r999999999"])
def test_an_unknown_mark_is_noted_and_the_sentence_found_where_it_stands(mark: str) -> None:
    result = read(f"Beacon Mill stands in Kent [{mark}].")
    assert lines(result) == [(KENT, [KENT])]
    assert [(remark.kind, remark.what) for remark in result.remarks] == [
        ("dropped", f"marks that lead nowhere: {mark}")
    ]


def test_the_first_new_result_is_r1_whatever_was_read_from_memory() -> None:
    assert new_tool_results([READ, FOUND, READ, FOUND.model_copy(update={"content": "b"})])[1].content == "b"
    (statement,) = read(f"{SAILS} [r1]").statements
    (quote,) = statement.quotes
    assert (quote.source, quote.entry_id, quote.text) == ("register.txt", None, SAILS)
    messages = [FOUND, Message(role="assistant", content="Beacon Mill has four sails [r8].")]
    marked = read_step(memory().prompt("x"), messages, memory(), GROUNDING, marked={8: FOUND})
    assert marked.remarks == ()


@pytest.mark.parametrize("said", ["", "…", "...", "[n1]", "**", "- ", "<answer>[n1][r1]</answer>", "[1]", "| | |"])
def test_what_says_nothing_is_no_statement(said: str) -> None:
    assert read(said).statements == ()


def test_what_no_passage_bears_is_kept_without_one_and_noted() -> None:
    result = read("Beacon Mill was moved to Mars in 3021 [n1].")
    assert lines(result) == [("Beacon Mill was moved to Mars in 3021.", [])]
    assert [remark.kind for remark in result.remarks] == ["dropped"]


def test_an_endless_answer_is_cut_and_that_is_noted() -> None:
    result = read(" ".join(f"The mill has {n} steps." for n in range(100, 200)))
    assert len(result.statements) == MOST_SENTENCES
    assert "after its first 60 sentences" in result.remarks[0].what


def test_the_last_word_of_the_agent_is_the_answer_not_the_last_message() -> None:
    known = memory()
    said = [Message(role="assistant", content="Nothing."), Message(role="assistant", content=f"{KENT} [n1]"), FOUND]
    assert lines(read_step(known.prompt("x"), said, known, GROUNDING)) == [(KENT, [KENT])]
    assert read_step(known.prompt("x"), [], known, GROUNDING).answer == ""


@pytest.mark.parametrize(
    ("verdict", "stated", "dropped"),
    [
        ("second", "1921", "1955"),
        ("first", "1955", "1921"),
        ("neither", None, "1955"),
        ("inconclusive", None, "1921"),
        (None, None, "1955"),
    ],
)
def test_what_was_refuted_or_is_in_dispute_is_not_stated(
    verdict: Verdict | None, stated: str | None, dropped: str
) -> None:
    known = memory()
    known.disagree("1955", "1921", verdict)
    said = "It was last worked in 1955 [n1]. Beacon Mill was last worked in 1921 [n2]."
    result = read(said, of=known)
    assert [text[-5:-1] for text, quotes in lines(result) if text and quotes] == ([stated] if stated else [])
    assert any("disputed or refuted" in remark.what and dropped in remark.what for remark in result.remarks)
    assert result.conflicts == ("x1",)


def test_of_claims_that_are_compatible_both_are_stated() -> None:
    known = memory()
    known.disagree("1955", "1921", "both")
    said = "It was last worked in 1955 [n1]. Beacon Mill was last worked in 1921 [n2]."
    assert all(quotes for _text, quotes in lines(read(said, of=known)))


BOTH = "The guide says that it was last worked in 1955, the survey in 1921 [x1]."


@pytest.mark.parametrize(
    ("verdict", "said", "quoted"),
    [
        (None, BOTH, [WORKED, "Beacon Mill was last worked in 1921."]),
        ("inconclusive", BOTH, [WORKED, "Beacon Mill was last worked in 1921."]),
        (None, "It was last worked in 1955 [x1].", None),
        ("second", "Beacon Mill was last worked in 1921 [x1].", ["Beacon Mill was last worked in 1921."]),
        ("second", "It was last worked in 1955 [x1].", None),
    ],
)
def test_a_conflict_is_cited_by_its_mark_and_neither_taken_side_nor_refuted_claim_is_kept(
    verdict: Verdict | None, said: str, quoted: list[str] | None
) -> None:
    known = memory()
    known.disagree("1955", "1921", verdict)
    result = read(said, of=known)
    assert [passages for _text, passages in lines(result)] == ([quoted] if quoted else [])
    assert result.conflicts == ("x1",)
    assert [remark.what for remark in result.remarks if "disputed or refuted (x1)" in remark.what] == (
        [] if quoted else [f"rests on a claim that is disputed or refuted (x1): {said[:-6]}."]
    )


def test_twice_in_brackets_is_no_conflict() -> None:
    assert lines(read("Beacon Mill stands (x2) in Kent [n1]."))[0][0] == "Beacon Mill stands (x2) in Kent."


def test_the_conflict_for_which_a_sentence_was_left_out_goes_to_the_answer() -> None:
    """Though the question is about something else: the person sees what became of the sentence."""
    known = memory()
    known.disagree("1955", "1921", "neither")
    messages = [Message(role="assistant", content="It was last worked in 1955 [n1].")]
    result = read_step(known.prompt("Who sells fish here?"), messages, known, GROUNDING)
    assert (result.statements, result.conflicts) == ((), ("x1",))


# -- verdicts ------------------------------------------------------------------------------------------------


def judge(evidence: object, verdict: str = "second", tools: Sequence[Message] = (READ, FOUND)) -> StepResult:
    known = FakeTools({**DOCUMENTS, "third.txt": "The register of 1930 says it was last worked in 1921."})
    conflict = known.disagree("1955", "1921")
    said = {"verdict": verdict, "reason": "So it is.", "confidence": 0.8, "evidence": evidence}
    messages = [*tools, Message(role="assistant", content=f"<answer>{json.dumps(said)}</answer>")]
    return read_step(known.prompt("Verify x1.", conflict), messages, known, GROUNDING)


def item(cite: str, quote: str, supports: str) -> dict[str, str]:
    return {"cite": cite, "quote": quote, "supports": supports}


NEW = item("r1", "It was sold in 1930.", "second")
ENTRY = item("n4", "it was last worked in 1921", "second")
PARTY = item("n1", WORKED, "first")


@pytest.mark.parametrize(
    ("verdict", "evidence", "ends"),
    [
        ("second", [NEW], "second"),
        ("second", [ENTRY], "second"),
        ("second", [PARTY, NEW], "second"),
        ("second", [item("r1", "It was sold in 1930.", "first")], "inconclusive"),
        ("second", [], "inconclusive"),
        ("first", [PARTY], "inconclusive"),
        ("first", [item("n4", "it was last worked in 1921", "first")], "first"),
        ("neither", [item("r1", "It was sold in 1930.", "neither")], "neither"),
        ("neither", [NEW], "inconclusive"),
        ("both", [PARTY], "both"),
        ("both", [], "inconclusive"),
        ("inconclusive", [], "inconclusive"),
        ("inconclusive", [NEW], "inconclusive"),
    ],
)
def test_a_verdict_needs_a_passage_from_somebody_who_is_no_party(
    verdict: str, evidence: list[dict[str, str]], ends: str
) -> None:
    result = judge(evidence, verdict)
    assert result.verification is not None
    assert result.verification.verdict == ends
    assert [remark.kind for remark in result.remarks] == ([] if ends == verdict else ["repaired"])
    assert len(result.verification.evidence) == len(evidence)
    assert result.answer.startswith(f"{result.verification.verdict}: ")
    assert result.statements == ()


def verdicts_on(*also: dict[str, object], others: bool = True) -> StepResult:
    known = FakeTools({**DOCUMENTS, "third.txt": "It is a smock mill, or a tower mill. It stands in Sussex."})
    first, second = known.disagree("1955", "1921"), known.disagree("Kent", "Sussex")
    evidence = [item("r1", "It was sold in 1930.", "second")]
    said = {"verdict": "second", "reason": "So.", "confidence": 0.8, "evidence": evidence, "also": list(also)}
    prompt = known.prompt("Verify x1.", first).model_copy(update={"others": (second,) if others else ()})
    return read_step(prompt, [FOUND, Message(role="assistant", content=json.dumps(said))], known, GROUNDING)


def further(conflict: str, verdict: str = "first", cite: str = "r1", supports: str = "first") -> dict[str, object]:
    evidence = [item(cite, SAILS, supports)]
    return {"conflict": conflict, "verdict": verdict, "reason": "So.", "confidence": 0.7, "evidence": evidence}


@pytest.mark.parametrize("name", ["x2", "[x2]", "X2"])
def test_what_a_search_found_may_settle_further_conflicts(name: str) -> None:
    result = verdicts_on(further(name))
    assert result.verification is not None
    assert (result.verification.conflict_id, result.verification.verdict) == ("x1", "second")
    assert [(each.conflict_id, each.verdict) for each in result.also] == [("x2", "first")]


@pytest.mark.parametrize(
    ("also", "others"),
    [
        ([further("x1")], True),
        ([further("x9")], True),
        ([further("x2")], False),
        ([further("x2", "inconclusive")], True),
        ([further("x2", cite="n1")], True),
        ([further("x2", supports="all")], True),
        ([further("x2", supports="second")], True),
    ],
)
def test_a_further_conflict_stays_open_without_a_verdict_that_a_passage_bears(
    also: list[dict[str, object]],
    others: bool,  # noqa: FBT001
) -> None:
    result = verdicts_on(*also, others=others)
    assert result.also == ()
    assert result.verification is not None
    assert result.verification.verdict == "second"


def test_of_two_verdicts_on_a_further_conflict_the_first_counts() -> None:
    result = verdicts_on(further("x2"), further("x2", "second", supports="second"))
    assert [each.verdict for each in result.also] == ["first"]
    assert any("not asked for" in remark.what for remark in result.remarks)


@pytest.mark.parametrize(("supports", "kept"), [("both", 1), ("neither", 1), ("none", 0)])
def test_a_passage_that_bears_on_neither_is_no_evidence(supports: str, kept: int) -> None:
    verification = judge([item("r1", SAILS, supports)], "inconclusive").verification
    assert verification is not None
    assert len(verification.evidence) == kept


def test_evidence_is_the_passage_as_it_stands_with_its_source_and_page() -> None:
    result = judge([item(" [r1] ", "it was SOLD  in 1930", "second"), ENTRY])
    assert result.verification is not None
    found, entry = result.verification.evidence
    assert (found.source, found.passage, found.page, found.entry_id) == ("register.txt", "It was sold in 1930", 7, None)
    assert (entry.source, entry.passage, entry.page, entry.entry_id) == (
        "third.txt",
        "it was last worked in 1921",
        None,
        "e4",
    )


@pytest.mark.parametrize(
    ("metadata", "page"),
    [({}, None), ({"page": 3}, 3), ({"pages": [[0, 3], [20, 4]]}, 4), ({"page": 3, "pages": [[0, 3], [90, 4]]}, 3)],
)
def test_evidence_in_an_entry_has_the_page_it_stands_on(metadata: dict[str, object], page: int | None) -> None:
    known = FakeTools({**DOCUMENTS, "third.txt": "The register of 1930 says it was last worked in 1921."})
    entry = known.entries["n4"]
    known.entries["n4"] = entry.model_copy(update={"metadata": {**entry.metadata, **metadata}})
    conflict = known.disagree("1955", "1921")
    said = {"verdict": "second", "reason": "", "confidence": 1, "evidence": [ENTRY]}
    messages = [Message(role="assistant", content=json.dumps(said))]
    result = read_step(known.prompt("Verify x1.", conflict), messages, known, GROUNDING)
    assert result.verification is not None
    assert [evidence.page for evidence in result.verification.evidence] == [page]


@pytest.mark.parametrize("cite", ["r1", "[r1]", "R1", "r1, p. 7", "register.txt [r1]", "tool result r1", "n99, r1"])
def test_a_place_may_be_named_in_many_ways(cite: str) -> None:
    result = judge([item(cite, "It was sold in 1930.", "second")])
    assert result.verification is not None
    assert result.verification.verdict == "second"


@pytest.mark.parametrize("cite", ["", "r", "r99", "register.txt", "../r1x", "n1r1"])
def test_evidence_that_is_nowhere_is_dropped_and_noted(cite: str) -> None:
    result = judge([item(cite, "It was sold in 1930.", "second")])
    assert result.verification is not None
    assert result.verification.evidence == ()
    assert [remark.kind for remark in result.remarks] == ["dropped", "repaired"]


def test_the_record_of_an_earlier_verification_is_no_evidence() -> None:
    known = memory()
    conflict = known.disagree("1955", "1921")
    entry = known.entries["n3"]
    record = entry.model_copy(update={"text": "It was 1921.", "metadata": {"source": "v", "conflict_id": "x0"}})
    known.entries["n3"] = record
    said = {"verdict": "second", "reason": "", "confidence": 1, "evidence": [item("n3", "It was 1921.", "second")]}
    messages = [Message(role="assistant", content=json.dumps(said))]
    result = read_step(known.prompt("Verify x1.", conflict), messages, known, GROUNDING)
    assert result.verification is not None
    assert result.verification.verdict == "inconclusive"


@pytest.mark.parametrize("said", ["", "the second", "{}", '{"verdict": "maybe"}', '{"verdict": "first"}', "<think>…"])
def test_a_verdict_that_cannot_be_read_is_an_error_with_what_was_said(said: str) -> None:
    known = memory()
    conflict = known.disagree("1955", "1921")
    messages = [Message(role="assistant", content=said)]
    with pytest.raises(InvalidOutputError, match="verdict cannot be read") as raised:
        read_step(known.prompt("Verify x1.", conflict), messages, known, GROUNDING)
    assert raised.value.said == answer_text(said)
