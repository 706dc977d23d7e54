"""Follow-up questions: which do not stand alone, and how they read when they do, in English and Chinese."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.remember import PastTask
from memory_bank.engines.offline.answering.question import answer
from memory_bank.judgement.coreference.question import LONGEST, is_follow_up, standing_alone, subject, with_context
from memory_bank.search.embedding import load_embedder
from tests.engines.offline.fake_tools import FakeTools
from tests.judgement.rule_judge import RuleJudge
from tests.judgement.rule_reader import RuleReader
from tests.shared_data import DATA

LOCOMO = DATA / "dialogue" / "locomo.jsonl"


def past(*tasks: tuple[str, str] | str) -> list[PastTask]:
    """What was asked and found; of a text alone nothing was found."""
    told = [(task, "") if isinstance(task, str) else task for task in tasks]
    return [PastTask(asked=asked, found=found) for asked, found in told]


DESIGNED = ("Who designed Harlow Bridge?", "Harlow Bridge was designed by Ida Brandt.")
LENGTH = ("How long is Harlow Bridge?", "Harlow Bridge is 310 m long.")
HOTEL = ("Which hotel did we book in Lisbon?", "Hotel Aurora, near the river.")
DESIGNED_ZH = ("谁设计了哈洛桥？", "哈洛桥是由李明华设计的。")


@pytest.mark.parametrize(
    "question",
    [
        "how much?",
        "And when?",
        "why?",
        "What about the second one?",
        "How old is she?",
        "When was it built?",
        "Is that right?",
        "What does that mean?",
        "And Kelso Bridge?",
        "And in 2019?",
        "Which one?",
        "How many guests?",
        "How do we get there?",
        "Who is paying?",
        "When did the museum buy it?",
        "Does Anna know him?",
        "What is her phone number?",
        "It's how long?",
        "多少钱？",
        "那什么时候？",
        "为什么？",
        "他多大了？",
        "那它是什么时候建成的？",
        "凯尔索桥呢？",
        "第二个呢？",
        "然后呢？",
        "那里有什么好吃的？",
        "什么时候开放？",
        "为什么推迟了？",
    ],
)
def test_a_question_that_points_back_or_leaves_out_what_it_is_about_is_vague(question: str) -> None:
    assert is_follow_up(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "When is the meeting?",
        "How much was the budget for the Hawaii trip?",
        "Which is the capital of Norway?",
        "When was Harlow Bridge built and who designed it?",
        "Who designed the bridge that was opened in 1931?",
        "Did the architect say when she would come?",
        "What did Anna say about her brother?",
        "Is there a pool at the hotel?",
        "What time is it?",
        "How long does it take to drive to Leeds?",
        "Is that hotel open in May?",
        "Summarise the report.",
        "Harlow Bridge",
        "会议是几点？",
        "预算是多少？",
        "那座桥有多长？",
        "钥匙在哪里？",
        "哈洛桥是什么时候建成的，它有多长？",
        "打开报告",
    ],
)
def test_a_question_that_names_what_it_is_about_stands_alone(question: str) -> None:
    assert not is_follow_up(question)
    assert standing_alone(question, past(LENGTH)) == question
    assert with_context(question, past(LENGTH)) == question


@pytest.mark.parametrize(
    ("before", "question", "alone"),
    [
        (LENGTH, "And when was it built?", "When was Harlow Bridge built?"),
        (LENGTH, "it's how old?", "Harlow Bridge is how old?"),
        (LENGTH, "What is its toll?", "What is Harlow Bridge's toll?"),
        (LENGTH, "And Kelso Bridge?", "How long is Kelso Bridge?"),
        (LENGTH, "What about Kelso Bridge?", "How long is Kelso Bridge?"),
        (DESIGNED, "Where was she born?", "Where was Ida Brandt born?"),
        (DESIGNED, "And when was it opened?", "When was Harlow Bridge opened?"),
        (HOTEL, "How much does it cost?", "How much does Hotel Aurora cost?"),
        ("What is the budget for the Hawaii trip?", "how much?", "How much is the budget for the Hawaii trip?"),
        ("When is the Hawaii trip?", "What about the budget?", "What about the budget for the Hawaii trip?"),
        ("How much was the deposit for the flat?", "and the rent?", "How much was the rent for the flat?"),
        ("When was the launch delayed?", "And why?", "Why was the launch delayed?"),
        ("Did Maria move?", "When?", "When did Maria move?"),
        ("Where did Maria buy the red bicycle?", "Did she like it?", "Did Maria like the red bicycle?"),
        ("How many visitors came in 2018?", "And in 2019?", "How many visitors came in 2019?"),
        ("Where was the fair last year?", "And this year?", "Where was the fair this year?"),
        (("Where does my sister live?", "In Oslo."), "How do we get there?", "How do we get to Oslo?"),
        (("What is the name of Oskar's dog?", "Rex."), "How old is it?", "How old is Oskar's dog?"),
        ("Who are the guests?", "When do they arrive?", "When do the guests arrive?"),
        ("When is the meeting with Dana?", "What is her number?", "What is Dana's number?"),
        ("When is Anna's birthday?", "What does she want?", "What does Anna want?"),
        ("What does the flat look like?", "Where is it?", "Where is the flat?"),
        ("小李喜欢吃什么？", "他在做什么呢？", "小李在做什么呢？"),
        ("林老师是谁？", "她住在哪里？", "林老师住在哪里？"),
        (("新图书馆的设计师是谁？", "是孙伟。"), "他多大了？", "孙伟多大了？"),
        ("What does Lena do for a living?", "And her brother?", "What does Lena's brother do for a living?"),
        ("When is the wedding?", "Who is paying?", "Who is paying for the wedding?"),
        (("哈洛桥有多长？", "310米"), "那它是什么时候建成的？", "哈洛桥是什么时候建成的？"),
        (("哈洛桥有多长？", "310米"), "什么时候建成的？", "哈洛桥什么时候建成的？"),
        (("哈洛桥有多长？", "310米"), "凯尔索桥呢？", "凯尔索桥有多长？"),
        (DESIGNED_ZH, "她是哪里人？", "李明华是哪里人？"),
        (DESIGNED_ZH, "它有多长？", "哈洛桥有多长？"),
        ("夏威夷旅行是什么时候？", "多少钱？", "夏威夷旅行多少钱？"),
        ("会议在哪里开？", "为什么推迟了？", "会议为什么推迟了？"),
        (("我妹妹住在哪里？", "奥斯陆"), "那里有什么好吃的？", "奥斯陆有什么好吃的？"),
        ("项目的截止日期是什么时候？", "预算呢？", "项目的预算呢？"),
        ("去年的会议在哪里开的？", "今年呢？", "今年的会议在哪里开的？"),
        (("里斯本的酒店叫什么？", "极光酒店"), "它有几间房？", "里斯本的酒店有几间房？"),
    ],
)
def test_a_follow_up_question_reads_as_it_would_alone(before: tuple[str, str] | str, question: str, alone: str) -> None:
    assert standing_alone(question, past(before)) == alone


def test_a_row_of_follow_up_questions_keeps_its_subject() -> None:
    conversation = past(LENGTH, "And when was it built?", "And who designed it?")
    assert standing_alone("Where is it?", conversation) == "Where is Harlow Bridge?"
    assert subject(conversation) == "Harlow Bridge"
    conversation = past("哈洛桥有多长？", "什么时候建成的？")
    assert standing_alone("谁设计的？", conversation) == "哈洛桥谁设计的？"


def test_the_subject_of_the_last_question_is_meant_where_it_has_one() -> None:
    conversation = past(LENGTH, "When is the trip to Hawaii?")
    assert standing_alone("How much does it cost?", conversation) == "How much does the trip to Hawaii cost?"


def test_what_the_last_question_only_counted_is_not_what_a_conversation_is_about() -> None:
    question = "How much did it cost to build?"
    assert standing_alone(question, past("How many men were killed?")) == question


@pytest.mark.parametrize("question", ["And when was it built?", "how much?", "多少钱？"])
def test_without_a_conversation_or_one_that_names_nothing_the_question_stays(question: str) -> None:
    for conversation in (past(), past("And then?"), past("然后呢？")):
        assert standing_alone(question, conversation) == question
        assert with_context(question, conversation) == question


@pytest.mark.parametrize(
    ("before", "question", "text"),
    [
        ("When is the trip to Hawaii?", "how much?", "How much is the trip to Hawaii?"),
        ("When is the trip to Hawaii?", "What about the second one?", "the trip to Hawaii: What about the second one?"),
        (LENGTH, "And when was it built?", "When was Harlow Bridge built?"),
        (DESIGNED, "Where was she born?", "Harlow Bridge: Where was Ida Brandt born?"),
        ("夏威夷旅行是什么时候？", "多少钱？", "夏威夷旅行多少钱？"),
        ("夏威夷旅行是什么时候？", "第二个呢？", "夏威夷旅行第二个呢？"),
    ],
)
def test_a_vague_question_comes_after_the_subject_that_it_does_not_name(
    before: tuple[str, str] | str, question: str, text: str
) -> None:
    assert with_context(question, past(before)) == text


SAID = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from("and when was it she Harlow Bridge the of ? , 那 它 什么 桥 的 呢".split())).map(" ".join),
)


@given(SAID, st.lists(st.tuples(SAID, SAID), max_size=3))
def test_whatever_is_said_a_task_is_made_of_what_is_there_and_is_never_empty(
    said: str, tasks: list[tuple[str, str]]
) -> None:
    found = standing_alone(said, past(*tasks))
    assert bool(found.strip()) == bool(said.strip())
    assert found == standing_alone(said, past(*tasks))
    assert len(found) <= len(said) + 3 * LONGEST
    assert bool(with_context(said, past(*tasks)).strip()) == bool(said.strip())


@pytest.mark.parametrize("said", ["ok", "Thanks.", "Go on", "好的", "谢谢"])
def test_what_asks_nothing_stays_as_it_is(said: str) -> None:
    assert standing_alone(said, past(LENGTH)) == said
    assert standing_alone(said, past("哈洛桥有多长？")) == said


def test_a_long_task_is_no_follow_up() -> None:
    task = f"When was it built? {'The bridge is old. ' * 40}"
    assert not is_follow_up(task)
    assert standing_alone(task, past(LENGTH)) == task


@pytest.mark.skipif(not LOCOMO.exists(), reason="the evaluation data is not on this machine")
def test_few_real_questions_that_stand_alone_are_taken_for_vague() -> None:
    rows = [json.loads(line) for line in LOCOMO.read_text(encoding="utf-8").splitlines()]
    questions = [one["question"] for row in rows for one in row["questions"]]
    assert sum(map(is_follow_up, questions)) <= 0.03 * len(questions)


# -- the session's own task --------------------------------------------------------------------------------------

BRIDGES = {
    "bridges.txt": (
        "Two bridges cross the Tarn. Harlow Bridge is 310 m long and was designed by Ida Brandt. Harlow Bridge was "
        "opened in 1931 by the mayor. Kelso Bridge is 420 m long. Kelso Bridge was opened in 1954 after a flood."
    )
}
BRIDGES_ZH = {
    "bridges.txt": "塔恩河上有两座桥。哈洛桥长310米。哈洛桥于1931年通车。凯尔索桥长420米。凯尔索桥于1954年通车。"
}


@pytest.mark.parametrize(
    ("documents", "first", "question", "value"),
    [
        (BRIDGES, "How long is Harlow Bridge?", "And when was it opened?", "1931"),
        (BRIDGES, "How long is Kelso Bridge?", "And when was it opened?", "1954"),
        (BRIDGES, "How long is Harlow Bridge?", "And Kelso Bridge?", "420 m"),
        (BRIDGES_ZH, "哈洛桥有多长？", "那它是什么时候通车的？", "1931年"),
        (BRIDGES_ZH, "凯尔索桥有多长？", "什么时候通车的？", "1954年"),
    ],
)
def test_the_embedded_engine_answers_a_follow_up_question_given_the_question_that_stands_alone(
    documents: dict[str, str], first: str, question: str, value: str
) -> None:
    memory, embedder = FakeTools(documents), load_embedder()
    earlier = answer(memory.prompt(first), memory, embedder, RuleJudge(), RuleReader())
    task = standing_alone(question, past((first, earlier.answer)))
    result = answer(memory.prompt(task), memory, embedder, RuleJudge(), RuleReader())
    assert value in result.answer
    assert value in str(result.statements[0])
