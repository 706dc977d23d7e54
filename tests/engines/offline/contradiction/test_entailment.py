"""A short statement beside a long sentence: what excludes it is a conflict, and what says nothing of it is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.engines.offline.contradiction.documents import DocumentClaims, document_claims
from memory_bank.engines.offline.contradiction.entailment import statement_contradictions

HOLT = "Ada Holt (3 June 1920 – 1990) was a Welsh novelist and poet."
ORCHARD = "The Glass Orchard is a 1998 drama film written and directed by Ada Holt."
LIND = "Tessa Lind (born 1950) is a Norwegian sculptor who studied under Bo Lund at the Marlow School."

# A statement, a fuller claim, and the two values that a person is to read.
EXCLUDED = [
    ("Tessa Lind is a Danish sculptor.", LIND, "Danish", "Norwegian"),
    ("Tessa Lind is in Denmark.", LIND.replace(" who", " and painter who"), "Denmark", "Norwegian"),
    ("Tarn is a character in Tides.", "Tarn is the main character in the novel Down Home.", "Tides", "Down Home"),
    ("The Glass Orchard was directed by Jan Vroom.", ORCHARD, "Jan Vroom", "Ada Holt"),
    ("The Glass Orchard is a song.", ORCHARD, "song", "film"),
    ("The Glass Orchard is a horror film.", ORCHARD, "horror", "drama"),
    ("Ada Holt was born in July 1920.", HOLT, "July 1920", "3 June 1920"),
    ("Ada Holt was not a novelist.", HOLT, "Ada Holt was not a novelist.", HOLT),
    ("Ada Holt was only a novelist.", HOLT, "novelist", "poet"),
    ("Ole Kern plays Tarn.", "Jan Vroom has played the title role of Tarn in all the films.", "Ole Kern", "Jan Vroom"),
    ("The Tarn is the longest river of Orvik.", "The Tarn is the shortest river of Orvik.", "longest", "shortest"),
    ("Mount Tarn was formed by glaciers.", "Mount Tarn was formed by a volcano long ago.", "glaciers", "volcano"),
    ("Holt Mill has six sails.", "Holt Mill, a smock mill, has four sails and a fantail.", "six", "four"),
    ("Tessa Lind appears on the radio.", "Tessa Lind has yet to appear on the radio.", "Tessa Lind appears", "yet to"),
    ("Dance of Orvik originated in Chile.", "Dance of Orvik is a form originating from Peru.", "Chile", "Peru"),
    ("Lind is a song.", "Tessa Maria Berg (born 1950), known as Lind, is a Norwegian sculptor.", "song", "sculptor"),
    ("In 1950 Holt Band formed.", "Holt Band is a rock band that dissolved in 1950.", "formed", "dissolved"),
    ("Down Home is a fictional place.", "Down Home is a real place in the hills.", "fictional", "real"),
]

# A statement and a claim that leaves it open, says it in other words, or speaks of something else.
LEFT_OPEN = [
    ("Tessa Lind is a painter.", LIND),
    ("Tessa Lind lives in Oslo.", "Tessa Lind was born in Bergen in 1950 and moved to the capital later."),
    ("Tessa Lind was born in Norway.", LIND),
    ("Tessa Lind only worked in Oslo.", LIND),
    ("Tessa Lind studied at Dunmere College.", LIND),
    ("Ada Holt is not a novelist.", HOLT),
    ("Ada Holt was born in France.", HOLT),
    ("Holt Mill was sold in 1950.", "Holt Mill was sold to the Dunmere Company in 1970 by the Kern family."),
    ("The Kern Prize was won by Ida Brandt.", "The Kern Prize was won by Jan Vroom in 1999."),
    ("The Kern Prize is awarded to writers.", "The Kern Prize is awarded to painters and sculptors."),
    ("Tides was released on Anchor Records.", "Tides was released on CD in 1999."),
    ("Ida Brandt works for the Orvik Times.", "Ida Brandt worked for the Marlow Post for ten years."),
    ("Ida Brandt died of pneumonia.", "Ida Brandt died of natural causes in 1990."),
    ("Ida Brandt was inspired by nature.", "Ida Brandt was inspired by folk music."),
    ("Ida Brandt lived in Orvik until 1950.", "Ida Brandt lived in Dunmere from 1950."),
    ("Ida Brandt never sang in Spain.", "Ida Brandt sang in Norway and Sweden."),
    ("Ida Brandt created the Tides.", "The Tides were created by Ida Brandt in the winter."),
    ("Jan Vroom won the cup in 1999.", "Jan Vroom lost the final in 2001."),
    ("Jan Vroom is a French-born painter.", "Jan Vroom is a Dutch painter."),
    ("The Glass Orchard was produced by Bo Lund.", ORCHARD),
    ("The Glass Orchard stars Ida Brandt.", "The Glass Orchard is a 1998 film starring Jan Vroom and Ole Kern."),
    ("Orvik is a town.", "Orvik is a small coastal settlement in the north of Norway."),
    ("Orvik is in Norway.", "Orvik is located in the Nordland district, on the coast."),
    ("Orvik has a harbour.", "Orvik has a church built in 1840."),
    ("Orvik is a place.", "Orvik is a county in the north."),
    ("Ada Holt did not win the prize.", "Ada Holt won the Alder Medal in 1990."),
    ("Ada Holt wrote novels.", "Ada Holt never wrote poems."),
    ("Ada Holt was not a teacher.", HOLT),
    ("Ada Holt died in 1990.", HOLT),
    ("Ada Holt was born in June.", HOLT),
    ("Ada Holt visited Spain in 1950.", "Ada Holt visited France in 1945."),
    ("Ada Holt worked in Spain.", "Ada Holt worked in France for ten years."),
    ("Ada Holt has two sons.", "Ada Holt has three daughters."),
    ("Ada Holt published a novel in 1950.", "Ada Holt published her first novel in 1945."),
    ("Jan Vroom is a Dutch cyclist.", "Jan Vroom is a cyclist who lives in Belgium."),
    ("Harbour Lights is on the album Tides.", "Harbour Lights is a song recorded by Ida Brandt on the label Anchor."),
    ("Ida Brandt plays the violin.", "Ida Brandt plays the viola and the violin."),
    ("Ole Kern wrote Tides.", "Ida Brandt wrote about Tides in her diary."),
    ("A man is painting a house.", "A man is painting a boat."),
    ("It is a song.", ORCHARD),
    ("The mill is not open.", "The mill was opened in 1850."),
    ("Holt Mill worked until 1950.", "Two men without hats worked at Holt Mill until 1950."),
    ("Ada Holt studied at Dunmere College.", "Bo Lund, who knew Ada Holt, studied at the Marlow School."),
    ("Ada Holt is not a novelist.", "Bo Lund, who knew Ada Holt, is a novelist."),
    ("Holt Mill has a red brick tower.", "Holt Mill has a brick tower with white sails."),
    ("Not only Ada Holt won the race.", "Ada Holt won the race."),
]


def document(*claims: str, topic: str = "") -> DocumentClaims:
    return document_claims(claims, topic)


@pytest.mark.parametrize(("statement", "claim", "first", "second"), EXCLUDED)
def test_a_statement_that_a_claim_excludes_is_a_conflict_with_both_values(
    statement: str, claim: str, first: str, second: str
) -> None:
    (found,) = statement_contradictions(document(statement), document(claim))
    assert (found.first, found.second) == (0, 0)
    assert found.comparison.difference is not None
    assert first in found.comparison.difference.first.text
    assert second in found.comparison.difference.second.text
    assert first in found.comparison.description
    assert second in found.comparison.description
    assert 0.5 <= found.comparison.confidence < 1


@pytest.mark.parametrize(("statement", "claim", "first", "second"), EXCLUDED)
def test_a_conflict_is_found_from_either_side(statement: str, claim: str, first: str, second: str) -> None:
    (found,) = statement_contradictions(document(claim), document(statement))
    assert found.comparison.difference is not None
    assert second in found.comparison.difference.first.text
    assert first in found.comparison.difference.second.text


@pytest.mark.parametrize(("statement", "claim"), LEFT_OPEN)
def test_what_a_claim_leaves_open_is_no_conflict(statement: str, claim: str) -> None:
    assert statement_contradictions(document(statement), document(claim)) == []
    assert statement_contradictions(document(claim), document(statement)) == []


@pytest.mark.parametrize(("statement", "claim", "first", "second"), EXCLUDED)
def test_a_difference_quotes_its_claims(statement: str, claim: str, first: str, second: str) -> None:
    del first, second
    (found,) = statement_contradictions(document(statement), document(claim))
    assert found.comparison.difference is not None
    for span, text in ((found.comparison.difference.first, statement), (found.comparison.difference.second, claim)):
        assert text[span.start : span.end] == span.text


def test_a_conflict_says_whom_it_is_about() -> None:
    (found,) = statement_contradictions(document("The Glass Orchard is a song."), document(ORCHARD))
    assert found.comparison.description == "song against film (The Glass Orchard)"


def test_a_text_is_not_held_against_itself() -> None:
    text = document("The Glass Orchard is a song.", ORCHARD)
    assert statement_contradictions(text, text) == []


def test_what_both_texts_say_is_no_conflict() -> None:
    song = "The Glass Orchard is a song."
    assert statement_contradictions(document(song), document(ORCHARD, song)) == []


def test_what_the_other_text_says_elsewhere_is_no_conflict() -> None:
    other = document(LIND, "The Danish sculptor Tessa Lind taught there.")
    assert statement_contradictions(document("Tessa Lind is a Danish sculptor."), other) == []


def test_what_is_only_reported_is_no_conflict() -> None:
    reported = "According to legend, which is disputed, The Glass Orchard was perhaps directed by Jan Vroom."
    assert statement_contradictions(document(reported), document(ORCHARD)) == []


def test_it_is_what_the_title_says() -> None:
    statement, claim = "Harbour Lights was released in 1990.", "It was released by Anchor on 4 May 1991."
    assert statement_contradictions(document(statement), document(claim, "Harbour Lights sold well.", topic="Harbour"))
    elsewhere = document(claim, "Tides sold well.", topic="Tides")
    assert statement_contradictions(document(statement), elsewhere) == []


@given(st.lists(st.sampled_from([one for row in EXCLUDED for one in row[:2]]), max_size=6))
def test_the_order_of_the_texts_makes_no_difference(claims: list[str]) -> None:
    a, b = document(*claims[::2]), document(*claims[1::2])
    there = {(one.first, one.second, one.comparison.confidence) for one in statement_contradictions(a, b)}
    back = {(one.second, one.first, one.comparison.confidence) for one in statement_contradictions(b, a)}
    assert {(i, j) for i, j, _ in there} == {(i, j) for i, j, _ in back}


@pytest.mark.parametrize("statement", ["Ada Holt", "Ada Holt, Bo Lund.", "There", "Not only.", "Only Ada."])
def test_a_statement_that_tells_nothing_is_no_conflict(statement: str) -> None:
    assert statement_contradictions(document(statement), document(HOLT)) == []


WORDS = sorted({word for row in EXCLUDED for claim in row[:2] for word in claim.split()})


@given(*[st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))] * 2)
def test_any_text_can_be_compared(first: str, second: str) -> None:
    for found in statement_contradictions(document(first), document(second)):
        assert found.comparison.description
