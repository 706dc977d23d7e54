"""What people say of themselves, as it is told of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.judgement.utterances.third_person import third_person


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I live in Lyon.", "Ada lives in Lyon."),
        ("I'm a nurse and I've two cats.", "Ada is a nurse and Ada has two cats."),
        ("I am old, I was young.", "Ada is old, Ada was young."),
        ("I don't ski, I didn't, I won't.", "Ada doesn't ski, Ada didn't, Ada won't."),
        ("I'll paint, I'd say.", "Ada will paint, Ada would say."),
        ("I went home and i baked.", "Ada went home and Ada baked."),
        ("I really love my job.", "Ada really loves Ada's job."),
        ("I always carry it.", "Ada always carries it."),
        ("I teach, I fix, I go.", "Ada teaches, Ada fixes, Ada goes."),
        ("I need a car.", "Ada needs a car."),
        ("I can swim.", "Ada can swim."),
        ("My brother gave me mine.", "Ada's brother gave Ada Ada's."),
        ('My aunt said "I am late".', 'Ada\'s aunt said "I am late".'),
        ("We went home.", "We went home."),
        ("I saw your boat when you were out.", "Ada saw Bo's boat when Bo was out."),
        ("I know you've won.", "Ada knows Bo has won."),
        ("我住在里昂，我的猫叫小白。", "Ada住在里昂，Ada的猫叫小白。"),
        ("我们去了巴黎。", "我们去了巴黎。"),
        ("Image i.e. picture", "Image i.e. picture"),
    ],
)
def test_a_name_stands_in_for_who_speaks_and_who_listens(text: str, told: str) -> None:
    assert third_person(text, "Ada", "Bo") == told


def test_where_the_listener_is_not_known_you_stays() -> None:
    assert third_person("I saw your boat.", "Ada") == "Ada saw your boat."


@given(st.text(max_size=60), st.sampled_from(["Ada", "\\1", "\\g<0>", "我", ""]))
def test_any_text_can_be_told_with_any_name(text: str, name: str) -> None:
    assert "\0" in text or "\0" not in third_person(text, name, name)
