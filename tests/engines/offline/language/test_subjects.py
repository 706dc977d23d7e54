"""What a sentence is about."""

from __future__ import annotations

import pytest

from memory_bank.engines.offline.language.subjects import (
    SubjectKind,
    disambiguator,
    find_predicate,
    find_subject,
    is_topic,
    same_words,
    topic_words,
)
from memory_bank.engines.offline.language.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Beacon Mill was built in 1869.", SubjectKind.NAME, {"beacon", "mill"}),
        ("In 1869, Beacon Mill was built.", SubjectKind.NAME, {"beacon", "mill"}),
        ("Designed by John Lang, the hall was opened in 1911.", SubjectKind.DEFINITE, {"hall"}),
        ("It was built in 1869.", SubjectKind.PRONOUN, set()),
        ("The mill was built in 1869.", SubjectKind.DEFINITE, {"mill"}),
        ("His brother was born in 1864.", SubjectKind.POSSESSIVE, {"brother"}),
        ("Its total area is 12 km².", SubjectKind.PRONOUN, set()),
        ("Founded 7 September 1971", SubjectKind.NONE, set()),
    ],
)
def test_subject(text: str, kind: SubjectKind, words: set[str]) -> None:
    subject = find_subject(tokenise(text)[0])
    assert (subject.kind, subject.words) == (kind, words)


def test_predicate() -> None:
    tokens = tokenise("Manhole is a 2001 American drama film that was shot in Oslo.")[0]
    assert [t.text for t in find_predicate(tokens, find_subject(tokens))] == ["American", "drama", "film"]


@pytest.mark.parametrize(
    ("text", "topic", "kinds", "points"),
    [
        ("It was built in 1869.", "Beacon Mill", "", True),
        ("The mill was built in 1869.", "Beacon Mill", "", True),
        ("The film was shot in Oslo.", "Night Train", "film", True),
        ("The film was shot in Oslo.", "Night Train", "", False),
        ("His brother was born in 1864.", "Paul Renner", "", False),
        ("Cross Mill was built in 1798.", "Beacon Mill", "", False),
    ],
)
def test_pointing_to_the_topic(text: str, topic: str, kinds: str, *, points: bool) -> None:
    subject = find_subject(tokenise(text)[0])
    assert is_topic(subject, topic_words(topic), frozenset(kinds.split())) is points


def test_titles() -> None:
    assert topic_words("Down Home (Joey Baron album)") == {"down", "home"}
    assert disambiguator("Down Home (Joey Baron album)") == {"joey", "baron", "album"}


def test_short_forms_of_a_name() -> None:
    assert same_words(frozenset({"chris", "kyle"}), frozenset({"christopher", "scott", "kyle"}))
    assert not same_words(frozenset({"cross", "mill"}), frozenset({"union", "mill"}))
