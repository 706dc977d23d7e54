"""Answers from a small memory: quoted, exact, the value first, and none rather than something off the point."""

from __future__ import annotations

import pytest

from memory_bank.agents.react import Statement, StepResult
from memory_bank.bank.conflict import Verdict
from memory_bank.engines.offline.answering.passages import LONGEST_QUOTE, RUN_ON
from memory_bank.engines.offline.answering.question import answer
from memory_bank.engines.offline.answering.selection import MOST_STATEMENTS, MOST_WORDS
from memory_bank.modules.embedding import load_embedder
from tests.engines.offline.memory import Memory

MILL = (
    "Beacon Mill is a smock mill near Benenden in Kent. Beacon Mill was built in 1772 by Humphrey Parrish. "
    "The mill has four floors and is 21 m tall. Its sails were removed after a storm. It last worked in 1955."
)
DAM = (
    "The Aswan High Dam stands on the Nile. It was completed in 1970 after ten years of work. "
    "The dam is 3,830 m long and 111 m high. About 90,000 people had to move. Its reservoir is Lake Nasser."
)
DOCUMENTS = {"mill.txt": MILL, "dam.txt": DAM}


def ask(question: str, memory: Memory | None = None) -> tuple[StepResult, list[str], Memory]:
    """The step's result, what it quotes, and the memory that was asked."""
    memory = memory or Memory(DOCUMENTS)
    result = answer(memory.prompt(question), memory, load_embedder())
    texts = {entry.id: entry.text for entry in memory.entries.values()}
    return result, [_quoted(one, texts) for one in result.statements], memory


def _quoted(statement: Statement, texts: dict[str, str]) -> str:
    """The passage of a statement, which is really in its entry."""
    (quote,) = statement.quotes
    assert quote.entry_id is not None
    assert texts[quote.entry_id][quote.start : quote.end] == quote.text
    return quote.text


def values(result: StepResult) -> list[str | None]:
    return [statement.value for statement in result.statements]


# -- the value first -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "wanted", "quoted"),
    [
        ("When was Beacon Mill built?", "1772", "built in 1772"),
        ("In what year did Beacon Mill last work?", "1955", "last worked in 1955"),
        ("When was the Aswan High Dam completed?", "1970", "completed in 1970"),
        ("How many floors does Beacon Mill have?", "four", "four floors"),
        ("How tall is Beacon Mill?", "21 m", "21 m tall"),
        ("How long is the Aswan High Dam?", "3,830 m", "3,830 m long"),
        ("How many people had to move for the Aswan High Dam?", "90,000", "90,000 people"),
        ("How high is the Aswan High Dam?", "111 m", "111 m high"),
        ("How high is the dam?", "111 m", "111 m high"),
    ],
)
def test_a_value_that_is_asked_for_comes_first_with_its_sentence(question: str, wanted: str, quoted: str) -> None:
    result, quotes, _ = ask(question)
    first = values(result)[0]
    assert first is not None
    assert first.endswith(wanted)
    assert quoted in quotes[0]


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Who built Beacon Mill?", "Humphrey Parrish"),
        ("Where is Beacon Mill?", "Benenden"),
        ("What is the reservoir of the Aswan High Dam?", "Lake Nasser"),
        ("What happened to the sails of Beacon Mill?", "storm"),
    ],
)
def test_a_question_for_no_figure_is_answered_by_its_sentence(question: str, quoted: str) -> None:
    _, quotes, _ = ask(question)
    assert quoted in quotes[0]


def test_a_short_sentence_can_be_the_answer() -> None:
    result, quotes, _ = ask("When did the mill close?", Memory({"a.txt": "The mill closed in 1921."}))
    assert quotes == ["The mill closed in 1921."]
    assert values(result)[0] == "1921"


def test_chinese_is_asked_and_answered() -> None:
    memory = Memory({"a.txt": "武汉长江大桥于1957年建成。它全长1670米。", "b.txt": "熊猫吃竹子。"})
    result, quotes, _ = ask("武汉长江大桥何时建成？", memory)
    assert quotes == ["武汉长江大桥于1957年建成。"]
    assert values(result) == ["1957年"]


def test_each_part_of_a_question_is_answered_in_its_turn() -> None:
    result, quotes, _ = ask("When was Beacon Mill built, and how long is the Aswan High Dam?")
    assert ["1772" in quotes[0], "3,830 m" in quotes[1]] == [True, True]
    assert [str(value)[-7:] for value in values(result)] == ["1772", "3,830 m"]


HISTORIES = (
    "monks who came from Kent and kept sheep and bees beside the marsh",
    "a fire, which took roof and tower in one night of storm and left the font",
    "the bells: five were cast in Dover, and the sixth was bought from a bankrupt abbey",
    "wool merchants paid for the aisle, the porch and a window that shows their ships",
    "soldiers stabled their horses in the nave and burnt the oak screen for warmth",
    "a vicar, who hid silver under the floor and forgot for thirty years where it was",
    "the organ: built for a theatre, it was carried here by barge and by bullock cart",
    "painters found a dragon under whitewash and argued about the colour of its wings",
    "pilgrims wore a hollow in the step and scratched their initials into the door",
)


def test_a_part_after_a_long_answer_is_answered_too() -> None:
    documents = {f"{n}.txt": f"The history of Holt Church has {text}." for n, text in enumerate(HISTORIES)}
    memory = Memory(documents | {"mill.txt": "Beacon Mill was built in 1772."})
    result, quotes, _ = ask("What is the history of Holt Church? When was Beacon Mill built?", memory)
    assert sum(len(quote.split()) for quote in quotes[:-1]) > MOST_WORDS - 30
    assert quotes[-1] == "Beacon Mill was built in 1772."
    assert values(result)[-1] == "1772"


# -- exact, short, and not twice -------------------------------------------------------------------------


def test_every_quote_is_a_whole_sentence_of_its_entry() -> None:
    for question in ("When was Beacon Mill built?", "What is the Aswan High Dam?", "Where is Beacon Mill?"):
        _, quotes, _ = ask(question)
        assert quotes
        assert all(quote in MILL or quote in DAM for quote in quotes)
        assert all(quote.endswith(".") and quote[0].isupper() for quote in quotes)


def test_of_a_long_sentence_the_part_that_answers_is_quoted() -> None:
    before = "After the fire that took the old mill, the barn and the bakehouse of the estate, "
    after = (
        ", while the heirs quarrelled over the fields, the woods, the tithes and the rights to the water of the brook."
    )
    memory = Memory({"a.txt": f"{before}Beacon Mill was built in 1772 by Humphrey Parrish{after}"})
    _, quotes, _ = ask("When was Beacon Mill built?", memory)
    assert len(quotes) == 1
    assert "Beacon Mill was built in 1772" in quotes[0]
    assert len(quotes[0].split()) <= LONGEST_QUOTE + RUN_ON


def test_a_sport_is_a_value() -> None:
    memory = Memory({"a.txt": "Ann Holt is a retired sportswoman. Ann Holt won two medals in figure skating."})
    result, _, _ = ask("What sport is Ann Holt associated with?", memory)
    assert values(result) == ["figure skating"]


def test_what_a_sentence_quoted_already_says_is_not_quoted_again() -> None:
    same = {f"{name}.txt": "Beacon Mill was built in 1772." for name in "abc"}
    other_words = {"d.txt": "In 1772 Humphrey Parrish had Beacon Mill built near Benenden."}
    _, quotes, _ = ask("When was Beacon Mill built?", Memory(same | other_words))
    assert len(quotes) == 1


def test_an_answer_is_bounded() -> None:
    towns = "Ashford Benenden Cranbrook Dover Eltham Faversham Goudhurst Hythe Ightham Keston".split()
    documents = {
        f"{town}.txt": f"The mill of {town} grinds wheat, rye and barley for the bakers of {town}." for town in towns
    }
    _, quotes, _ = ask("What do the mills grind?", Memory(documents))
    assert 1 <= len(quotes) <= MOST_STATEMENTS
    assert sum(len(quote.split()) for quote in quotes) <= MOST_WORDS


def test_headings_are_not_answers() -> None:
    memory = Memory({"a.md": "# When was Beacon Mill built?\n\nBeacon Mill was built in 1772."})
    assert ask("When was Beacon Mill built?", memory)[1] == ["Beacon Mill was built in 1772."]


def test_the_record_of_a_verification_is_no_source() -> None:
    memory = Memory({"a.txt": "Beacon Mill was built in 1772.", "b.txt": "First: Beacon Mill was built in 1999."})
    record = memory.entries["n2"]
    metadata = record.metadata | {"conflict_id": "x1"}
    memory.entries["n2"] = record.model_copy(update={"metadata": metadata})
    assert ask("When was Beacon Mill built?", memory)[1] == ["Beacon Mill was built in 1772."]


# -- several documents -----------------------------------------------------------------------------------


def test_every_thing_of_one_name_is_answered_for() -> None:
    memory = Memory(
        {
            "kent.txt": "Beacon Mill in Kent was built in 1772. It has four floors.",
            "york.txt": "Beacon Mill in Yorkshire was built in 1810. Its sails are white.",
            "list.txt": "Mills of Essex. Beacon Mill near Dunmow, a tower mill, was built in 1866.",
        }
    )
    result, _, _ = ask("When was Beacon Mill built?", memory)
    assert {str(value)[-4:] for value in values(result)} == {"1772", "1810", "1866"}


def test_another_thing_of_the_kind_is_off_the_point() -> None:
    schools = ("Alder School was founded in 1919. It is in Kent.", "Birch School was founded in 1931. It is in York.")
    result, _, _ = ask("When was Alder School founded?", Memory(dict(zip(("a.txt", "b.txt"), schools, strict=True))))
    assert values(result) == ["1919"]


def test_what_both_sides_of_a_dispute_say_is_answered() -> None:
    memory = Memory(
        {
            "a.txt": "Alder Mill was built in 1869 and is 20 m high.",
            "b.txt": "Alder Mill was built in 1905 and is 20 m high.",
            "c.txt": "Alder Mill is 20 m high.",
        }
    )
    memory.disagree("1869", "1905", "inconclusive")
    result, _, _ = ask("How high is Alder Mill?", memory)
    assert values(result) == ["20 m"]


def test_two_documents_of_one_name_are_two_voices() -> None:
    memory = Memory(
        {
            "kent": "Beacon Mill in Kent was built in 1772. It has four floors.",
            "york": "Beacon Mill in Yorkshire was built in 1810. Its sails are white.",
        }
    )
    for number, (node_id, entry) in enumerate(memory.entries.items(), start=1):
        named = {"source": "mill.txt", "source_id": f"s{number}"}
        memory.entries[node_id] = entry.model_copy(update={"metadata": named})
    result, _, _ = ask("When was Beacon Mill built?", memory)
    assert {str(value)[-4:] for value in values(result)} == {"1772", "1810"}


ALTERED = MILL.replace("1772", "1869")


def test_of_two_copies_that_differ_the_one_is_heard_that_another_document_bears_out() -> None:
    other = {"register.txt": "Kent: the smock mill near Benenden, Beacon Mill, dates from 1869."}
    for documents in ({"a.txt": MILL, "b.txt": ALTERED}, {"b.txt": ALTERED, "a.txt": MILL}):
        _, quotes, _ = ask("When was Beacon Mill built?", Memory(documents | other))
        text = " ".join(quotes)
        assert "1869" in text
        assert "1772" not in text


def test_two_copies_that_differ_are_one_voice_where_nothing_bears_either_out() -> None:
    result, _, _ = ask("When was Beacon Mill built?", Memory({"a.txt": MILL, "b.txt": ALTERED}))
    assert values(result) == ["1772"]


def test_a_value_that_a_document_only_mentions_yields_to_those_that_are_about_the_thing() -> None:
    about = {"a.txt": "Beacon Mill is a smock mill in Kent. Beacon Mill was built in 1772 for a baker."}
    aside = {"b.txt": "The stamp that shows Beacon Mill went on sale in 1999 with nine others."}
    result, _, _ = ask("When was Beacon Mill built?", Memory(about | aside))
    assert values(result) == ["1772"]


# -- conflicts -------------------------------------------------------------------------------------------

DISAGREE = {"guide.txt": MILL, "leaflet.txt": "Beacon Mill was built in 1869. It grinds wheat and rye."}


@pytest.mark.parametrize(("verdict", "kept"), [("first", ["1772"]), ("second", ["1869"]), ("neither", [])])
def test_a_refuted_claim_is_never_quoted_and_its_conflict_is_named(verdict: Verdict, kept: list[str]) -> None:
    memory = Memory(DISAGREE)
    conflict = memory.disagree("1772", "1869", verdict)
    result, quotes, _ = ask("When was Beacon Mill built?", memory)
    text = " ".join(quotes)
    assert [year for year in ("1772", "1869") if year in text] == kept
    assert result.conflicts == (conflict.id,)
    assert "1869" not in result.answer or "1869" in kept


def test_a_refuted_claim_is_not_quoted_from_another_document_either() -> None:
    memory = Memory(
        DISAGREE
        | {"diary.txt": "In 1869 Beacon Mill was built, so they say at the inn. In 1869 Beacon Mill was built."}
    )
    memory.disagree("1772", "Beacon Mill was built in 1869", "first")
    _, quotes, _ = ask("When was Beacon Mill built?", memory)
    assert quotes
    assert not any("In 1869 Beacon Mill was built." in quote for quote in quotes)


def test_both_sides_of_a_compatible_pair_are_quoted() -> None:
    memory = Memory(DISAGREE)
    memory.disagree("1772", "1869", "both")
    _, quotes, _ = ask("When was Beacon Mill built?", memory)
    assert ["1772" in " ".join(quotes), "1869" in " ".join(quotes)] == [True, True]


def test_what_is_in_dispute_is_named_and_quoted_by_neither_side() -> None:
    memory = Memory(DISAGREE)
    conflict = memory.disagree("1772", "1869", "inconclusive")
    result, quotes, _ = ask("When was Beacon Mill built?", memory)
    assert not any(year in " ".join(quotes) for year in ("1772", "1869"))
    assert result.conflicts == (conflict.id,)


def test_a_dispute_over_something_else_is_not_mentioned() -> None:
    memory = Memory(DISAGREE | {"dam.txt": DAM})
    memory.disagree("1772", "1869", "inconclusive")
    result, quotes, _ = ask("How long is the Aswan High Dam?", memory)
    assert "3,830 m" in quotes[0]
    assert result.conflicts == ()


# -- when memory does not hold the answer ----------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Who won the football World Cup in 1998?",
        "When was the Eiffel Tower built?",
        "when was the eiffel tower built?",
        "How many legs does a spider have?",
        "How deep is Lake Baikal?",
        "谁是唐朝的第一个皇帝？",
        "When was Holt Mill painted white?",
    ],
)
def test_nothing_is_quoted_that_is_off_the_point(question: str) -> None:
    result, quotes, _ = ask(question)
    assert quotes == []
    assert "no answer" in result.answer


def test_with_an_empty_memory_nothing_is_known() -> None:
    result, quotes, _ = ask("When was Beacon Mill built?", Memory({}))
    assert (quotes, result.conflicts) == ([], ())
    assert "no answer" in result.answer


def test_the_reference_library_is_asked_only_where_memory_does_not_answer() -> None:
    references = {f"r{number}.txt": f"Holt Mill was painted white in 190{number}." for number in range(5)}
    result, quotes, _ = ask("When was Holt Mill painted white?", Memory(DOCUMENTS, references))
    assert quotes == []
    assert "r0.txt" in result.answer
    new = [message for message in result.messages if message.role == "tool"]
    assert [(message.source, message.page) for message in new] == [("r0.txt", 1), ("r1.txt", 2), ("r2.txt", 3)]
    assert not any(message.from_memory for message in new)

    _, quotes, memory = ask("When was Beacon Mill built?", Memory(DOCUMENTS, references))
    assert quotes
    assert not any(message.source for message in ask("When was Beacon Mill built?", memory)[0].messages)


def test_what_was_read_from_memory_is_marked_so_that_it_is_not_stored_again() -> None:
    result, quotes, _ = ask("When was Beacon Mill built?")
    read = [message for message in result.messages if message.role == "tool"]
    assert [message.content for message in read] == quotes
    assert all(message.from_memory for message in read)
    assert result.messages[0].content == "When was Beacon Mill built?"
    assert result.messages[-1].content == result.answer


# -- an overview -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", ["Summarise the documents.", "What are these documents about?", "总结这些文件"])
def test_an_overview_has_a_sentence_of_every_document(task: str) -> None:
    _, quotes, _ = ask(task, Memory(DOCUMENTS | {"wool.txt": "Wool prices fell in Bradford when the mills closed."}))
    assert any(quote in MILL for quote in quotes)
    assert any(quote in DAM for quote in quotes)
    assert "Wool prices fell in Bradford when the mills closed." in quotes
    assert len(quotes) <= MOST_STATEMENTS


def test_an_overview_leaves_out_what_was_refuted() -> None:
    memory = Memory({"a.txt": "Beacon Mill was built in 1772.", "b.txt": "Beacon Mill was built in 1869."})
    memory.disagree("1772", "1869", "first")
    assert ask("Summarise the documents.", memory)[1] == ["Beacon Mill was built in 1772."]


def test_an_overview_does_not_need_entries_to_be_numbered() -> None:
    memory = Memory(DOCUMENTS)
    memory.entries = {
        node: entry.model_copy(update={"id": f"entry-{entry.id}-of-import"}) for node, entry in memory.entries.items()
    }
    assert ask("Summarise the documents.", memory)[1]
