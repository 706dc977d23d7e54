"""Verdicts on small made-up libraries: who is heard, how loudly, and what is concluded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.react import StepResult, WebPage
from memory_bank.bank.conflict import Conflict, DecidedBy, Evidence, Verdict, Verification
from memory_bank.engines.offline.verification.verify import verify
from memory_bank.errors import ToolError
from tests.engines.offline.memory import Memory

GUIDE = "Beacon Mill stands near Benenden. Beacon Mill was built in 1772."
LEAFLET = "Beacon Mill is a smock mill. Beacon Mill was built in 1869."
PARTIES = {"guide.txt": GUIDE, "leaflet.txt": LEAFLET}


def decide(
    others: dict[str, str] | None = None, references: dict[str, str] | None = None, title: str = ""
) -> tuple[Verification, StepResult, Memory]:
    """The verification of the dispute between guide and leaflet, 1772 against 1869."""
    memory = Memory(PARTIES | (others or {}), references, title)
    conflict = memory.disagree("1772", "1869")
    result = verify(memory.prompt("Verify x1.", conflict), conflict, memory)
    assert result.verification is not None
    assert result.verification.conflict_id == conflict.id
    return result.verification, result, memory


def decide_between(documents: dict[str, str], first: str = "1772", second: str = "1869") -> Verification:
    """The verification of the dispute between the claims that hold these words, without a reference."""
    memory = Memory(documents)
    return verified(memory, memory.disagree(first, second))


def verified(memory: Memory, conflict: Conflict) -> Verification:
    verification = verify(memory.prompt("Verify it.", conflict), conflict, memory).verification
    assert verification is not None
    return verification


def heard(verification: Verification) -> list[tuple[str, str]]:
    return [(item.source, item.supports) for item in verification.evidence]


# -- the outcomes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Beacon Mill was built in 1772.", "first"),
        ("In 1869 Beacon Mill was built by Humphrey.", "second"),
        ("Beacon Mill was built in 1805.", "neither"),
        ("Beacon Mill was sold in 1805.", "inconclusive"),
        ("Holt Mill was built in 1772.", "inconclusive"),
        ("Some say that Beacon Mill was built in 1772.", "inconclusive"),
        ("Was Beacon Mill built in 1772?", "inconclusive"),
    ],
)
def test_a_reference_decides_what_it_speaks_to(said: str, verdict: str) -> None:
    verification, _, _ = decide(references={"register.txt": f"Register of mills. {said}"})
    assert verification.verdict == verdict
    assert heard(verification) == ([] if verdict == "inconclusive" else [("register.txt", verdict)])


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Beacon Mill was built in 1772.", "first"),
        ("Beacon Mill was built in 1869.", "second"),
    ],
)
def test_another_document_decides_where_there_is_no_reference(said: str, verdict: str) -> None:
    verification, _, _ = decide({"diary.txt": f"We went to Benenden. {said}"})
    assert verification.verdict == verdict
    assert heard(verification) == [("diary.txt", verdict)]


def test_one_document_against_both_is_too_little() -> None:
    verification, _, _ = decide({"diary.txt": "We went to Benenden. Beacon Mill was built in 1805."})
    assert verification.verdict == "inconclusive"
    assert heard(verification) == [("diary.txt", "neither")]
    assert verification.reason == "Too little speaks to it: diary.txt against both."


THIRD = {
    "diary.txt": "We went to Benenden. Beacon Mill was built in 1805.",
    "letter.txt": "Dear Ann, in 1805 Humphrey built Beacon Mill, and it is tall.",
}


def test_independent_documents_that_agree_on_a_third_value_refute_both_and_the_reason_names_it() -> None:
    verification, _, _ = decide(THIRD)
    assert verification.verdict == "neither"
    assert {side for _, side in heard(verification)} == {"neither"}
    for said in ("1805", "diary.txt", "letter.txt", "Beacon Mill was built in 1805."):
        assert said in verification.reason


@pytest.mark.parametrize("said", ["In 1806 Humphrey built Beacon Mill.", THIRD["diary.txt"] + " Copied by Ann."])
def test_documents_that_do_not_agree_independently_on_a_third_value_settle_nothing(said: str) -> None:
    """The one gives a fourth value, the other is a copy."""
    assert decide({"diary.txt": THIRD["diary.txt"], "other.txt": said})[0].verdict == "inconclusive"


def test_without_another_source_it_stays_open() -> None:
    verification, result, _ = decide({"wool.txt": "Wool cost three pounds in 1772."})
    assert verification.verdict == "inconclusive"
    assert verification.evidence == ()
    assert "cannot be settled" in result.answer


def test_divided_sources_settle_nothing_and_are_both_named() -> None:
    verification, _, _ = decide(
        references={"a.txt": "Beacon Mill was built in 1772.", "b.txt": "Beacon Mill was built in 1869."}
    )
    assert verification.verdict == "inconclusive"
    assert heard(verification) == [("a.txt", "first"), ("b.txt", "second")]
    assert "a.txt" in verification.reason
    assert "b.txt" in verification.reason


def test_a_source_that_says_both_is_no_help_to_either() -> None:
    text = "Beacon Mill was built in 1772, says one page. Beacon Mill was built in 1772. Beacon Mill was built in 1869."
    verification, _, _ = decide(references={"a.txt": text})
    assert verification.verdict == "inconclusive"


# -- who is heard ----------------------------------------------------------------------------------------


def test_the_two_that_disagree_are_not_their_own_witnesses() -> None:
    verification, _, _ = decide({})
    assert verification.evidence == ()


def test_a_copy_of_one_that_disagrees_is_not_its_witness() -> None:
    """One that shares a sentence with it is no copy."""
    verification, _, _ = decide({"guide-copy.txt": f"Copied at Ashford. {GUIDE}"})
    assert heard(verification) == []
    diary = "Ashford is dull. Beacon Mill was built in 1772. It has no sails. We went home to Kent in June."
    assert heard(decide({"diary.txt": diary})[0]) == [("diary.txt", "first")]


def test_a_reference_may_say_it_in_the_very_words() -> None:
    verification, _, _ = decide(references={"register.txt": GUIDE})
    assert heard(verification) == [("register.txt", "first")]


def test_a_reference_outweighs_one_document_and_not_two() -> None:
    references = {"register.txt": "The register: Beacon Mill was built in 1869."}
    one = {"a.txt": "In 1772 Beacon Mill was built."}
    two = one | {"b.txt": "Beacon Mill, built in 1772, is tall."}
    assert decide(one, references)[0].verdict == "second"
    assert heard(decide(one, references)[0]) == [("register.txt", "second"), ("a.txt", "first")]
    assert decide(two, references)[0].verdict == "inconclusive"


def test_a_source_is_one_voice_however_often_it_says_so() -> None:
    often = "In 1772 Beacon Mill was built. Beacon Mill, built in 1772, is tall. Humphrey built Beacon Mill in 1772."
    verification, _, _ = decide({"a.txt": often, "b.txt": "Beacon Mill was built in 1869 by Parrish."})
    assert verification.verdict == "inconclusive"
    assert sorted(heard(verification)) == [("a.txt", "first"), ("b.txt", "second")]


@pytest.mark.parametrize("copy", ["{}", "{} Printed at Ashford.", "  {}\n"])
def test_copies_of_one_text_are_one_voice(copy: str) -> None:
    """However often the text says it: no sentence of the copy is another voice."""
    often = "In 1772 Beacon Mill was built. Beacon Mill, built in 1772, is tall. Humphrey built Beacon Mill in 1772."
    others = {"a.txt": often, "b.txt": copy.format(often), "c.txt": "Beacon Mill was built in 1869 by Parrish."}
    verification, _, _ = decide(others)
    assert len([1 for _, side in heard(verification) if side == "first"]) == 1
    assert verification.verdict == "inconclusive"


LONG = (
    "The windmills of Kent were many. Few of them stand today, and of those that do most are houses now. {} Its sails "
    "were last turned by the wind when a storm broke one of them, and nobody had the money to mend it. The miller's "
    "family sold the machinery and kept the tower."
)
BUILT, REBUILT = "Beacon Mill was built in 1772.", "In 1869 Beacon Mill was built."


def test_near_copies_are_one_voice_among_references_too() -> None:
    """The one is cropped and reformatted; with two voices of its own the other side would lose."""
    whole = LONG.format(BUILT)
    cropped = " ".join(whole.replace("Kent", "KENT").split()[4:-6]).replace(". ", ".\n\n")
    references = {"a.txt": whole, "b.txt": cropped, "c.txt": f"The county's register. {REBUILT}"}
    verification, _, _ = decide(references=references)
    assert heard(verification) == [("a.txt", "first"), ("c.txt", "second")]
    assert verification.verdict == "inconclusive"


def test_copies_that_were_changed_speak_against_each_other() -> None:
    references = {"a.txt": LONG.format(BUILT), "b.txt": LONG.format("Beacon Mill was built in 1869.")}
    verification, _, _ = decide(references=references)
    assert verification.verdict == "inconclusive"
    assert heard(verification) == [("a.txt", "first"), ("b.txt", "second")]


def test_a_changed_copy_of_one_that_disagrees_is_no_witness_for_it() -> None:
    parties = {"guide.txt": LONG.format(BUILT), "leaflet.txt": LEAFLET}
    copy = {"copy.txt": "Kent, 3 May. " + LONG.format(BUILT).replace("storm", "gale")}
    assert decide_between(parties | copy).verdict == "inconclusive"
    assert decide_between(parties | {"diary.txt": f"Ashford is dull. {BUILT}"}).verdict == "first"


def test_a_long_sentence_taken_over_word_for_word_is_no_witness() -> None:
    sentence = "Beacon Mill, which stands on the hill above the village of Benenden, was built by Humphrey in 1772."
    parties = {"guide.txt": f"A guide. {sentence}", "leaflet.txt": LEAFLET}
    taken_over = {"blog.txt": f"I like mills and walks and tea. {sentence} It was raining all day when I was there."}
    assert decide_between(parties | taken_over).verdict == "inconclusive"


def test_two_different_references_of_one_name_are_two_voices() -> None:
    twins = [
        ("s1", "register.txt", f"Ashford. {BUILT}"),
        ("s2", "register.txt", "In 1772 Humphrey built Beacon Mill."),
    ]
    memory = Memory(PARTIES)
    conflict = memory.disagree("1772", "1869")
    memory.library(twins)
    verification = verified(memory, conflict)
    assert heard(verification) == [("register.txt", "first"), ("register.txt", "first")]
    assert verification.reason.startswith("register.txt (×2) supports guide.txt")


def test_what_is_about_another_thing_of_the_same_name_is_not_heard() -> None:
    """Two people of one name, of whom everything differs."""
    clerk = "Ann Fuller (2 April 1701 – 8 May {}) was an English clerk of the wool market in Holt, and wrote hymns."
    sailor = (
        "Ann Fuller (1 July 1846 – 11 March 1907) was a Canadian sailor. She crossed the Pacific twice, traded furs in "
        "Vancouver, lost a leg to frostbite near Juneau, and kept a tavern for whalers in old age. She had no children."
    )
    parties = {"a.txt": clerk.format(1751), "b.txt": clerk.format(1762).replace("and wrote", "who wrote")}
    others = {"c.txt": sailor, "d.txt": sailor.replace("She had no children", "Her grave is lost")}
    verification = decide_between(parties | others, "1751", "1762")
    assert (verification.verdict, verification.evidence) == ("inconclusive", ())


def test_one_that_gives_the_other_ones_value_elsewhere_is_a_witness_against_itself() -> None:
    parties = {"guide.txt": f"{GUIDE} It is tall.", "leaflet.txt": f"{LEAFLET} In 1772 Humphrey built Beacon Mill."}
    verification = decide_between(parties)
    assert verification.verdict == "first"
    assert heard(verification) == [("leaflet.txt", "first")]


# -- both hold -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("In 2000 the population of Holt was 512.", "In 2010 the population of Holt was 634.", ["2000", "2010"]),
        ("The tower was begun in 1869.", "The tower was completed in 1875.", ["start of works", "construction"]),
        ("The peak is 8,848.86 m high.", "The peak is about 8,800 m high.", ["8,800 m is 8,848.86 m"]),
        ("The road is 5 km long.", "The road is 3.1 miles long.", ["5 km and 3.1 miles are the same"]),
        (
            "The population of the urban area of Holt is 512.",
            "The population of the district of Holt is 634.",
            ["“urban”", "“district”"],
        ),
        (
            "Holt (Kent) was founded in 1772.",
            "Holt (Norfolk) was founded in 1869.",
            ["two things of one name", "Holt (Kent)", "Holt (Norfolk)"],
        ),
        ("The mill was built in 1772.", "The mill, built in 1772, was rebuilt in 1869.", ["has both values"]),
    ],
)
def test_claims_that_their_own_words_keep_apart_both_hold_and_the_reason_says_why(
    first: str, second: str, words: list[str]
) -> None:
    verification = decide_between({"a.txt": first, "b.txt": second}, first, second)
    assert verification.verdict == "both"
    assert all(word in verification.reason for word in words)
    assert [(one.passage, one.supports) for one in verification.evidence] == [(first, "first"), (second, "second")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The tower was built in 1869.", "The tower was built in 1875."),
        ("In 2010 the population of Holt was 512.", "The population of Holt in 2010 was 634."),
        ("The old mill was built in 1772.", "The old mill was built in 1869."),
        ("Holt (Kent) was founded in 1772.", "Holt (Kent) was founded in 1869."),
        ("The peak is 8,848 m high.", "The peak is about 7,200 m high."),
        ("In 1969 the tower was 112 m high.", "In 1971 the tower was 165 m high."),
        ("Opened in 1969, the mill has 112 rooms.", "Opened in 1971, the mill has 165 rooms."),
    ],
)
def test_claims_of_one_thing_time_and_scope_do_not_both_hold(first: str, second: str) -> None:
    assert decide_between({"a.txt": first, "b.txt": second}, first, second).verdict == "inconclusive"


def test_another_word_in_a_copy_is_one_more_thing_that_was_changed() -> None:
    census = LONG.format("The population of the urban area of Holt was 512 in the census of 2000.")
    changed = census.replace("urban", "rural").replace("512", "634").replace("2000", "2003")
    assert decide_between({"a.txt": census, "b.txt": changed}, "512", "634").verdict == "inconclusive"


def test_a_reference_that_tells_the_two_apart_is_quoted() -> None:
    said = "Beacon Mill was built in 1772 and rebuilt in 1869."
    verification, _, _ = decide(references={"register.txt": said})
    assert verification.verdict == "both"
    assert verification.reason == f"register.txt tells them apart: “{said}”."


# -- dates and precision ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "documents",
    [
        {
            "old.txt": "Published 2 May 2010.\n\nThe population of Holt is 512.",
            "new.txt": "Last updated: 3 June 2020\n\nThe population of Holt is 634. It is a fine village.",
        },
        {
            "report-2010.txt": "The population of Holt is 512.",
            "report-2020.txt": "The population of Holt is 634. It is a fine village.",
        },
    ],
)
def test_the_newer_of_two_statements_of_what_changes_with_time_holds(documents: dict[str, str]) -> None:
    verification = decide_between(documents, "512", "634")
    assert verification.verdict == "second"
    assert "changes with time, and what is of 2020 outweighs what is of 2010" in verification.reason


def test_age_says_nothing_of_what_does_not_change() -> None:
    documents = {"old-2010.txt": GUIDE, "new-2020.txt": LEAFLET}
    assert decide_between(documents).verdict == "inconclusive"


def test_a_newer_statement_makes_a_verdict_surer_and_an_older_one_less_sure() -> None:
    old, new = {"a-2010.txt": "The population of Holt is 512."}, {"b-2020.txt": "The population of Holt is 634."}
    undated = {"a.txt": old["a-2010.txt"], "b.txt": new["b-2020.txt"]}
    for_new = {"c.txt": "The village has a pond. At last count the population of Holt was 634."}
    for_old = {"c.txt": "The village has a pond. At last count the population of Holt was 512."}
    assert decide_between(old | new | for_new, "512", "634").confidence > (
        decide_between(undated | for_new, "512", "634").confidence
    )
    assert decide_between(undated | for_old, "512", "634").verdict == "first"
    assert decide_between(old | new | for_old, "512", "634").verdict == "inconclusive"


def test_a_value_given_only_about_counts_less() -> None:
    parties = {"a.txt": "The tower is 112 m high.", "b.txt": "The tower is 165 m high."}
    exact = decide_between(parties | {"c.txt": "We measured it with care. The tower is 112 m high."}, "112", "165")
    about = decide_between(
        parties | {"c.txt": "We measured it with care. The tower is about 112 m high."}, "112", "165"
    )
    assert exact.verdict == about.verdict == "first"
    assert about.confidence < exact.confidence


# -- the web ---------------------------------------------------------------------------------------------


class Online(Memory):
    """With a key for the web: each search finds one page, which says this; `down` when it cannot be had."""

    web = True
    says = "Beacon Mill was built in 1869."
    down = False

    def web_search(self, query: str) -> tuple[WebPage, ...]:
        self.searched.append(f"web: {query}")
        if self.down:
            raise ToolError("the web cannot be reached")
        return (WebPage(url="https://mills.example/beacon", title="Mills", text=self.says),)


def test_the_web_is_asked_where_the_rest_settles_nothing() -> None:
    memory = Online(PARTIES)
    verification = verified(memory, memory.disagree("1772", "1869"))
    assert verification.verdict == "second"
    assert heard(verification) == [("https://mills.example/beacon", "second")]
    alone = decide({"a.txt": f"We read this. {REBUILT}"})[0]
    assert verification.confidence < alone.confidence


def test_the_web_is_not_asked_where_the_rest_settles_it() -> None:
    memory = Online(PARTIES, {"register.txt": f"The register. {BUILT}"})
    assert verified(memory, memory.disagree("1772", "1869")).verdict == "first"
    assert not [query for query in memory.searched if query.startswith("web:")]


def test_a_web_that_cannot_be_had_is_on_the_record_and_the_rest_still_counts() -> None:
    memory = Online(PARTIES)
    memory.down = True
    conflict = memory.disagree("1772", "1869")
    result = verify(memory.prompt("Verify x1.", conflict), conflict, memory)
    assert result.verification is not None
    assert result.verification.verdict == "inconclusive"
    assert "the web cannot be reached" in [message.content for message in result.messages]


# -- one dispute in several places -----------------------------------------------------------------------

TWINS = PARTIES | {"atlas.txt": f"An atlas of mills. {BUILT}", "poster.txt": f"Come and see! {REBUILT}"}


def settled(memory: Memory, verdict: Verdict, by: DecidedBy = "agent") -> Conflict:
    """A conflict like the others, that was decided."""
    conflict = memory.disagree("built in 1772", "Beacon Mill was built in 1869")
    evidence = (Evidence(source="register.txt", passage=BUILT, supports="first"),)
    decided = conflict.model_copy(
        update={"verdict": verdict, "decided_by": by, "reason": "the register says so", "confidence": 0.8}
    )
    memory.found[-1] = decided.model_copy(update={"evidence": evidence})
    return memory.found[-1]


def opened(memory: Memory, first: str, second: str) -> Conflict:
    claims = tuple(
        next(c for n in memory.nodes for c in n.claims if c.source == s and "Mill was" in c.text)
        for s in (first, second)
    )
    return memory.disagree("1772", "1869").model_copy(update={"claims": claims})


@pytest.mark.parametrize(
    ("sources", "verdict", "supports"),
    [(("atlas.txt", "poster.txt"), "first", "first"), (("poster.txt", "atlas.txt"), "second", "second")],
)
def test_a_dispute_that_was_settled_elsewhere_is_not_verified_again(
    sources: tuple[str, str], verdict: Verdict, supports: str
) -> None:
    memory = Memory(TWINS)
    settled(memory, "first")
    again = verified(memory, opened(memory, *sources))
    assert (again.verdict, again.confidence) == (verdict, 0.8)
    assert again.reason == "The same dispute as x1: the register says so"
    assert heard(again) == [("register.txt", supports)]


def test_what_a_person_decided_holds_for_the_same_dispute_elsewhere() -> None:
    memory = Memory(TWINS)
    settled(memory, "second", "person")
    assert verified(memory, opened(memory, "atlas.txt", "poster.txt")).verdict == "second"


def test_a_reopened_conflict_is_verified_anew_though_its_like_was_settled() -> None:
    memory = Memory(TWINS, {"register.txt": f"The register. {REBUILT}"})
    settled(memory, "first")
    evidence = (Evidence(source="register.txt", passage=BUILT, supports="first"),)
    reopened = opened(memory, "guide.txt", "leaflet.txt").model_copy(update={"evidence": evidence})
    assert "The same dispute" not in verified(memory, reopened).reason


def test_a_like_that_could_not_be_settled_settles_nothing() -> None:
    memory = Memory(TWINS)
    settled(memory, "inconclusive")
    assert "The same dispute" not in verified(memory, opened(memory, "guide.txt", "leaflet.txt")).reason


@pytest.mark.parametrize(
    "said",
    [
        "Guides often give 1869, but Beacon Mill was built in 1772.",
        "In 1869 the king came to see the town, and Beacon Mill, built in 1772, was shown to him.",
    ],
)
def test_a_statement_that_only_names_the_other_value_bears_out_one_side(said: str) -> None:
    verification, _, _ = decide(references={"register.txt": said})
    assert verification.verdict == "first"


def test_two_things_with_the_same_two_values_are_two_disputes() -> None:
    built = "{} was built in {}."
    said = [built.format(name, year) for name in ("Alder Mill", "Birch Castle") for year in (1869, 1905)]
    memory = Memory({f"{number}.txt": text for number, text in enumerate(said)})
    memory.disagree(said[0], said[1], "first")
    assert "The same dispute" not in verified(memory, memory.disagree(said[2], said[3])).reason


def test_another_value_of_the_same_thing_is_another_dispute() -> None:
    memory = Memory(PARTIES | {"atlas.txt": "An atlas of mills. Beacon Mill was built in 1805."})
    settled(memory, "first")
    conflict = memory.disagree("1805", "Beacon Mill was built in 1869")
    assert "The same dispute" not in verified(memory, conflict).reason


# -- what the record shows -------------------------------------------------------------------------------


def test_evidence_is_the_exact_passage_with_its_place() -> None:
    document, reference = (
        "We walked. In 1869 Beacon Mill was built.",
        "Mills.\n\nBeacon Mill was built in\n1869. It is tall.",
    )
    verification, _, memory = decide({"diary.txt": document}, {"register.txt": reference})
    assert verification.evidence == (
        Evidence(source="register.txt", passage="Beacon Mill was built in\n1869.", supports="second", page=1),
        Evidence(source="diary.txt", passage="In 1869 Beacon Mill was built.", supports="second", entry_id="e3"),
    )
    assert verification.evidence[0].passage in reference
    assert verification.evidence[1].passage in memory.entries["n3"].text


def test_the_reason_names_the_supporter_the_claim_and_who_speaks_against_it() -> None:
    verification, result, _ = decide({"a.txt": "In 1772 Beacon Mill was built."}, {"register.txt": LEAFLET})
    for said in ("register.txt", "leaflet.txt", "Beacon Mill was built in 1869.", "against it: a.txt"):
        assert said in verification.reason
    assert result.answer == f"The second claim holds. {verification.reason}"


def test_the_messages_hold_the_question_both_sides_what_was_heard_and_the_verdict() -> None:
    verification, result, memory = decide({"a.txt": "In 1772 Beacon Mill was built."}, {"register.txt": LEAFLET})
    text = "\n".join(message.content for message in result.messages)
    for said in ("Verify x1.", "guide.txt", "leaflet.txt", "In 1772 Beacon Mill was built.", verification.reason):
        assert said in text
    tools = {message.source: message for message in result.messages if message.role == "tool"}
    assert {name: message.from_memory for name, message in tools.items()} == {"a.txt": True, "register.txt": False}
    assert result.messages[-1].content.startswith("Verdict: second")
    assert {claim.text for claim in memory.found[0].claims} <= set(memory.searched)


def test_the_title_of_a_document_tells_what_its_claims_are_about() -> None:
    memory = Memory(
        {"a.txt": "It stands in Kent. The mill was built in 1772.", "b.txt": "The mill was built in 1869."},
        {"register.txt": "Beacon Mill was built in 1869."},
        title="Beacon Mill",
    )
    conflict = memory.disagree("1772", "1869")
    verification = verify(memory.prompt("Verify x1.", conflict), conflict, memory).verification
    assert verification is not None
    assert verification.verdict == "second"


# -- how sure it is --------------------------------------------------------------------------------------


def registers(first: int, second: int) -> dict[str, str]:
    """So many references of their own wording for each side."""
    towns = (
        "Ashford",
        "Benenden",
        "Cranbrook",
        "Dover",
        "Eltham",
        "Faversham",
        "Goudhurst",
        "Hythe",
        "Ightham",
        "Kent",
    )
    return {
        f"{side}-{number}.txt": f"{towns[number % 10]} records, part {number}: Beacon Mill was built in {year}."
        for side, year, count in (("first", 1772, first), ("second", 1869, second))
        for number in range(count)
    }


def test_more_independent_support_makes_it_surer() -> None:
    confidences = [decide(references=registers(count, 0))[0].confidence for count in (1, 2)]
    alone = decide({"a.txt": "In 1772 Beacon Mill was built."})[0].confidence
    assert alone < confidences[0] < confidences[1]


def test_a_voice_against_it_makes_it_less_sure() -> None:
    assert decide(references=registers(2, 1))[0].confidence < decide(references=registers(2, 0))[0].confidence


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_verdict_is_what_most_say_and_its_confidence_a_probability(first: int, second: int) -> None:
    verification, _, _ = decide(references=registers(first, second))
    wanted = "first" if first > second else "second" if second > first else "inconclusive"
    assert verification.verdict == wanted
    assert len(verification.evidence) == first + second
    assert 0.5 <= verification.confidence <= 1.0


@given(st.integers(0, 4), st.integers(0, 4))
def test_which_claim_comes_first_makes_no_difference(first: int, second: int) -> None:
    there, _, _ = decide(references=registers(first, second))
    back, _, _ = decide(references=registers(second, first))
    swapped = {"first": "second", "second": "first"}
    assert swapped.get(there.verdict, there.verdict) == back.verdict
    assert there.confidence == back.confidence
