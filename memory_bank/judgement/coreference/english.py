"""Follow-up questions in English: resolve pronouns, and complete fragments.

After "How long is Harlow Bridge?", "And when was it built?" becomes "When was Harlow Bridge built?", and "And Kelso
Bridge?" becomes "How long is Kelso Bridge?". What cannot be resolved stays as it was asked.

Works without a parser. A pronoun has its antecedent in the question itself where a fitting phrase stands before it: in
another clause, as its owner, or far enough away. Otherwise it means what the last question was about or, where that
asked for a person or for one of several things, what was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_bank.agents.remember import PastTask
from memory_bank.text.phrases import FUNCTION_WORDS, VERBS, Phrase, phrases, stem
from memory_bank.text.sentences import sentences

_LEADING = re.compile(r"(?:(?:and|but|so|or|then|also|ok|okay|well|now|plus)\b[,\s]*)+", re.IGNORECASE)
_WHAT_ABOUT = re.compile(r"(?:what|how) about\s+", re.IGNORECASE)
_CONTRACTION = re.compile(r"\b(it|that|he|she|they|there)['’](?:s|re)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|has|have|had|will|would|can|could|should|may|might|must"
    r"|(?:what|who|where|when|how)['’]s)\b",
    re.IGNORECASE,
)
_PREPOSITIONS = "in|on|at|for|to|from|with|by|after|before|during|since|until|under|over|near"
_QUESTION_WORD_ALONE = re.compile(
    rf"(?:(?:{_PREPOSITIONS}) )?(?:when|where|why|how|who|whom|what|which)\b"
    r"(?: (?:much|many|long|far|often|exactly|else))?(?: \w+)?[?.! ]*$",
    re.IGNORECASE,
)
_LONGEST_FRAGMENT = 4
"""Most words of a fragment that begins with "which", "what" or "how many": "How many guests then?"."""
_ADVERBIAL = re.compile(r"(?:when|where|why|how)\b(?! (?:much|many|long|far|old|often|tall|big|high|deep|wide))", re.I)
_YES_OR_NO = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|should)\b", re.IGNORECASE)
_QUESTION = re.compile(r"(?:when|where|why|how|who|whom|what|which)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:(?:this|last|next|every) (?:year|month|week|weekend|spring|summer|autumn|fall|winter|semester|quarter|time"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|today|tomorrow|yesterday|tonight)\b",
    re.IGNORECASE,
)
_WITH_PREPOSITION = re.compile(rf"({_PREPOSITIONS})\s+\S", re.IGNORECASE)


def is_follow_up(question: str) -> bool:
    """Whether a question does not stand alone: it refers to something earlier, or leaves out what it is about."""
    plain = _plain(question)
    return bool(list(_anaphoric_pronouns(plain))) or _is_fragment(question, plain) or not phrases(plain)


def _is_fragment(question: str, plain: str) -> bool:
    """Whether only part of a question is asked: "And Kelso Bridge?", "Which hotel?"."""
    words = plain.split()
    if _VERB.search(plain) or any(stem(word) in VERBS for word in words):
        return bool(_WHAT_ABOUT.match(plain))
    if len(words) <= _LONGEST_FRAGMENT and re.match(r"(?:which|what|how (?:many|much))\b", plain, re.IGNORECASE):
        return True
    return bool(_QUESTION_WORD_ALONE.match(plain) or _LEADING.match(question) or _WHAT_ABOUT.match(plain))


def standing_alone(question: str, before: Sequence[PastTask]) -> str:
    """A follow-up rewritten to stand alone. `before` are the earlier tasks, whose questions stand alone already."""
    plain, last, topic = _plain(question), before[-1].asked, subject(before)
    resolved = _with_antecedents(plain, before)
    if not _is_fragment(question, resolved):
        lacks_topic = resolved == plain and not phrases(resolved) and not any(_anaphoric_pronouns(plain))
        is_question = resolved.endswith("?") and (_YES_OR_NO.match(resolved) or _QUESTION.match(resolved))
        if topic and lacks_topic and is_question:
            resolved = f"{resolved.rstrip('?.! ')} for {topic}?"  # "Who is paying for the wedding?"
        return _capitalised(resolved) if resolved != plain else question
    if _QUESTION_WORD_ALONE.match(resolved):
        return _with_question_word(resolved.rstrip("?. "), last, topic) or question
    rest = _WHAT_ABOUT.sub("", resolved).rstrip("?.! ")
    about_topic = f"What about {rest} for {topic}?" if topic and phrases(f"about {rest}") else ""
    return _with_replacement(rest, last) or about_topic or question


def subject(before: Sequence[PastTask]) -> str:
    """What a conversation was last about, in its own words; empty where that cannot be told."""
    for task in reversed(before[-_REACH:]):
        if options := [phrase for phrase in phrases(task.asked) if phrase.named or phrase.definite]:
            return min(options, key=lambda phrase: not phrase.named).text
    return ""


# -- fragments ---------------------------------------------------------------------------------------------------


def _with_replacement(rest: str, last: str) -> str:
    """The last question with another thing, time or place: "And Kelso Bridge?", "And in 2019?"; "" if none fits."""
    if _TIME.fullmatch(rest):
        return _TIME.sub(rest, last, count=1) if _TIME.search(last) else f"{last.rstrip('?.! ')} {rest}?"
    if preposition := _WITH_PREPOSITION.match(rest):
        same = re.search(rf"\b{preposition[1]}\s+[^?,]+?(?=\s+(?:{_PREPOSITIONS})\b|[?.,]|$)", last, re.IGNORECASE)
        if same:
            return last[: same.start()] + rest + last[same.end() :]
        return f"{last.rstrip('?.! ')} {rest}?"
    new = next(iter(phrases(f"about {rest}")), None)
    replaceable = [phrase for phrase in phrases(last) if new and _kind(phrase) == _kind(new)]
    if not replaceable:
        return ""
    replaced = min(replaceable, key=lambda phrase: (phrase.start, phrase.end))
    return f"{last[: replaced.start]}{rest}{last[replaced.end :]}"


def _kind(phrase: Phrase) -> tuple[bool, bool, bool]:
    return phrase.named, phrase.definite, phrase.person >= _SURE


def _with_question_word(word: str, last: str, topic: str) -> str:
    """The last question with another question word: "And why?" after "When was the launch delayed?"."""
    if re.fullmatch(rf"(?:(?:{_PREPOSITIONS}) )?(?:when|where|why|how|how (?:long|often))", word, re.IGNORECASE):
        if adverbial := _ADVERBIAL.match(last):
            return _capitalised(f"{word}{last[adverbial.end() :]}")
        if _YES_OR_NO.match(last):
            return _capitalised(f"{word} {last[0].lower()}{last[1:]}")
    if not topic:
        return ""
    with_preposition = re.match(rf"(?:{_PREPOSITIONS})\s", word, re.IGNORECASE)
    return _capitalised(f"{topic}: {word}?" if with_preposition else f"{word} is {topic}?")


def _plain(question: str) -> str:
    """The question without a leading "And", and with "it's" written out."""
    flat = " ".join(question.split())
    rest = _LEADING.sub("", flat, count=1) if _LEADING.match(flat) else flat
    return _CONTRACTION.sub(lambda match: f"{match[1]} {'are' if match[1].lower() == 'they' else 'is'}", rest)


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


# -- pronouns -----------------------------------------------------------------------------------------------------

_REACH = 3
"""How many tasks back an antecedent is looked for."""
_SURE = 0.5
"""Probability from which a phrase counts as a person."""
_MIN_DISTANCE = 3
"""Least words between a phrase and an object pronoun of the same clause that means it."""
_THIRD_PERSON_SUBJECTS = frozenset({"it", "he", "she", "they"})
_ALL_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "they", "it"})
_PRONOUN = re.compile(
    r"\b(?:it|its|he|him|his|she|her|they|them|their|this|that|these|those|there)\b(?!['’-])", re.IGNORECASE
)
_SINGULAR_PERSON = frozenset({"he", "him", "his", "she", "her"})
_PLURAL = frozenset({"they", "them", "their", "these", "those"})
_POSSESSIVE = frozenset({"its", "his", "her", "their"})
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those"})
_NOT_REFERRING = re.compile(
    r"\bwhat time is it\b|\b(?:is|was|will) it (?:be |rain|snow|true|possible|ok|okay|safe|worth|likely|necessary)"
    r"|\bhow(?: is|'s) it going\b|\bit (?:takes?|took|costs?)\b[^?]*?\bto [a-z]+|\b(?:is|are|was|were|will) there\b"
    r"|\bthere (?:is|are|was|were|will|have|has)\b",
    re.IGNORECASE,
)
_AUXILIARIES = frozenset("is are was were do does did will would can could should has have had".split())
_LINKING = _AUXILIARIES | frozenset(
    "in on at of for with to from about after before since like than why how what when where and but".split()
)
_BE = frozenset({"is", "are", "was", "were"})
_ACTIONS = frozenset("happen happened mean cost take work help look sound depend change".split())
_AT = frozenset({"in", "at", "to", "from", "near"})
_ASPECTS = frozenset("name date time address price number length height age colour color size rest".split())
"""Attributes of a thing: after a question for one, "it" means the thing."""
_CLAUSE = re.compile(r"[,;]|\b(?:and|but|when|while|because|if|that|who|which|where|how|why)\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_ASKS_WHERE = re.compile(r"\b(?:where|(?:which|what) (?:city|town|country|place|village|island))\b", re.IGNORECASE)
_ASKS_WHICH = re.compile(r"\bwhich\b|\bwhat (?!is\b|was\b|are\b|were\b|do\b|does\b|did\b|about\b|\W)|\bname of\b", re.I)
_OWNER = re.compile(r"\b(?!(?:What|Where|When|Who|How|That|It)\b)([A-Z]\w+(?: [A-Z]\w+)*)['’]s\b")
_VERB_OF_MOTION = re.compile(r"\b(?:go|get|going|travel|drive|fly|move|come|walk|return|back)\s$", re.IGNORECASE)


def _anaphoric_pronouns(asked: str) -> Iterator[re.Match[str]]:
    """The pronouns of a question that have no antecedent in the question itself."""
    not_referring = [match.span() for match in _NOT_REFERRING.finditer(asked)]
    own_phrases = phrases(asked)
    for pronoun in _PRONOUN.finditer(asked):
        excluded = any(start <= pronoun.start() < end for start, end in not_referring)
        if not (excluded or _is_determiner(asked, pronoun) or _has_own_antecedent(asked, pronoun, own_phrases)):
            yield pronoun


def _is_determiner(asked: str, pronoun: re.Match[str]) -> bool:
    """Whether "that" determines a noun ("that hotel") or joins clauses ("the plan that Anna made")."""
    if pronoun[0].lower() not in _DEMONSTRATIVE:
        return False
    after = re.match(r"\s+(\w+)(\s+\w)?", asked[pronoun.end() :])
    before = re.search(r"(\w+)\W+$", asked[: pronoun.start()])
    linked = before is None or before[1].lower() in _LINKING
    if after is None:
        return not linked
    next_word = after[1].lower()
    predicate = after[2] is None and before is not None and before[1].lower() in _BE  # "Is that right?"
    alone = predicate or next_word in FUNCTION_WORDS | _ACTIONS or stem(next_word) in VERBS
    return next_word in _ALL_SUBJECTS or not (alone and linked)


def _has_own_antecedent(asked: str, pronoun: re.Match[str], own_phrases: Sequence[Phrase]) -> bool:
    """Whether the question itself names what a pronoun means: its owner, a phrase in another clause, or far before it.

    After "did" a pronoun is the subject of the question, and refers back.
    """
    low = pronoun[0].lower()
    before = re.search(r"(\w+)\W+$", asked[: pronoun.start()])
    if before is None or (low in _THIRD_PERSON_SUBJECTS and before[1].lower() in _AUXILIARIES):
        return False
    for phrase in own_phrases:
        if phrase.end <= pronoun.start() and _fits(low, phrase):
            between = asked[phrase.end : pronoun.start()]
            owner = low in _POSSESSIVE or "'s" in phrase.text
            far = len(between.split()) >= _MIN_DISTANCE
            if low in _THIRD_PERSON_SUBJECTS - {"it"} or owner or _CLAUSE.search(between) or far:
                return True
    return False


def _fits(pronoun: str, phrase: Phrase) -> bool:
    if pronoun in _SINGULAR_PERSON:
        return phrase.person > 0 or "'s" in phrase.text
    return pronoun in _PLURAL or phrase.person < _SURE


def _with_antecedents(asked: str, before: Sequence[PastTask]) -> str:
    """The question with each pronoun replaced by its antecedent, where that can be told."""
    parts: list[str] = []
    end = 0
    for pronoun in _anaphoric_pronouns(asked):
        antecedent = _antecedent(pronoun[0].lower(), before)
        if antecedent and antecedent.lower() not in asked.lower():
            parts += [asked[end : pronoun.start()], _inflected(antecedent, asked, pronoun)]
            end = pronoun.end()
    return "".join([*parts, asked[end:]])


def _inflected(antecedent: str, asked: str, pronoun: re.Match[str]) -> str:
    """The antecedent in the form of the pronoun: "the bridge's" for "its", "in Rome" for "there"."""
    low = pronoun[0].lower()
    after = re.match(r"\s+(\w+)", asked[pronoun.end() :])
    noun_follows = after is not None and after[1].lower() not in FUNCTION_WORDS
    owns = low in _POSSESSIVE and (low != "her" or noun_follows)
    starts_with_article = re.match(r"(?:The|A|An|My|Our) [a-z]", antecedent)
    noun = antecedent[0].lower() + antecedent[1:] if starts_with_article else antecedent
    preposition = "" if low != "there" else "to " if _VERB_OF_MOTION.search(asked[: pronoun.start()]) else "in "
    return f"{preposition}{noun}{'’s' if owns else ''}".replace("’s", "'s")


def _antecedent(pronoun: str, before: Sequence[PastTask]) -> str:
    """What a pronoun means: in the last question first, or in what was found where that was asked for."""
    for task in reversed(before[-_REACH:]):
        if options := _options(pronoun, task):
            return options[0]
    last = phrases(before[-1].asked)
    return last[0].text if last and pronoun not in _SINGULAR_PERSON else ""


def _options(pronoun: str, task: PastTask) -> list[str]:
    """What a pronoun can mean after a task, likeliest first."""
    asked, found = phrases(task.asked), _new_names(task)
    if pronoun in _SINGULAR_PERSON:
        people_asked, people_found = [*_people(asked), *_OWNER.findall(task.asked)], _people(found)
        return [*people_found, *people_asked] if _ASKS_WHO.search(task.asked) else [*people_asked, *people_found]
    if pronoun == "there":
        options = [phrase for phrase in asked if phrase.person < _SURE and phrase.before in _AT]
        options += [phrase for phrase in asked if phrase.named and phrase.person < _SURE]
        options = [*found, *options] if _ASKS_WHERE.search(task.asked) else options
    elif pronoun in _PLURAL:
        several = [phrase for phrase in asked if phrase.head.endswith("s") or phrase.head in ("people", "team")]
        options = [*several, *(found if _ASKS_WHICH.search(task.asked) else ()), *asked]
    else:
        options = _things(task.asked, asked, found)
    return [phrase.text for phrase in options]


def _things(question: str, asked: Sequence[Phrase], found: Sequence[Phrase]) -> list[Phrase]:
    """The things in a question, names first; what was found comes before them if one of several was asked for."""
    things = [phrase for phrase in asked if phrase.person < _SURE and phrase.head.lower() not in _ASPECTS]
    ranked = sorted(things, key=lambda phrase: (phrase.before in _AT, not phrase.named, not phrase.definite))
    if not _ASKS_WHICH.search(question) or any(phrase.definite for phrase in things):
        return ranked
    return [*(phrase for phrase in found if phrase.person <= _SURE or not things), *ranked]


def _people(options: Sequence[Phrase]) -> list[str]:
    ranked = sorted(options, key=lambda phrase: -phrase.person)
    return [phrase.text for phrase in ranked if phrase.person >= _SURE]


def _new_names(task: PastTask) -> list[Phrase]:
    """The names in the first sentence of what was found that are not in the question."""
    spans = sentences(task.found)[:1]
    first = spans[0].of(task.found) if spans else ""
    return [phrase for phrase in phrases(f"about {first}") if phrase.named and phrase.text not in task.asked]
