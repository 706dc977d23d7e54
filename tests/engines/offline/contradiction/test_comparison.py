"""Contradictions are found, and what only looks like one is not."""

from __future__ import annotations

import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.engines.offline.claims.claims import ClaimText, extract_claims
from memory_bank.engines.offline.contradiction.comparison import (
    DocumentClaims,
    Relation,
    compare,
    compare_documents,
    document_claims,
    overlap,
)
from tests.engines.offline.claims.test_claims import pieces
from tests.engines.offline.pairs import CONTRADICTING, HARMLESS, Pair


def document(text: str, topic: str = "") -> DocumentClaims:
    return document_claims([claim.text for claim in extract_claims(text, pieces(text))], topic)


def by_name(pair: Pair) -> str:
    return pair.name


def test_there_are_enough_pairs() -> None:
    assert len(HARMLESS) >= 60
    assert len(CONTRADICTING) >= 60


@pytest.mark.parametrize("pair", HARMLESS, ids=by_name)
def test_harmless_pairs_raise_nothing(pair: Pair) -> None:
    a, b = document(pair.a, pair.topic_a), document(pair.b, pair.topic_b)
    assert compare_documents(a, b) == []
    assert compare_documents(b, a) == []


@pytest.mark.parametrize("pair", CONTRADICTING, ids=by_name)
def test_contradictions_are_found_either_way_round(pair: Pair) -> None:
    a, b = document(pair.a, pair.topic_a), document(pair.b, pair.topic_b)
    found = compare_documents(a, b)
    assert found
    assert compare_documents(b, a)
    for one in found:
        difference = one.comparison.difference
        assert difference is not None
        first, second = a.claims[one.first].text, b.claims[one.second].text
        assert difference.first.text == first[difference.first.start : difference.first.end]
        assert difference.second.text == second[difference.second.start : difference.second.end]
        assert 0.5 <= one.comparison.confidence <= 1.0


@pytest.mark.parametrize("pair", [*HARMLESS, *CONTRADICTING], ids=by_name)
def test_a_text_does_not_contradict_itself_or_its_copy(pair: Pair) -> None:
    for text in (pair.a, pair.b):
        assert compare_documents(document(text), document(text)) == []
        same = document(text)
        assert compare_documents(same, same) == []


def test_the_description_names_both_values_and_what_they_are_of() -> None:
    a = ClaimText("The Aswan High Dam was completed in 1968.", "Aswan High Dam")
    b = ClaimText("The Aswan High Dam was completed in 1970.", "Aswan High Dam")
    assert compare(a, b).description == "1968 against 1970 for the construction of Aswan High Dam"


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("The dam was completed in 1970.", "The dam was completed in 1970.", Relation.AGREE),
        ("The dam was completed in 1970.", "In July 1970 the dam was finished.", Relation.AGREE),
        ("The dam was completed in 1970.", "The dam was completed in 1968.", Relation.CONTRADICT),
        ("The dam was completed in 1970.", "The dam lies on the Nile.", Relation.UNRELATED),
        ("In 1998 Karl Weiss was mayor of Hollen.", "In 2014 Eva Lind was mayor of Hollen.", Relation.UNRELATED),
        ("The dam was completed in 1970.", "Was the dam completed in 1968?", Relation.UNRELATED),
    ],
)
def test_relations(a: str, b: str, relation: Relation) -> None:
    assert compare(ClaimText(a), ClaimText(b)).relation is relation
    assert compare(ClaimText(b), ClaimText(a)).relation is relation


SENTENCES = st.sampled_from([p.a for p in (*HARMLESS, *CONTRADICTING)] + [p.b for p in (*HARMLESS, *CONTRADICTING)])


@given(SENTENCES, SENTENCES)
def test_the_relation_does_not_depend_on_the_order(a: str, b: str) -> None:
    there, back = compare(ClaimText(a), ClaimText(b)), compare(ClaimText(b), ClaimText(a))
    assert (there.relation is Relation.CONTRADICT) == (back.relation is Relation.CONTRADICT)


SUBJECTS = st.sampled_from(["Beacon Mill", "The mill", "It", "Ida Brandt (born 1920)", "Highway 12", "31 people", "他"])
SAYINGS = st.sampled_from(
    [
        "was built in 1869",
        "was erected between 1861 and 1869 by John Parrish and Mary Stone",
        "is 60 m tall and 72 m long",
        "had 5,210 people in 1950, up from 4,100 in 1900",
        "is not open, but was open until 1994",
        "won the final 3–1 and lost the next 0–2",
        "is a Norwegian-Danish painter and sculptor",
        "moved to Lund in 1994 and to Malmö in 1999",
        "is older than the church and smaller than the castle",
        "was designed by John Lang, then by Mary Stone",
        "was closed in 1966 and opened again in 1971",
        "costs $5 per person or $8k in all",
        "于1968年建成，1970年开放",
    ]
)


@given(SUBJECTS, st.lists(SAYINGS, min_size=1, max_size=3), st.sampled_from([" and ", ", ", "; "]))
def test_no_claim_contradicts_itself_however_it_is_printed(subject: str, sayings: list[str], joint: str) -> None:
    text = f"{subject} {joint.join(sayings)}."
    printed = text.replace(", ", " , ").removesuffix(".") + " . [ 1 ]"
    for same in (text, printed):
        for topic in ("", "Beacon Mill"):
            found = compare(ClaimText(text, topic), ClaimText(same, topic))
            assert found.relation is not Relation.CONTRADICT, (text, found.description)


@given(SENTENCES)
def test_a_sentence_of_a_pair_does_not_contradict_itself(text: str) -> None:
    assert compare(ClaimText(text), ClaimText(f"{text} ")).relation is not Relation.CONTRADICT


def test_a_contradiction_inside_one_document_is_found() -> None:
    text = "Holt Mill stands in Kent. The mill was built in 1812. It has four floors. The mill was erected in 1842."
    same = document(text, "Holt Mill")
    found = compare_documents(same, same)
    assert [(one.first, one.second) for one in found] == [(1, 3)]


def test_a_list_inside_one_document_is_no_contradiction() -> None:
    text = (
        "The first bridge was built in 1801. The second bridge was built in 1846. The third bridge was built in 1902."
    )
    same = document(text, "Bridges of Holt")
    assert compare_documents(same, same) == []


LEEDS = (
    "Thomas Hale (13 January 1891 – 1965) was an English football forward. Born in Leeds, Hale began at Glossop "
    "before moving to Arsenal in August 1912. He made his debut against Derby in December 1912. He scored 43 goals."
)
PERTH = (
    "Thomas Hale (6 May 1902 – 1980) was an English football goalkeeper. Born in Perth, Hale began at Lincoln "
    "before moving to Stoke in November 1921. He made his debut against Bury in February 1922. He kept 12 clean sheets."
)


def test_two_people_of_one_name_are_kept_apart() -> None:
    assert compare_documents(document(LEEDS), document(PERTH)) == []


def test_one_changed_fact_in_a_copy_is_one_contradiction() -> None:
    changed = LEEDS.replace("13 January 1891", "6 May 1902")
    found = compare_documents(document(LEEDS), document(changed))
    assert [one.comparison.description for one in found] == [
        "13 January 1891 against 6 May 1902 for the birth of Thomas Hale"
    ]


def test_titles_that_clash_keep_documents_apart() -> None:
    a = document("Night Train was released in 1979.", "Night Train (Joan Field album)")
    b = document("Night Train was released in 2003.", "Night Train (Kilns album)")
    assert compare_documents(a, document("Night Train was released in 2003.", "Night Train"))
    assert compare_documents(a, b) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Harlan Foods makes tinned fish. The company was founded in 1911.", "Harlan Foods was founded in 1934."),
        ("Kestrel Tower stands in Selma. The building was opened in 1998.", "Kestrel Tower was opened in 2004."),
        ("Selma Rovers play in red. The club was founded in 1899.", "Selma Rovers were founded in 1921."),
    ],
)
def test_a_description_points_to_the_name_before_it(first: str, second: str) -> None:
    assert compare_documents(document(first), document(second))


def test_a_description_after_two_names_points_to_neither() -> None:
    first = "Harlan Foods was bought by Norvik Systems. Norvik Systems makes sonar. The company was founded in 1911."
    assert compare_documents(document(first), document("Harlan Foods was founded in 1934.")) == []


def test_each_value_goes_to_its_own_attribute() -> None:
    a = document("The bridge was begun in 1928, completed in 1932 and is 212 m long and 40 m high.")
    b = document("The bridge was begun in 1928 and completed in 1937. It is 40 m high and 212 m long.")
    assert [found.comparison.description for found in compare_documents(a, b)] == [
        "1932 against 1937 for the construction"
    ]


def test_a_date_of_a_later_clause_is_not_the_date_of_birth() -> None:
    a = document("Born in Hull, Reed studied law and went to sea in 1866.")
    assert compare_documents(a, document("Reed was born in 1841.")) == []


def test_a_topic_that_the_text_does_not_use_is_ignored() -> None:
    a = document("Beacon Mill was built in 1869.", "scan-0041.pdf")
    b = document("Beacon Mill was built in 1905.", "leaflet.docx")
    assert compare_documents(a, b)


def test_most_confident_first_and_each_pair_of_values_once() -> None:
    a = document("Beacon Mill was built in 1869. Beacon Mill, built in 1869, is 12 m tall.")
    b = document("Beacon Mill was built in 1905. Beacon Mill, built in 1905, is 20 m tall.")
    found = compare_documents(a, b)
    values = [
        (f.comparison.difference.first.text, f.comparison.difference.second.text)
        for f in found
        if f.comparison.difference
    ]
    assert len(values) == len(set(values)) == 2
    assert [f.comparison.confidence for f in found] == sorted((f.comparison.confidence for f in found), reverse=True)


def test_overlap() -> None:
    assert overlap(document(LEEDS), document(LEEDS)) == 1.0
    assert overlap(document(LEEDS), document("大桥于1968年建成。")) == 0.0
    assert overlap(document(""), document(LEEDS)) == 0.0


def test_one_node_against_ten_takes_milliseconds() -> None:
    nodes = [document(f"{LEEDS} {PERTH} The stand holds {1000 + i} people.") for i in range(10)]
    new = document(f"{LEEDS} {PERTH} The stand holds 999 people.")
    compare_documents(new, nodes[0])
    start = time.perf_counter()
    for node in nodes:
        compare_documents(new, node)
    assert time.perf_counter() - start < 0.5


def test_sentences_on_different_things_hardly_ever_contradict() -> None:
    """Every third text of the pairs against every other one: what is left are texts that do share a subject."""
    texts = [text for pair in (*HARMLESS, *CONTRADICTING) for text in (pair.a, pair.b)][::3]
    kinds = [compare(ClaimText(a), ClaimText(b)).relation for a, b in combinations(texts, 2)]
    assert kinds.count(Relation.CONTRADICT) <= len(kinds) / 350


def test_a_death_of_others_in_one_text_is_no_second_date_of_death() -> None:
    found = document(
        "Ada Lorne (2 May 1844 – 26 July 1926) was a painter. They had ten children, of whom three died in 1872."
    )
    assert compare_documents(found, found) == []
