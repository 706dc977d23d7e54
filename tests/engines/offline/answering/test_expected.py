"""What kind of value a question asks for, and which value of a sentence that is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.engines.offline.answering.expected import Expected
from memory_bank.modules.tokens import tokenize
from memory_bank.values.values import ValueKind

DATE, NUMBER, QUANTITY, NAME = ValueKind.DATE, ValueKind.NUMBER, ValueKind.QUANTITY, ValueKind.NAME


def value(question: str, sentence: str) -> str | None:
    """The value of the sentence that answers the question."""
    found = Expected.of(question).values_in(sentence, set(tokenize(question)))
    return found[0].text if found else None


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When was the mill built?", {DATE}),
        ("In which year did it burn?", {DATE}),
        ("What date was it?", {DATE}),
        ("大桥何时建成？", {DATE}),
        ("它是哪年建成的？", {DATE}),
        ("How many floors has it?", {NUMBER, QUANTITY}),
        ("How long is the bridge?", {NUMBER, QUANTITY}),
        ("How tall is it?", {NUMBER, QUANTITY}),
        ("它有多长？", {NUMBER, QUANTITY}),
        ("Who built it?", {NAME}),
        ("Where does it stand?", {NAME}),
        ("谁建造了它？", {NAME}),
    ],
)
def test_the_kind_follows_from_the_question_word(question: str, kinds: set[ValueKind]) -> None:
    assert Expected.of(question).kinds == kinds


@pytest.mark.parametrize("question", ["Describe it.", "Why is it so?", "", "Compare both texts.", "为什么？"])
def test_a_question_that_names_no_kind_expects_none(question: str) -> None:
    expected = Expected.of(question)
    assert not expected.anything
    assert expected.values_in("Beacon Mill was built in 1772.", set()) == []


@pytest.mark.parametrize(
    ("question", "sentence", "wanted"),
    [
        ("When was it built?", "Beacon Mill was built in 1772.", "1772"),
        ("When was it built?", "Beacon Mill, opened in 1900, was built in 1772.", "1772"),
        ("When was it completed?", "On 3 May 1970 the dam was completed.", "3 May 1970"),
        ("When was it built?", "It has 12 floors.", None),
        ("How many floors has it?", "Built in 1772, it has 4 floors.", "4"),
        ("How many floors has it?", "It has 12 men and no sails.", None),
        ("What is the number of floors?", "Built in 1772, it has four floors.", "four"),
        ("How long is the Nile?", "The Nile is 6,650 km long.", "6,650 km"),
        ("How long is the Nile?", "The Nile carries 300 cubic kilometres of water.", None),
        ("How tall is the dam?", "The dam is 3,830 m long and 111 m tall.", "111 m"),
        ("How long is the dam?", "The dam is 111 m tall and 3,830 m long.", "3,830 m"),
        ("How tall is the dam?", "Its height is 111 m and its length 3,830 m.", "111 m"),
        ("How deep is it?", "The lake is 180 m deep.", "180 m"),
        ("How high is the dam?", "The High Dam was completed after ten years of work.", None),
        ("How long did it take?", "The work was ten years long.", "ten years"),
        ("What sport does Ann play?", "Ann plays ice hockey for Dover.", "ice hockey"),
        ("Which sport is not golf?", "She prefers golf.", None),
        ("How wide is it?", "The lane is 3 m wide.", "3 m"),
        ("Who built the mill?", "The mill was built by Humphrey Parrish.", "Humphrey Parrish"),
        ("Who built Beacon Mill?", "Beacon Mill was built by Humphrey.", "Humphrey"),
        ("What is the population of Ashford?", "Ashford has a population of 74,204.", "74,204"),
        ("大桥何时建成？", "武汉长江大桥于1957年建成。", "1957年"),
        ("大桥有多长？", "大桥长1670米。", "1670米"),
    ],
)
def test_the_value_is_the_one_that_is_asked_for(question: str, sentence: str, wanted: str | None) -> None:
    assert value(question, sentence) == wanted


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When in 1970 was the dam opened?", "The dam was opened in 1970."),
        ("Who sold Beacon Mill?", "Beacon Mill was sold."),
        ("How far is it from Dover to Hythe?", "Dover is a port, and so is Hythe."),
    ],
)
def test_what_the_question_says_itself_is_no_answer_to_it(question: str, sentence: str) -> None:
    assert value(question, sentence) is None


def test_a_value_of_the_attribute_asked_for_is_surer_than_any_of_its_kind() -> None:
    expected = Expected.of("When was Beacon Mill built?")
    (built,) = expected.values_in("Beacon Mill was built in 1772.", set())
    (sold,) = expected.values_in("Beacon Mill was sold in 1900.", set())
    assert built.sure
    assert not sold.sure


def test_all_fitting_values_are_found_the_surest_first() -> None:
    found = Expected.of("When was it built?").values_in("Beacon Mill, sold in 1900, was built in 1772.", set())
    assert [one.text for one in found] == ["1772", "1900"]


def test_years_in_brackets_after_a_name_are_of_its_life() -> None:
    (life,) = Expected.of("When did Parrish die?").values_in("Humphrey Parrish (1720–1793), a miller.", set())
    assert (life.text, life.sure) == ("1720–1793", True)


def test_a_date_may_be_given_more_precisely() -> None:
    expected = Expected.of("When was it built?")
    texts = ("built on 3 May 1772", "built in 1772", "built in 1869")
    day, year, other = (expected.values_in(f"Beacon Mill was {text}.", set())[0] for text in texts)
    assert day.same_as(year)
    assert not day.same_as(other)
    assert [day.finer_than(year), year.finer_than(day), day.finer_than(other)] == [True, False, False]


@given(
    st.sampled_from(["When was it built?", "How many men?", "Who?", "How long?", "population"]),
    st.lists(st.sampled_from(["Beacon Mill", "was built in 1772", "12 km long", "4 men", ",", "。", "大桥", ""])).map(
        " ".join
    ),
)
def test_a_value_is_words_of_the_sentence(question: str, sentence: str) -> None:
    found = value(question, sentence)
    assert found is None or found in sentence
