"""Facts worth keeping of what was said, by rules: who, when and what, each in sentences of the speaker's own.

Where one person speaks, the memory is theirs and "I" stays. Where several do, names stand in for "I" and "my". What
an assistant said is left out, and so are questions, requests, thanks, words to the listener, and what tells nothing.
Secrets are never kept; an utterance that wants to steer an assistant is left out whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from memory_bank.agents.remember import MOST_FACTS, ExtractedFact, Extraction, ExtractionGiven, Kind, Utterance
from memory_bank.engines.offline.remembering.leaning import leans
from memory_bank.engines.offline.remembering.person import is_mood, is_told_to, of_oneself, to_listener
from memory_bank.engines.offline.remembering.sameness import Known, same_words
from memory_bank.engines.offline.remembering.saying import (
    Talk,
    is_procedure,
    is_question,
    is_request,
    is_statement,
    with_subject,
)
from memory_bank.engines.offline.remembering.secrecy import asks_secret, holds_secret
from memory_bank.engines.offline.remembering.setting import needs_setting, own_setting, topic
from memory_bank.engines.offline.remembering.steering import steers
from memory_bank.engines.offline.remembering.telling import telling_words
from memory_bank.engines.offline.remembering.third_person import third_person
from memory_bank.engines.offline.remembering.when import dated
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.one_line import one_line

LONGEST = 300
"""Characters up to which sentences that lean on each other are one fact."""
LONGEST_HEARD = 20_000
"""Characters of one utterance that are heard: what goes on after them is a document that was handed over."""
LONGEST_FACT = 500
LONGEST_NAME = 60
LONGEST_QUESTION = 120
"""Characters of the question that a fact answers."""

_ASSISTANTS = frozenset("assistant ai bot chatbot agent system tool model memory 助手 助理 系统 机器人".split())
_CLAUSES = re.compile(
    r",? (?:and|but) (?=(?:I|I['’]m|I['’]ve|we|my \w+ (?:is|are|was|were|has|have|had|will|can|works?|lives?|loves?"
    r"|likes?|hates?))\b)|，(?:而且|并且|但是|但|也|还)?(?=我)"
)
_NOT_SPLIT = re.compile(
    r"(?:if|when|whenever|while|because|since|although|though|after|before|as|to|如果|当|因为|虽然)\b|如果|因为", re.I
)
_END = " .。!！…~～;；,，"
_NAMED = re.compile(r"(?<=[a-z,;:(\"“'‘] )[\"“]?[A-Z][\w'’&-]+|[\"“《][^\"”》]{2,}[\"”》]")
_FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万亿两]+(?:[个年月日号岁元块天次]|美元|公里|小时)")
_LASTING = re.compile(
    r"\b(?:am|is|are|live|lives|work|works|have|has|own|owns|prefer|prefers|never|always|every|favou?rite|allergic"
    r"|decided|chose|born|married|named|called|name)\b|是|住|工作|有|过敏|偏好|更喜欢|决定|选|从不|从来|叫",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|so that|in order to|due to|therefore|the reason)\b|因为|由于|为了|所以", re.I)


def extract(given: ExtractionGiven, embedder: Embedder | None = None) -> Extraction:
    """The facts of what was said, in the order of speaking: of more than `MOST_FACTS` the most important.

    `embedder` finds what is known by its meaning; without one it is found by its words.
    """
    given = given.model_copy(update={"utterances": heard(given.utterances), "before": heard(given.before)})
    listening = _Listening(given)
    known = Known(given.known, embedder)
    found = [fact for number in range(len(given.utterances)) for fact in listening.facts(number)]
    kept: dict[int, ExtractedFact] = {}
    for place in sorted(range(len(found)), key=lambda place: (-found[place].importance, place)):
        fact = found[place]
        same = next((other for other in kept if same_words(kept[other].content, fact.content)), None)
        if same is not None:
            kept[same] = _with_evidence(kept[same], fact.evidence, given)
        elif len(kept) < MOST_FACTS and not _is_known(fact, known):
            kept[place] = fact
    return Extraction(facts=tuple(kept[place] for place in sorted(kept)))


def heard(utterances: Iterable[Utterance]) -> tuple[Utterance, ...]:
    """Of each utterance as much as is listened to."""
    return tuple(one.model_copy(update={"text": one.text[:LONGEST_HEARD]}) for one in utterances)


def is_assistant(speaker: str) -> bool:
    """Whether it is no person who speaks."""
    return speaker.strip().casefold() in _ASSISTANTS


def _is_known(fact: ExtractedFact, known: Known) -> bool:
    return known.holds(fact.content) or (bool(fact.context) and known.holds(f"{fact.context}: {fact.content}"))


def _with_evidence(fact: ExtractedFact, further: Collection[str], given: ExtractionGiven) -> ExtractedFact:
    evidence = tuple(dict.fromkeys(one.id for one in given.utterances if one.id in (*fact.evidence, *further)))
    return fact.model_copy(update={"evidence": evidence})


@dataclass(frozen=True, slots=True)
class _Saying:
    """Sentences of one utterance that belong together: the first stands by itself, or answers what was asked."""

    text: str
    kind: Kind = "semantic"
    leaning: bool = False


class _Listening:
    """What is heard of a talk: its facts, utterance by utterance."""

    def __init__(self, given: ExtractionGiven) -> None:
        self._given = given
        people = {one.speaker: None for one in (*given.before, *given.utterances) if not is_assistant(one.speaker)}
        self._several = len(people) > 1
        self._names = [one_line(name)[:LONGEST_NAME] for name in people] if self._several else []
        self._talk = Talk(self._names)

    @cached_property
    def _topic(self) -> str:
        return topic(self._given.about)

    def facts(self, number: int) -> Iterator[ExtractedFact]:
        """What one utterance tells."""
        utterance = self._given.utterances[number]
        if is_assistant(utterance.speaker) or steers(utterance.text) or asks_secret(self._before(number)):
            return
        asked = self._asked(number)
        for place, saying in enumerate(self._sayings(utterance)):
            if self._is_worth_keeping(saying, answering=bool(asked) and place == 0):
                fact = self._fact(saying, utterance, asked if place == 0 else "")
                if fact is not None:
                    yield fact

    def _before(self, number: int) -> str:
        """What was said right before, when it was somebody else who spoke."""
        before = [*self._given.before, *self._given.utterances[:number]][-1:]
        return before[0].text if before and before[0].speaker != self._given.utterances[number].speaker else ""

    def _asked(self, number: int) -> str:
        """The question that an utterance answers, if it can be told what it asked."""
        before = self._before(number)
        if steers(before):
            return ""
        spoken = [self._talk.bare(one_line(span.of(before))) for span in sentences(before[-LONGEST:])]
        asked = [text for text in spoken if is_question(text) and len(text) <= LONGEST_QUESTION][-1:]
        return next((text for text in asked if not is_request(text) and self._tells(text)), "")

    # -- what belongs together -------------------------------------------------------------------------------

    def _sayings(self, utterance: Utterance) -> list[_Saying]:
        """The statements and procedures of an utterance; a sentence that leans on the one before goes with it."""
        found: list[_Saying] = []
        open_to_more = True
        for part in _parts(utterance.text):
            text = with_subject(self._talk.bare(part)).strip()
            kind = self._kind(text)
            if kind is None:
                open_to_more = bool(text) and open_to_more and not is_question(text) and not holds_secret(text)
                continue
            leaning = leans(text, self._names)
            if leaning and found and open_to_more and len(found[-1].text) + len(text) < LONGEST:
                found[-1] = replace(found[-1], text=f"{found[-1].text} {text}")
            elif not leaning or (not found and open_to_more):
                found += [_Saying(clause, kind, leaning) for clause in self._clauses(text, kind)]
                open_to_more = True
        return found

    def _kind(self, text: str) -> Kind | None:
        """What kind of fact a sentence may be; None for what is none."""
        if len(text) > LONGEST_FACT or not text or text[0] in '"“「' or holds_secret(text):
            return None
        if is_procedure(text) and not (self._several and (to_listener(text) or is_request(text))):
            return "procedural"
        if is_question(text) or is_request(text) or not is_statement(text):
            return None
        if to_listener(text) and not is_told_to(text):
            return None
        return "semantic"

    def _clauses(self, text: str, kind: Kind) -> list[str]:
        """The facts of a sentence, of which "I live in Lyon and I am vegetarian" has two."""
        parts = [part for part in _CLAUSES.split(text) if part]
        apart = kind == "semantic" and not _NOT_SPLIT.match(text)
        if apart and all(is_statement(part) and not leans(part, self._names) and self._tells(part) for part in parts):
            return parts
        return [text]

    # -- what is worth keeping -------------------------------------------------------------------------------

    def _tells(self, text: str) -> int:
        return len(set(telling_words(text, self._names)))

    def _is_worth_keeping(self, saying: _Saying, *, answering: bool) -> bool:
        tells = self._tells(saying.text)
        if saying.kind == "procedural":
            return tells >= (3 if self._several else 1)
        if saying.leaning and not answering:
            return False
        if not self._several:
            return tells >= (1 if of_oneself(saying.text) else 2)
        value = _has_value(saying.text, self._names)
        if not of_oneself(saying.text):
            return tells >= 3 and (value or saying.leaning)
        return tells >= (1 if value else 4 if is_mood(saying.text) else 2)

    def _fact(self, saying: _Saying, utterance: Utterance, asked: str) -> ExtractedFact | None:
        at = utterance.at if saying.kind == "semantic" else None  # a procedure is of no day
        said = dated(saying.text, at.date()) if at else saying.text
        name = one_line(utterance.speaker)[:LONGEST_NAME] if self._several else ""
        content = (third_person(said, name, self._listener(name)) if name else said).strip(_END)
        context = self._context(saying, content, name, asked)
        if not content or len(content) > LONGEST_FACT or holds_secret(f"{context} {content}"):
            return None
        return ExtractedFact(
            type=saying.kind,
            content=content,
            context=context,
            evidence=(utterance.id,),
            importance=_importance(saying),
        )

    def _listener(self, name: str) -> str:
        """Who "you" is: the other of two."""
        others = [other for other in self._names if other != name]
        return others[0] if len(others) == 1 else ""

    def _context(self, saying: _Saying, content: str, name: str, asked: str) -> str:
        """Who says so, where the sentence does not name them, what was asked, and of what thing it holds."""
        answers = f'asked "{asked}"' if asked and saying.leaning else ""
        if name:
            return ", ".join(part for part in (name if answers or name not in content else "", answers) if part)
        return answers or own_setting(content) or (self._topic if needs_setting(content) else "")


def _parts(text: str) -> list[str]:
    """The sentences of a text, and their parts between semicolons, each on one line."""
    return [part for span in sentences(text) for part in re.split(r"; |；", one_line(span.of(text))) if part]


def _has_value(text: str, names: Collection[str] = ()) -> bool:
    """Whether a text gives a figure, or a name other than those of who talk."""
    return bool(_FIGURE.search(text)) or any(found[0].strip('"“‘') not in names for found in _NAMED.finditer(text))


def _importance(saying: _Saying) -> float:
    """0.3, and 0.2 more for a figure or a name, for what lasts, and for a reason or a procedure."""
    text = saying.text
    reasons = saying.kind == "procedural" or bool(_REASON.search(text))
    return round(0.3 + 0.2 * _has_value(text) + 0.2 * bool(_LASTING.search(text)) + 0.2 * reasons, 1)
