"""Research without a model: the words of the question are what is needed, and names in what was found lead on.

A sentence is kept for what it adds: words of the question that no other has. It is enough when none is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memory_bank.agents.research import (
    MOST_FOLLOW_UPS,
    MOST_PAGE_IDS,
    Finding,
    Findings,
    FindingsGiven,
    Need,
    Page,
    PlanGiven,
    Reflection,
    ReflectionGiven,
    ResearchPlan,
)
from memory_bank.engines.offline.language.chinese_names import chinese_names
from memory_bank.engines.offline.summary import is_heading
from memory_bank.modules.sentences import sentences
from memory_bank.modules.titles import names, title_words
from memory_bank.modules.tokens import holds_chinese, tokenize, words
from memory_bank.values.names import find_names, quoted_titles

MOST_FINDINGS = 6
LEADING_PAGES = 2
"""Pages whose names are followed: what the question is about, and what that leads to at once."""
UNASKED = 0.2
"""What a name weighs in a sentence that holds no word of the question, where 1 is all of them."""


class _Told(NamedTuple):
    """A sentence of a page: what it says, and what of, in words that are looked up."""

    text: str
    page_id: str
    words: frozenset[str]


class _Lead(NamedTuple):
    """A name to ask about, and what; `beside` tells whether a word of the question stands in its sentence."""

    name: tuple[str, ...]
    asked: str
    weight: float
    beside: bool


def plan_research(given: PlanGiven) -> ResearchPlan:
    """Each request is looked for by its words and by its meaning; pages whose titles a request names are opened."""
    needs = tuple(Need(fact=asked, keywords=asked, sentence=asked) for asked in given.requests)
    asked = [words(request) for request in given.requests]
    named = (page.id for page in given.known if any(names(text, title_words(page.title)) for text in asked))
    return ResearchPlan(needs=needs, page_ids=tuple(named)[:MOST_PAGE_IDS])


def find(given: FindingsGiven) -> Findings:
    """The sentences that hold the words of the question between them, each for what it adds, best first."""
    known = (_Told(one.text, one.page_ids[0], frozenset(tokenize(one.text))) for one in given.findings)
    waiting = list(dict.fromkeys([*known, *_told(given.pages)]))
    left = set(tokenize(given.question))
    found: list[Finding] = []
    while waiting and len(found) < MOST_FINDINGS:
        best = max(waiting, key=lambda told: len(left & told.words))
        if left.isdisjoint(best.words):
            break
        left -= best.words
        found.append(Finding(text=best.text, page_ids=(best.page_id,)))
    return Findings(findings=tuple(found))


def reflect(given: ReflectionGiven) -> Reflection:
    """Each name that was found is asked what the question asks, those beside its words first.

    It is enough when every word of the question was found, and none of them beside a name that is still to be asked.
    """
    leads: dict[tuple[str, ...], _Lead] = {}
    for place, page in enumerate(given.pages[:LEADING_PAGES]):
        for lead in _leads(given, page):
            weighed = lead._replace(weight=lead.weight / (1 + place))
            leads[lead.name] = max(weighed, leads.get(lead.name, weighed), key=lambda one: one.weight)
    best = sorted(leads.values(), key=lambda lead: lead.weight, reverse=True)
    if _all_found(given) and not any(lead.beside for lead in best):
        return Reflection(enough=True)
    return Reflection(enough=False, follow_ups=tuple(lead.asked for lead in best[:MOST_FOLLOW_UPS]))


def _all_found(given: ReflectionGiven) -> bool:
    titles = {page.id: page.title for page in given.pages}
    said = (f"{titles.get(one.page_ids[0], '')} {one.text}" for one in given.findings)
    return set(tokenize(given.question)) <= {word for text in said for word in tokenize(text)}


def _told(pages: Sequence[Page]) -> Iterator[_Told]:
    for page in pages:
        for span in sentences(page.text):
            text = span.of(page.text)
            if not is_heading(text):
                yield _Told(text, page.id, frozenset(tokenize(f"{page.title} {text}")))


def _leads(given: ReflectionGiven, page: Page) -> Iterator[_Lead]:
    """The names in a page that nobody asked about, each with how much of the question stands beside it."""
    rest = set(tokenize(given.question)) - set(tokenize(page.title))
    known = [words(text) for text in (given.question, page.title, *_names_of(given.requests))]
    for span in sentences(page.text):
        text = span.of(page.text)
        beside = len(rest & set(tokenize(text))) / max(len(rest), 1)
        for name in _names(text):
            found = tuple(words(name))
            if found and not any(names(other, found) for other in known):
                yield _Lead(found, f"{name}: {_without(given.question, page.title)}", UNASKED + beside, beside > 0)


def _names_of(requests: Sequence[str]) -> Iterator[str]:
    """The names that follow-ups were about."""
    return (request.partition(":")[0] for request in requests)


def _names(text: str) -> Iterator[str]:
    titles = list(quoted_titles(text))
    yield from (text[start:end] for start, end in titles)
    yield from (" ".join(text[name.start : name.end].split()) for name in find_names(text, titles))
    yield from chinese_names(text)


def _without(question: str, title: str) -> str:
    """The question without the words of a title: what is asked of whatever else it leads to."""
    known = set(words(title))
    rest = question.replace(title, " ") if holds_chinese(title) else question  # which has no spaces to split it at
    return " ".join(word for word in rest.split() if not known.issuperset(words(word)) or not words(word))
