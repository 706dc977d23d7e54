"""A question as the sentence that would answer it, without what is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.judgement.coreference.declarative import declarative


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When was Harlow Bridge built?", "Harlow Bridge was built in"),
        ("How long is Harlow Bridge?", "Harlow Bridge is long"),
        ("Where does Anna live?", "Anna lives in"),
        ("Where did Maria move to last spring?", "Maria moved to last spring in"),
        ("How much was the budget for the Hawaii trip?", "The budget for the Hawaii trip was"),
        ("Who designed Harlow Bridge?", "Harlow Bridge was designed by"),
        ("Who wrote the report?", "The report was written by"),
        ("Who leads the Kestrel project?", "The Kestrel project is led by"),
        ("Who is the architect of Harlow Bridge?", "The architect of Harlow Bridge is"),
        ("Who will lay the kitchen floor?", "Somebody will lay the kitchen floor"),
        ("What is the wifi password?", "The wifi password is"),
        ("What is Ida Brandt's phone number?", "Ida Brandt's phone number is"),
        ("How many people live in Little Harlow?", "People live in Little Harlow"),
        ("How many floors does Beacon Mill have?", "Beacon Mill has floors"),
        ("Which hotel did we book in Lisbon?", "We booked hotel in Lisbon"),
        ("Is Ben vegetarian?", "Ben is vegetarian"),
        ("Can we extend the lease?", "We can extend the lease"),
        ("Why was the launch delayed?", "The launch was delayed because"),
        ("Summarise the report", "Summarise the report"),
        ("哈洛桥是什么时候建成的？", "哈洛桥建成于"),
        ("哈洛桥有多长？", "哈洛桥长"),
        ("李娜多大了？", "李娜的年龄是"),
        ("谁设计了哈洛桥？", "哈洛桥由某人设计"),
        ("和张总的会议在哪里？", "和张总的会议在"),
        ("海星酒店一晚多少钱？", "海星酒店一晚的价格是"),
        ("会议为什么推迟了？", "会议推迟，因为"),
    ],
)
def test_the_unknown_is_left_out(question: str, sentence: str) -> None:
    assert declarative(question) == sentence


@given(st.text(max_size=120))
def test_any_text_becomes_one_line_without_a_question_mark_at_its_end(said: str) -> None:
    sentence = declarative(said)
    assert not sentence.endswith(("?", "？"))
    assert sentence == " ".join(sentence.split())
