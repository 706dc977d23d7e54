"""Select the passages that answer a question, as the answer model judges, in the form that its kind asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from memory_bank.bank.conflict import Conflict
from memory_bank.bank.task_kind import TaskKind
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.judgement.judge import PairJudge, says_the_same
from memory_bank.judgement.pair_model import is_english
from memory_bank.judgement.reader import Reader
from memory_bank.judgement.statement import Statement
from memory_bank.search.embedding import MULTILINGUAL_MODEL, Embedder
from memory_bank.search.relevance import Relevance
from memory_bank.text.language_detection import detect_language
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.values import (
    TextValue,
    ValueKind,
    dates_in,
    differing_values,
    equal_in_values,
    extract_values,
    figures,
    same,
)
from memory_bank.text.wording import Wording

MOST_READ = 96
"""Most passages that the answer model reads for one question: the most relevant ones."""
ANSWERS = 0.5
"""Probability from which a passage answers a question, also beside the answer of another document. From 0.25 on more
answers are complete in dossiers of documents on one matter, but in ordinary documents most of what is added is not."""
PERHAPS = 0.25
"""Probability from which the likeliest passage is shown as what may answer, where none answers. Of 120 questions on 24
sets of public documents the likeliest lies between this and `ANSWERS` for 12 of 98 that have an answer, and does answer
6 of them, and for 2 of 22 that have none."""
LIKELY = 0.7
"""Probability from which a passage is likely to answer, so that it may deny another answer."""
CERTAIN = 0.8
"""Probability from which an answer is affirmed; a less likely one is shown as what may answer. Of 90 English questions
on sets of public documents the likeliest passage reaches this for 19, and answers 18 of them; for 24 it lies between
`ANSWERS` and this, and it answers 14 of them."""
ALONE_ODDS, ALONE_LAG, ALONE_BASE = 0.5, 11.5, 0.6
"""Where the small network alone judges an answer, as in German and Chinese: what its log odds count, what they lose by
how much less relevant the passage is than the most relevant one, and what they lose at all. Of 307 such questions with
an answer on 12 sets of public documents the likeliest passage answers .46 with this, by cross-validation over sets, and
.36 by the network's odds alone, of whose 68 surest 31 are right; of 12 that reach `CERTAIN` with this 9 are."""
SURE, SURE_ODDS = 0.9, 0.11
"""Shares of the best probability, and of its odds, from which a second passage answers about as likely."""
MOST_CERTAIN = 0.9999
"""Probability that counts as certain, so that it has odds."""
MISSING_NAME_SHARE, OTHER_SUBJECT_FACTOR = 0.5, 0.3
"""Share of the question's name words whose absence means another subject; the factor on the probability then."""
OF_SEVERAL = 0.3
"""Probability from which a passage is an item of a list, where at least one item reaches `ANSWERS`."""
MOST_OF_ONE, MOST_DOCUMENTS, MOST_SPOKEN, MOST_OF_SEVERAL, MOST_ITEMS = 2, 4, 6, 8, 12
NUMBERS_READ = frozenset({"en", "zh", None})
"""The languages whose words for numbers are read as figures; a text of unclear language counts too."""
MATCHES = 0.7
"""Relevance of a question or heading from which what stands under it answers."""
NAMES_LIST = 0.5
"""The same of the heading of a list, for a task that asks for a list."""
MOST_SENTENCES = 4
MAY_ANSWER = Wording("Not certain, but this may be the answer")
"""Heading over the likeliest passage where none surely answers."""
AboutTwoThings = Callable[[CandidatePassage, CandidatePassage], bool]
"""Whether two passages are likely about two things."""
LIST_KINDS = frozenset({TaskKind.LIST, TaskKind.COMPARISON, TaskKind.CHANGES})


@dataclass(frozen=True)
class Candidate:
    """A passage with the probability that it answers, and how it is shown in the answer.

    `label` is shown before it: the date in a time line, the document or thing in a comparison. `heading` is shown above
    its group. Where there are others `beside` it, the label was computed from all of them. Where it is `opposed`,
    another document denies it; where it is `unsure`, it may answer but not surely. It is `named` where its document has
    the names that the question gives. Of a list that is cut off it tells how many `more` items there are.
    """

    passage: CandidatePassage
    probability: float
    answer: str = ""
    """The words of the passage that answer."""
    label: str | None = None
    heading: str | None = None
    beside: tuple[CandidatePassage, ...] = ()
    opposed: bool = False
    unsure: bool = False
    named: bool = False
    more: int = 0


def rank_by_answer(
    question: str, pool: Sequence[CandidatePassage], embedder: Embedder, reader: Reader
) -> list[Candidate]:
    """The most relevant passages with their probability to answer the question, likeliest first."""
    passages = [passage for passage in pool if passage.stands_alone]
    weighed, relevance = embedder.name == MULTILINGUAL_MODEL, np.zeros(len(passages))
    if weighed or len(passages) > MOST_READ:
        relevance = Relevance([question], embedder).of([f"{passage.context} {passage.text}" for passage in passages])
        chosen = sorted(np.argsort(-relevance, kind="stable")[:MOST_READ])
        passages, relevance = [passages[n] for n in chosen], relevance[chosen]
    name_words, days = _name_words(question, passages), dates_in(question)
    found = _found_in_documents(name_words, pool) if name_words else {}
    candidates = []
    read = read_passages(question, passages, reader)
    for one in _with_relevance(question, read, relevance) if weighed else read:
        known = found.get(one.passage.document, ())
        is_named = len(known) > (1 - MISSING_NAME_SHARE) * len(name_words) or not name_words
        factor = 1.0 if is_named and is_of_days(one.passage, days) else OTHER_SUBJECT_FACTOR
        named = is_named and bool(name_words)
        candidates.append(replace(one, probability=one.probability * factor, named=named))
    return sorted(candidates, key=lambda candidate: -candidate.probability)


def read_passages(question: str, passages: Sequence[CandidatePassage], reader: Reader) -> list[Candidate]:
    """Each passage with the probability that it answers the question, and its words that do."""
    statements = [passage.as_read for passage in passages]
    answers = reader.answers(question, statements)
    return [
        Candidate(passage, answer.probability, statement.text[answer.start : answer.end])
        for passage, statement, answer in zip(passages, statements, answers, strict=True)
    ]


def _with_relevance(question: str, read: Sequence[Candidate], relevance: NDArray[np.float64]) -> Iterator[Candidate]:
    """The candidates; how relevant one is counts too where the small network alone judged whether it answers."""
    for one, relevant in zip(read, relevance, strict=True):
        if is_english((one.passage.as_read, Statement(question))):
            yield one
        else:
            odds = ALONE_ODDS * log_odds(one.probability) - ALONE_LAG * (relevance.max() - relevant) - ALONE_BASE
            yield replace(one, probability=1 / (1 + math.exp(-odds)))


def log_odds(probability: float) -> float:
    """The log odds of a probability, of certainty too."""
    certain = min(max(probability, 1 - MOST_CERTAIN), MOST_CERTAIN)
    return math.log(certain / (1 - certain))


def as_likely_as(best: float) -> float:
    """The probability from which a passage answers about as likely as the best one; near 1 the odds tell them apart."""
    odds = SURE_ODDS * math.exp(log_odds(best))
    return max(ANSWERS, SURE * best, odds / (1 + odds))


def answering_conflicts(conflicts: Sequence[Conflict], ranked: Sequence[Candidate]) -> list[Conflict]:
    """The conflicts of which a side answers best, or about as likely as what does, while the other may answer too.

    A side is as likely as the likeliest passage that states a claim of it. `ranked` are the candidates for the
    question, likeliest first.
    """
    best = ranked[0].probability if ranked else 0.0
    found = []
    for conflict in conflicts:
        stating = (
            [one.probability for one in ranked if any(one.passage.states(claim) for claim in side)]
            for side in conflict.sides
        )
        less, more = sorted(next(iter(each), 0.0) for each in stating)
        if more >= as_likely_as(best) and (more == best or less >= OF_SEVERAL):
            found.append(conflict)
    return found


def most_relevant(question: str, pool: Sequence[CandidatePassage], embedder: Embedder) -> list[Candidate]:
    """The passages most relevant to a question, without the answer model.

    For questions what somebody said of something, where no single passage is an answer.
    """
    relevance = Relevance([question], embedder).of([passage.text for passage in pool])
    best = float(max(relevance, default=0.0))
    chosen = [n for n in np.argsort(-relevance, kind="stable") if relevance[n] >= max(OF_SEVERAL, SURE * best)]
    return [Candidate(pool[n], float(relevance[n])) for n in chosen[:MOST_SPOKEN]]


def _name_words(question: str, passages: Sequence[CandidatePassage]) -> set[str]:
    """The words of the names in a question. In German any noun looks like a name of one word, so these do not count.

    A short question is said twice to tell its language, which is not always that of the passages.
    """
    names = [value.text for value in extract_values(question) if value.kind is ValueKind.NAME and not value.initial]
    if (
        names
        and (detect_language(f"{question} {question}") or detect_language(" ".join(one.text for one in passages)))
        == "de"
    ):
        names = [name for name in names if len(name.split()) > 1]
    return {word for name in names for word in tokenize(name)}


def _found_in_documents(name_words: set[str], pool: Iterable[CandidatePassage]) -> dict[str, set[str]]:
    """Which of some words each document has: in its name, in what stands above its passages, or in its text."""
    texts: dict[str, dict[str, None]] = {}
    for passage in pool:
        own = texts.setdefault(passage.document, {})
        own |= dict.fromkeys((passage.source, passage.context, passage.entry.text))
    return {document: name_words.intersection(tokenize("\n".join(own))) for document, own in texts.items()}


def is_of_days(passage: CandidatePassage, asked: Sequence[TextValue]) -> bool:
    """Whether a passage stands under no heading of other dates than those asked about, or names one of these itself."""
    under = dates_in(passage.lead) if asked else []
    own = [*under, *dates_in(passage.text)] if under else []
    return not own or any(same(one, date) is not False for one in asked for date in own)


def choose(
    kind: TaskKind,
    ranked: Sequence[Candidate],
    aside: set[CandidatePassage],
    judge: PairJudge,
    about_two_things: AboutTwoThings,
) -> list[Candidate]:
    """The answers to a question of a kind, none of them set `aside`; empty where even the best is too unlikely.

    The best probability counts those set aside: beside a likely answer in dispute an unlikely one is no answer, unless
    it is about another thing.
    """
    best = ranked[0].probability if ranked else 0.0
    standing = _standing(kind, ranked, aside)
    if best < ANSWERS or not standing:
        return []
    if kind in LIST_KINDS:
        items = [candidate for candidate in standing if candidate.probability >= OF_SEVERAL]
        chosen = _whole_list(standing) or without_repeats(items, judge, MOST_OF_SEVERAL)
        return sorted(chosen, key=position_of)
    likely = [candidate for candidate in standing if candidate.probability >= as_likely_as(best)]
    chosen = without_repeats(_of_each_value(likely), judge, MOST_OF_ONE)
    disputed = [one for one in ranked[:1] if one.passage in aside]
    others = _of_other_documents(chosen, standing, disputed, about_two_things) if chosen or disputed else ()
    return without_repeats(_of_each_value([*chosen, *others]), judge, MOST_DOCUMENTS)


def perhaps(kind: TaskKind, ranked: Sequence[Candidate], aside: set[CandidatePassage]) -> list[Candidate]:
    """The likeliest passage as what may answer a question, where it is likely enough; none set `aside`."""
    likeliest = _standing(kind, ranked, aside)[:1]
    return [_unsure(one) for one in likeliest if one.probability >= PERHAPS]


def unless_certain(answers: Sequence[Candidate], decided: Callable[[CandidatePassage], bool]) -> list[Candidate]:
    """The answers; as what may answer those that are shown plainly, where none of these is certain or `decided`."""
    plain = [one for one in answers if one.heading is None and not one.beside]
    if any(one.probability >= CERTAIN or decided(one.passage) for one in plain):
        return list(answers)
    return [_unsure(one) if one in plain else one for one in answers]


def _unsure(one: Candidate) -> Candidate:
    return replace(one, heading=MAY_ANSWER, unsure=True)


def _standing(kind: TaskKind, ranked: Sequence[Candidate], aside: set[CandidatePassage]) -> list[Candidate]:
    """The candidates that are not set aside. What holds no figure does not answer how many or how much."""
    standing = [candidate for candidate in ranked if candidate.passage not in aside]
    if kind is not TaskKind.COUNT:
        return standing
    texts = [(one.passage.text, f"{one.passage.context} {one.passage.text}") for one in standing]
    may_hold = [figures(text) or detect_language(in_context) not in NUMBERS_READ for text, in_context in texts]
    return [one for one, holds in zip(standing, may_hold, strict=True) if holds]


def _of_other_documents(
    chosen: Sequence[Candidate],
    standing: Sequence[Candidate],
    disputed: Sequence[Candidate],
    about_two_things: AboutTwoThings,
) -> Iterator[Candidate]:
    """The likeliest answer of each document that none is chosen of; of none that is about the same thing as a dispute.

    One with another value only where it is likely, or about another thing; about another thing of the name asked for
    also one that is less likely: of 20 such answers, to questions of the training corpus on things of one name, 19 are
    right.
    """
    said = list(chosen)
    documents = {candidate.passage.document for candidate in chosen}
    for candidate in standing:
        if candidate.probability < PERHAPS or candidate.passage.document in documents:
            continue
        documents.add(candidate.passage.document)
        others = said if candidate.probability < ANSWERS else []
        if ANSWERS <= candidate.probability < LIKELY:
            others = [other for other in said if differing_values(candidate.answer, other.answer)]
        may_stand = candidate.probability >= ANSWERS or candidate.named
        if may_stand and all(about_two_things(candidate.passage, other.passage) for other in (*others, *disputed)):
            said.append(candidate)
            yield candidate


def _of_each_value(likely: Sequence[Candidate]) -> list[Candidate]:
    """Of answers that are equal in all their values, the first: "11 countries", not "eleven countries" too."""
    chosen: list[Candidate] = []
    for candidate in likely:
        if not any(equal_in_values(candidate.answer, other.answer) for other in chosen):
            chosen.append(candidate)
    return chosen


def _whole_list(standing: Sequence[Candidate]) -> list[Candidate]:
    """All items of the list that the likeliest answer is an item of, if another item is likely too; else none."""
    first = standing[0]
    items = [one for one in standing if one.passage.item and one.passage.section == first.passage.section]
    likely = [item for item in items if item.probability >= OF_SEVERAL]
    return first_items(sorted(items, key=position_of)) if first.passage.item and len(likely) > 1 else []


def first_items(items: Sequence[Candidate]) -> list[Candidate]:
    """The first items of a list, each with how many more there are."""
    return [replace(item, more=max(0, len(items) - MOST_ITEMS)) for item in items[:MOST_ITEMS]]


def replace_refuted(
    found: Sequence[Candidate], references: Sequence[Candidate], decided: Callable[[CandidatePassage], bool]
) -> list[Candidate]:
    """Replace each answer with the likeliest reference where all references that answer have another value.

    `references` are ranked. Answers on which a verdict was given (`decided`) stay. Contradictions without a value need
    no check here: they were found when the sources were compared.
    """
    best = references[0].probability if references else 0.0
    likely = [reference for reference in references if reference.probability >= max(ANSWERS, SURE * best)]

    def refuted(candidate: Candidate) -> bool:
        differs = all(differing_values(candidate.answer, reference.passage.text) for reference in likely)
        return differs and not decided(candidate.passage)

    answers = [likely[0] if likely and refuted(candidate) else candidate for candidate in found]
    return list({answer.passage: answer for answer in answers}.values())


def of_one_value(found: Sequence[Candidate]) -> list[Candidate]:
    """The answers to a question for one thing, without other values that the first one's document also has."""
    return [
        one
        for one in found
        if one.passage.document != found[0].passage.document or not differing_values(found[0].answer, one.answer)
    ]


def beside_disputed(
    answers: Iterable[Candidate], disputed: Sequence[Candidate], about_two_things: AboutTwoThings
) -> list[Candidate]:
    """The answers without those that are less likely than a passage in dispute on the same thing."""
    return [
        one
        for one in answers
        if all(
            one.probability >= other.probability or about_two_things(one.passage, other.passage) for other in disputed
        )
    ]


def without_repeats(candidates: Sequence[Candidate], judge: PairJudge, most: int) -> list[Candidate]:
    """The first `most` candidates that do not say the same as an earlier one."""
    chosen: list[Candidate] = []
    for candidate in candidates:
        if len(chosen) == most:
            break
        statement = candidate.passage.statement
        if not any(says_the_same(statement, other.passage.statement, judge) for other in chosen):
            chosen.append(candidate)
    return chosen


def position_of(candidate: Candidate) -> tuple[str, int]:
    """The document of its passage, and where it stands in it."""
    return candidate.passage.position


# -- where a heading or a question of a document says what is asked, the answer is what stands under it ----------------


def under_matching_lead(
    kind: TaskKind, question: str, pool: Sequence[CandidatePassage], embedder: Embedder, reader: Reader
) -> list[Candidate]:
    """The first sentences, or the list, under the heading or question that says what is asked; none where none does.

    A list under a like heading may still be about something else: it is one only where it may answer (`PERHAPS`).
    """
    sections = by_section(pool)
    if not sections:
        return []
    relevance = Relevance([question], embedder).of([section[0].lead for section in sections])
    best = int(np.argmax(relevance))
    section = sorted(sections[best], key=lambda passage: passage.position)
    if kind is TaskKind.LIST:  # a sentence may introduce the list
        section = [passage for passage in section if passage.item] or section
    is_list = section[0].item
    if relevance[best] < (NAMES_LIST if is_list and kind is TaskKind.LIST else MATCHES):
        return []
    if not is_list:
        return [Candidate(passage, 1.0) for passage in section[:MOST_SENTENCES]]
    items = list(takewhile(lambda passage: passage.item, section))
    answers = reader.answers(question, [as_sentence(items)])[0].probability >= PERHAPS
    return first_items([Candidate(passage, 1.0) for passage in items]) if answers else []


def answering_list(question: str, pool: Sequence[CandidatePassage], reader: Reader) -> list[Candidate]:
    """The items of the list that answers, read as one sentence with its heading; none where none does.

    Of 36 questions on public documents that no single passage answers a list answers 3, all of them rightly; of the 17
    among them that have no answer none is half as likely.
    """
    lists = [items for section in by_section(pool) if len(items := [one for one in section if one.item]) > 1]
    answers = reader.answers(question, [as_sentence(items) for items in lists])
    best = max(range(len(lists)), key=lambda n: answers[n].probability, default=None)
    if best is None or answers[best].probability < ANSWERS:
        return []
    items = sorted(lists[best], key=lambda item: item.position)
    return first_items([Candidate(item, answers[best].probability) for item in items])


def as_sentence(items: Sequence[CandidatePassage]) -> Statement:
    """A list as one sentence with its heading."""
    return Statement(f"{items[0].lead}: {'; '.join(item.text for item in items)}", items[0].context)


def by_section(pool: Iterable[CandidatePassage]) -> list[list[CandidatePassage]]:
    """The passages that stand under one heading, question or label together, without those that stand under none."""
    sections: dict[tuple[str, str, int], list[CandidatePassage]] = {}
    for passage in pool:
        if passage.lead:
            sections.setdefault(passage.section, []).append(passage)
    return list(sections.values())
