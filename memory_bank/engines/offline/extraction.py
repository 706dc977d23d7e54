"""Extract facts worth remembering from a chat by rules: who, when and what, in the speaker's own sentences.

Where one person speaks, the memory is theirs and "I" stays. Where several do, names replace "I" and "my". What an
assistant said is left out, and so are questions, requests, thanks, words to the listener, and sentences without
content. Secrets are never kept; an utterance with a prompt injection is left out whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from memory_bank.agents.remember import MOST_FACTS, ExtractedFact, Extraction, ExtractionInput, Kind, Utterance
from memory_bank.judgement.utterances.information_content import content_words
from memory_bank.judgement.utterances.prompt_injection import is_prompt_injection
from memory_bank.judgement.utterances.relative_dates import with_absolute_dates
from memory_bank.judgement.utterances.same_fact import KnownFacts, same_words
from memory_bank.judgement.utterances.secret_detection import asks_secret, holds_secret
from memory_bank.judgement.utterances.subject_of_fact import is_anaphoric, lacks_subject, named_subject, topic
from memory_bank.judgement.utterances.third_person import (
    is_about_speaker,
    is_mood,
    mentions_listener,
    tells_listener_about_self,
    third_person,
)
from memory_bank.judgement.utterances.utterance_type import (
    Talk,
    is_procedure,
    is_question,
    is_request,
    is_statement,
    with_subject,
)
from memory_bank.search.embedding import Embedder
from memory_bank.text.one_line import one_line
from memory_bank.text.sentences import sentences

LONGEST = 300
"""Characters up to which an anaphoric sentence is joined to the one before it; also how much of a question is read."""
LONGEST_UTTERANCE = 20_000
"""Characters of one utterance that are read: what is longer is a pasted document."""
LONGEST_FACT = 500
LONGEST_NAME = 60
LONGEST_QUESTION = 120
"""Characters of a question that is put into the context of the fact that answers it."""

_ASSISTANT_NAMES = frozenset("assistant ai bot chatbot agent system tool model memory 助手 助理 系统 机器人".split())
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
    utterances, before = truncate_utterances(agent_input.utterances), truncate_utterances(agent_input.before)
    agent_input = agent_input.model_copy(update={"utterances": utterances, "before": before})
    extractor = _FactExtractor(agent_input)
    known = KnownFacts(agent_input.known, embedder)
    facts = [fact for n in range(len(utterances)) for fact in extractor.facts(n)]
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


def is_assistant(speaker: str) -> bool:
    """Whether the speaker is an assistant and not a person."""
    return speaker.strip().casefold() in _ASSISTANT_NAMES


@dataclass(frozen=True, slots=True)
class _FactCandidate:
    """Sentences of one utterance that form one fact. The first stands alone, or is `anaphoric`: an answer may be."""

    text: str
    kind: Kind = "semantic"
    anaphoric: bool = False


class _FactExtractor:
    """Extracts the facts of a chat, utterance by utterance."""

    def __init__(self, agent_input: ExtractionInput) -> None:
        self._input = agent_input
        utterances = (*agent_input.before, *agent_input.utterances)
        people = {utterance.speaker: None for utterance in utterances if not is_assistant(utterance.speaker)}
        self._several_speakers = len(people) > 1
        self._names = [one_line(name)[:LONGEST_NAME] for name in people] if self._several_speakers else []
        self._talk = Talk(self._names)

    def facts(self, number: int) -> Iterator[ExtractedFact]:
        """The facts of one utterance."""
        utterance = self._input.utterances[number]
        before = [*self._input.before, *self._input.utterances[:number]][-1:]
        previous = "".join(each.text for each in before if each.speaker != utterance.speaker)
        if is_assistant(utterance.speaker) or is_prompt_injection(utterance.text) or asks_secret(previous):
            return
        question = self._question_in(previous)
        for candidate in self._candidates(utterance):
            if self._is_worth_keeping(candidate, is_answer=bool(question)):
                fact = self._fact(candidate, utterance, question)
                if fact is not None:
                    yield fact
            question = ""  # only the first one answers it

    def _question_in(self, previous: str) -> str:
        """The question right before an utterance, which it answers; empty where there is none with content."""
        if is_prompt_injection(previous):
            return ""
        spoken = [self._talk.bare(one_line(span.of(previous))) for span in sentences(previous[-LONGEST:])]
        questions = [text for text in spoken if is_question(text) and len(text) <= LONGEST_QUESTION][-1:]
        return next((text for text in questions if not is_request(text) and self._count_telling(text)), "")

    # -- which sentences belong together ---------------------------------------------------------------------

    def _candidates(self, utterance: Utterance) -> list[_FactCandidate]:
        """The statements and procedures of an utterance; an anaphoric sentence is joined to the one before it."""
        candidates: list[_FactCandidate] = []
        can_extend = True
        spoken = (one_line(span.of(utterance.text)) for span in sentences(utterance.text))
        for part in (part for text in spoken for part in _SEMICOLON.split(text) if part):
            text = with_subject(self._talk.bare(part)).strip()
            kind = self._kind(text)
            if kind is None:
                can_extend = bool(text) and can_extend and not is_question(text) and not holds_secret(text)
                continue
            anaphoric = is_anaphoric(text, self._names)
            if anaphoric and candidates and can_extend and len(candidates[-1].text) + len(text) < LONGEST:
                candidates[-1] = replace(candidates[-1], text=f"{candidates[-1].text} {text}")
            elif not anaphoric or (not candidates and can_extend):
                candidates += [_FactCandidate(clause, kind, anaphoric) for clause in self._clauses(text, kind)]
                can_extend = True
        return candidates

    def _kind(self, text: str) -> Kind | None:
        """What kind of fact a sentence may be; None for what is none."""
        if len(text) > LONGEST_FACT or not text or text[0] in '"“「' or holds_secret(text):
            return None
        if is_procedure(text) and not (self._several_speakers and (mentions_listener(text) or is_request(text))):
            return "procedural"
        if is_question(text) or is_request(text) or not is_statement(text):
            return None
        if mentions_listener(text) and not tells_listener_about_self(text):
            return None
        return "semantic"

    def _clauses(self, text: str, kind: Kind) -> list[str]:
        """Split a sentence into facts that stand alone: "I live in Lyon and I am vegetarian" has two."""
        if kind != "semantic" or _SUBORDINATE.match(text):
            return [text]
        clauses = [clause for clause in _CLAUSE_BREAK.split(text) if clause]
        dependent = (is_anaphoric(each, self._names) or not self._count_telling(each) for each in clauses)
        return clauses if all(map(is_statement, clauses)) and not any(dependent) else [text]

    # -- what is worth keeping -------------------------------------------------------------------------------

    def _count_telling(self, text: str) -> int:
        """Different words with content, other than the speakers' names."""
        return len(set(content_words(text, self._names)))

    def _is_worth_keeping(self, candidate: _FactCandidate, *, is_answer: bool) -> bool:
        """Whether it has enough words with content: more are needed where others speak too or of others."""
        count = self._count_telling(candidate.text)
        if candidate.kind == "procedural":
            return count >= (3 if self._several_speakers else 1)
        if candidate.anaphoric and not is_answer:
            return False
        if not self._several_speakers:
            return count >= (1 if is_about_speaker(candidate.text) else 2)
        has_value = _has_value(candidate.text, self._names)
        if not is_about_speaker(candidate.text):
            return count >= 3 and (has_value or candidate.anaphoric)
        return count >= (1 if has_value else 4 if is_mood(candidate.text) else 2)

    def _fact(self, candidate: _FactCandidate, utterance: Utterance, question: str) -> ExtractedFact | None:
        """The candidate with its dates and names written out; None where it is empty, too long or holds a secret."""
        at = utterance.at if candidate.kind == "semantic" else None  # a procedure has no date
        text = with_absolute_dates(candidate.text, at.date()) if at else candidate.text
        name = one_line(utterance.speaker)[:LONGEST_NAME] if self._several_speakers else ""
        others = [other for other in self._names if other != name]
        listener = others[0] if len(others) == 1 else ""  # who "you" is: the other speaker where there are two
        content = (third_person(text, name, listener) if name else text).strip(_EDGE_PUNCTUATION)
        context = self._context(candidate, content, name, question)
        if not content or len(content) > LONGEST_FACT or holds_secret(f"{context} {content}"):
            return None
        # 0.3, and 0.2 more for a figure or a name, for what lasts, and for a reason or a procedure
        explains = candidate.kind == "procedural" or bool(_REASON.search(candidate.text))
        lasts = bool(_LASTING.search(candidate.text))
        importance = round(0.3 + 0.2 * _has_value(candidate.text) + 0.2 * lasts + 0.2 * explains, 1)
        return ExtractedFact(
            type=candidate.kind, content=content, context=context, evidence=(utterance.id,), importance=importance
        )

    def _context(self, candidate: _FactCandidate, content: str, name: str, question: str) -> str:
        """The speaker, where the sentence does not name them, the question answered, or what the fact is about."""
        answers = f'asked "{question}"' if question and candidate.anaphoric else ""
        if name:
            return ", ".join(part for part in (name if answers or name not in content else "", answers) if part)
        return answers or named_subject(content) or (topic(self._input.about) if lacks_subject(content) else "")


def _has_value(text: str, names: Collection[str] = ()) -> bool:
    """Whether a text has a figure, or a name other than the given ones."""
    return bool(_FIGURE.search(text)) or any(match[0].strip('"“‘') not in names for match in _NAME.finditer(text))
