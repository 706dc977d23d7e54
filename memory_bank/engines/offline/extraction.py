"""Extract facts worth remembering from what a person said by rules: who, when and what, in their own sentences.

Questions, requests, thanks, words to the listener, and sentences without content are left out. Secrets are never kept;
an utterance with a prompt injection is left out whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from memory_bank.agents.remember import MOST_FACTS, ExtractedFact, Extraction, ExtractionInput, Kind, Utterance
from memory_bank.judgement.utterances.about_whom import (
    is_about_speaker,
    mentions_listener,
    tells_listener_about_self,
)
from memory_bank.judgement.utterances.information_content import content_words
from memory_bank.judgement.utterances.prompt_injection import is_prompt_injection
from memory_bank.judgement.utterances.relative_dates import with_absolute_dates
from memory_bank.judgement.utterances.same_fact import KnownFacts, same_words
from memory_bank.judgement.utterances.secret_detection import holds_secret
from memory_bank.judgement.utterances.subject_of_fact import is_anaphoric, lacks_subject, named_subject, topic
from memory_bank.judgement.utterances.utterance_type import (
    bare,
    is_procedure,
    is_question,
    is_request,
    is_statement,
    with_subject,
)
from memory_bank.search.embedding import Embedder
from memory_bank.text.sentences import sentences
from memory_bank.text.wording import one_line

LONGEST = 300
"""Characters up to which an anaphoric sentence is joined to the one before it."""
LONGEST_UTTERANCE = 20_000
"""Characters of one utterance that are read: what is longer is a pasted document."""
LONGEST_FACT = 500

_CLAUSE_BREAK = re.compile(
    r",? (?:and|but) (?=(?:I|I['’]m|I['’]ve|we|my \w+ (?:is|are|was|were|has|have|had|will|can|works?|lives?|loves?"
    r"|likes?|hates?))\b)|，(?:而且|并且|但是|但|也|还)?(?=我)"
)
_SUBORDINATE = re.compile(
    r"(?:if|when|whenever|while|because|since|although|though|after|before|as|to|如果|当|因为|虽然)\b|如果|因为", re.I
)
_SEMICOLON = re.compile(r"; |；")
_EDGE_PUNCTUATION = " .。!！…~～;；,，"
_NAME = re.compile(r"(?<=[a-z,;:(\"“'‘] )[\"“]?[A-Z][\w'’&-]+|[\"“《][^\"”》]{2,}[\"”》]")
_FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万亿两]+(?:[个年月日号岁元块天次]|美元|公里|小时)")
_LASTING = re.compile(
    r"\b(?:am|is|are|live|lives|work|works|have|has|own|owns|prefer|prefers|never|always|every|favou?rite|allergic"
    r"|decided|chose|born|married|named|called|name)\b|是|住|工作|有|过敏|偏好|更喜欢|决定|选|从不|从来|叫",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|so that|in order to|due to|therefore|the reason)\b|因为|由于|为了|所以", re.I)


def extract(agent_input: ExtractionInput, embedder: Embedder) -> Extraction:
    """The facts of what was said, in the order of speaking: of more than `MOST_FACTS` the most important."""
    utterances = truncate_utterances(agent_input.utterances)
    known = KnownFacts(agent_input.known, embedder)
    facts = [fact for utterance in utterances for fact in _facts(utterance, agent_input.about)]
    selected: dict[int, ExtractedFact] = {}
    for n in sorted(range(len(facts)), key=lambda n: (-facts[n].importance, n)):
        fact = facts[n]
        in_context = f"{fact.context}: {fact.content}" if fact.context else fact.content
        duplicate = next((other for other in selected if same_words(selected[other].content, fact.content)), None)
        if duplicate is not None:
            both = (*selected[duplicate].evidence, *fact.evidence)
            evidence = tuple(dict.fromkeys(utterance.id for utterance in utterances if utterance.id in both))
            selected[duplicate] = selected[duplicate].model_copy(update={"evidence": evidence})
        elif len(selected) < MOST_FACTS and not (known.holds(fact.content) or known.holds(in_context)):
            selected[n] = fact
    return Extraction(facts=tuple(selected[n] for n in sorted(selected)))


def truncate_utterances(utterances: Iterable[Utterance]) -> tuple[Utterance, ...]:
    """Cut each utterance to the length that is read."""
    return tuple(utterance.model_copy(update={"text": utterance.text[:LONGEST_UTTERANCE]}) for utterance in utterances)


@dataclass(frozen=True, slots=True)
class _FactCandidate:
    """Sentences of one utterance that form one fact. The first stands alone, or is `anaphoric`."""

    text: str
    kind: Kind
    anaphoric: bool


def _facts(utterance: Utterance, about: str) -> Iterator[ExtractedFact]:
    """The facts of one utterance."""
    if is_prompt_injection(utterance.text):
        return
    for candidate in _candidates(utterance):
        semantic = candidate.kind == "semantic"
        least = 2 if semantic and not is_about_speaker(candidate.text) else 1
        kept = _count_telling(candidate.text) >= least and not (semantic and candidate.anaphoric)
        if kept and (fact := _fact(candidate, utterance, about)) is not None:
            yield fact


def _candidates(utterance: Utterance) -> list[_FactCandidate]:
    """The statements and procedures of an utterance; an anaphoric sentence is joined to the one before it."""
    candidates: list[_FactCandidate] = []
    can_extend = True
    spoken = (one_line(span.of(utterance.text)) for span in sentences(utterance.text))
    for part in (part for text in spoken for part in _SEMICOLON.split(text) if part):
        text = with_subject(bare(part)).strip()
        kind = _kind(text)
        if kind is None:
            can_extend = bool(text) and can_extend and not is_question(text) and not holds_secret(text)
            continue
        anaphoric = is_anaphoric(text)
        if anaphoric and candidates and can_extend and len(candidates[-1].text) + len(text) < LONGEST:
            candidates[-1] = replace(candidates[-1], text=f"{candidates[-1].text} {text}")
        elif not anaphoric or (not candidates and can_extend):
            candidates += [_FactCandidate(clause, kind, anaphoric) for clause in _clauses(text, kind)]
            can_extend = True
    return candidates


def _kind(text: str) -> Kind | None:
    """What kind of fact a sentence may be; None for what is none."""
    if len(text) > LONGEST_FACT or not text or text[0] in '"“「' or holds_secret(text):
        return None
    if is_procedure(text):
        return "procedural"
    if is_question(text) or is_request(text) or not is_statement(text):
        return None
    return None if mentions_listener(text) and not tells_listener_about_self(text) else "semantic"


def _clauses(text: str, kind: Kind) -> list[str]:
    """Split a sentence into facts that stand alone: "I live in Lyon and I am vegetarian" has two."""
    if kind != "semantic" or _SUBORDINATE.match(text):
        return [text]
    clauses = [clause for clause in _CLAUSE_BREAK.split(text) if clause]
    dependent = (is_anaphoric(each) or not _count_telling(each) for each in clauses)
    return clauses if all(map(is_statement, clauses)) and not any(dependent) else [text]


def _count_telling(text: str) -> int:
    """Different words with content."""
    return len(set(content_words(text)))


def _fact(candidate: _FactCandidate, utterance: Utterance, about: str) -> ExtractedFact | None:
    """The candidate with its dates written out; None where it is empty, too long or holds a secret."""
    at = utterance.at if candidate.kind == "semantic" else None  # a procedure has no date
    text = with_absolute_dates(candidate.text, at.date()) if at else candidate.text
    content = text.strip(_EDGE_PUNCTUATION)
    context = named_subject(content) or (topic(about) if lacks_subject(content) else "")
    if not content or len(content) > LONGEST_FACT or holds_secret(f"{context} {content}"):
        return None
    # 0.3, and 0.2 more for a figure or a name, for what lasts, and for a reason or a procedure
    has_value = bool(_FIGURE.search(candidate.text) or _NAME.search(candidate.text))
    explains = candidate.kind == "procedural" or bool(_REASON.search(candidate.text))
    lasts = bool(_LASTING.search(candidate.text))
    importance = round(0.3 + 0.2 * has_value + 0.2 * lasts + 0.2 * explains, 1)
    return ExtractedFact(
        type=candidate.kind, content=content, context=context, evidence=(utterance.id,), importance=importance
    )
