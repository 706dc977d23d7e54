"""Research without a model: look for the words of the question, and follow up the names that were found.

A sentence is selected for what it adds: words of the question that no selected sentence has yet. The result is enough
when no word is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memory_bank.agents import research
from memory_bank.text.chinese_names import chinese_names
from memory_bank.text.sentences import sentences
from memory_bank.text.summary import is_markdown_heading
from memory_bank.text.titles import contains_title, title_words
from memory_bank.text.tokens import holds_chinese, tokenize, words
from memory_bank.text.values.names import find_names, quoted_titles

MOST_FINDINGS = 6
LEADING_PAGES = 2
"""Pages whose names are followed up: the one the question is about, and the one that leads to at once."""
BASE_NAME_WEIGHT = 0.2
"""Weight of a name in a sentence without a word of the question; the share of those words is added (at most 1)."""


class _FollowUp(NamedTuple):
    """A name to ask about, and the request for it; `share` of the question's words are in its sentence."""

    name: tuple[str, ...]
    request: str
    share: float
    weight: float


def plan_research(agent_input: research.PlanInput) -> research.ResearchPlan:
    """Search for each request by its words and its meaning; open the pages whose titles a request names."""
    needs = tuple(research.Need(fact=request, keywords=request, sentence=request) for request in agent_input.requests)
    requests = [words(request) for request in agent_input.requests]
    named = (
        page.id for page in agent_input.known if any(contains_title(text, title_words(page.title)) for text in requests)
    )
    return research.ResearchPlan(needs=needs, page_ids=tuple(named)[: research.MOST_PAGE_IDS])


def select_findings(agent_input: research.FindingsInput) -> research.Findings:
    """Select sentences that together hold the words of the question, each the one that adds most (greedy set cover)."""
    candidates = [(finding.text, finding.page_ids[0], set(tokenize(finding.text))) for finding in agent_input.findings]
    candidates += [
        (text, page.id, set(tokenize(f"{page.title} {text}")))
        for page in agent_input.pages
        for text in (span.of(page.text) for span in sentences(page.text))
        if not is_markdown_heading(text)
    ]
    missing = set(tokenize(agent_input.question))
    findings: list[research.Finding] = []
    while candidates and len(findings) < MOST_FINDINGS:
        text, page_id, found = max(candidates, key=lambda candidate: len(missing & candidate[2]))
        if missing.isdisjoint(found):
            break
        missing -= found
        findings.append(research.Finding(text=text, page_ids=(page_id,)))
    return research.Findings(findings=tuple(findings))


def reflect(agent_input: research.ReflectionInput) -> research.Reflection:
    """Ask the question of each name that was found, first of those whose sentences have words of the question.

    It is enough when every word of the question was found, and no name beside one of them is still to be asked about.
    """
    by_name: dict[tuple[str, ...], _FollowUp] = {}
    for rank, page in enumerate(agent_input.pages[:LEADING_PAGES], start=1):
        for follow_up in _follow_ups(agent_input, page, rank):
            known = by_name.get(follow_up.name, follow_up)
            by_name[follow_up.name] = max(follow_up, known, key=lambda candidate: candidate.weight)
    best = sorted(by_name.values(), key=lambda follow_up: follow_up.weight, reverse=True)
    titles = {page.id: page.title for page in agent_input.pages}
    texts = (f"{titles.get(finding.page_ids[0], '')} {finding.text}" for finding in agent_input.findings)
    covered = set(tokenize(agent_input.question)) <= {word for text in texts for word in tokenize(text)}
    if covered and not any(follow_up.share for follow_up in best):
        return research.Reflection(enough=True)
    return research.Reflection(
        enough=False, follow_ups=tuple(follow_up.request for follow_up in best[: research.MOST_FOLLOW_UPS])
    )


def _follow_ups(agent_input: research.ReflectionInput, page: research.MemoryPage, rank: int) -> Iterator[_FollowUp]:
    """The names in a page that nobody asked about, weighted by the share of the question's words in their sentence."""
    question_words = set(tokenize(agent_input.question)) - set(tokenize(page.title))
    known = [words(text) for text in (agent_input.question, page.title, *agent_input.requests)]
    # What is asked of the names in the page: the question without its title. Chinese has no spaces to split at.
    question, title = agent_input.question, set(words(page.title))
    rest = (question.replace(page.title, " ") if holds_chinese(page.title) else question).split()
    asked = " ".join(word for word in rest if not title.issuperset(words(word)) or not words(word))
    for span in sentences(page.text):
        text = span.of(page.text)
        share = len(question_words & set(tokenize(text))) / max(len(question_words), 1)
        titles = list(quoted_titles(text))
        names = [text[start:end] for start, end in titles]
        names += [" ".join(text[name.start : name.end].split()) for name in find_names(text, titles)]
        for name in (*names, *chinese_names(text)):
            name_words = tuple(words(name))
            if name_words and not any(contains_title(other, name_words) for other in known):
                yield _FollowUp(name_words, f"{name}: {asked}", share, (BASE_NAME_WEIGHT + share) / rank)
