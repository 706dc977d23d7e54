"""Turn a question into the beginning of its answer: "When was Harlow Bridge built?" into "Harlow Bridge was built in".

A fact in memory is such a sentence, and so more similar to it than to the question. Regular verbs and the commonest
irregular ones are inflected.
"""

from __future__ import annotations

import re

from memory_bank.text.phrases import phrases
from memory_bank.text.tokens import holds_chinese

_AUXILIARY = "is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must|may|might"
_WH_QUESTION = re.compile(
    rf"(?P<word>when|where|why|whom?|how (?:much|often)|(?:what|which|how many)(?: (?!(?:{_AUXILIARY})\b)"
    rf"(?P<thing>\w+))?|how(?: (?!(?:{_AUXILIARY})\b)(?P<measure>\w+))?) (?P<auxiliary>{_AUXILIARY}) (?P<rest>.+)",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(rf"(?P<auxiliary>{_AUXILIARY}) (?P<rest>.+)", re.IGNORECASE)
_NOUN_PHRASE_START = re.compile(r"(?:the|a|an|my|our|your|his|her|their) |[A-Z]")
_ANSWER_OPENERS = {"when": "in", "where": "in", "why": "because", "how": "by"}
_PRONOUN = re.compile(r"(?:i|we|you|he|she|they|it)\b", re.IGNORECASE)
_IRREGULAR_PAST = dict(
    pair.split("=")
    for pair in (
        "begin=began break=broke bring=brought build=built buy=bought choose=chose come=came cost=cost do=did "
        "draw=drew drive=drove eat=ate fall=fell find=found fly=flew get=got give=gave go=went grow=grew have=had "
        "hold=held keep=kept know=knew lay=laid lead=led leave=left lose=lost make=made meet=met pay=paid put=put "
        "read=read run=ran say=said see=saw sell=sold send=sent sit=sat speak=spoke spend=spent stand=stood "
        "take=took teach=taught tell=told think=thought win=won write=wrote "
    ).split()
)
_PARTICIPLES = dict(
    pair.split("=")
    for pair in (
        "began=begun broke=broken chose=chosen did=done drew=drawn drove=driven ate=eaten flew=flown gave=given "
        "grew=grown knew=known saw=seen spoke=spoken took=taken wrote=written"
    ).split()
)
_CHINESE_REWRITES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"[吗呢啊呀了]?[？?。]*$", ""),
        (r"是?(?:什么时候|何时|哪一?年|哪天)([\u3400-\u9fff]{1,4}?)的?$", r"\1于"),
        (r"(?:是|由)?谁([\u3400-\u9fff]{1,3})的$", r"由某人\1"),
        (r"^谁([\u3400-\u9fff]{1,3}?)了([\u3400-\u9fff]+)$", r"\2由某人\1"),
        (r"谁([\u3400-\u9fff]{1,3})$", r"由某人\1"),
        (r"是?在(?:哪里|哪儿|什么地方)", "在"),
        (r"为什么(.+)$", r"\1，因为"),
        (r"多少钱$", "的价格是"),
        (r"多大$", "的年龄是"),
        (r"有?多([长高深宽远重])", r"\1"),
        (r"(?:什么时候|何时|多少钱?|几个?|什么|谁|哪里|哪儿|哪[\u3400-\u9fff]|多久|怎么样?|如何)", ""),
    )
)


def declarative(question: str) -> str:
    """The question as a sentence that breaks off where the answer would stand, or leaves the answer out.

    A text that is not recognised as a question is returned without its question mark.
    """
    text = " ".join(question.split()).rstrip("?？ ")
    if holds_chinese(text):
        return _declarative_chinese(text) or text
    sentence = _declarative_english(text)
    return sentence[0].upper() + sentence[1:] if sentence else text


def _declarative_english(question: str) -> str:
    asked = _WH_QUESTION.match(question)
    if asked and asked["word"].lower() == "who" and not _NOUN_PHRASE_START.match(asked["rest"]):
        return f"somebody {asked['auxiliary'].lower()} {asked['rest']}"
    if asked:
        end = _ANSWER_OPENERS.get(asked["word"].lower(), asked["measure"] or "")
        return _subject_first(asked["auxiliary"].lower(), asked["rest"], asked["thing"] or "", end)
    yes_or_no = _YES_OR_NO.match(question)
    if yes_or_no:
        return _subject_first(yes_or_no["auxiliary"].lower(), yes_or_no["rest"])
    who_did = re.match(r"who (?P<verb>\w+) (?P<what>.+)", question, re.IGNORECASE)
    passive = _passive(who_did["verb"].lower(), who_did["what"]) if who_did else ""
    return passive or re.sub(r"^(?:who|what|which|how (?:many|much)) ", "", question, flags=re.IGNORECASE)


def _subject_first(auxiliary: str, rest: str, thing: str = "", end: str = "") -> str:
    """Put the subject before the verb: "was", "Harlow Bridge built", "in" gives "Harlow Bridge was built in"."""
    subject, predicate = _split_subject(auxiliary, rest)
    if auxiliary in ("do", "does", "did"):
        verb, _, after = predicate.strip().partition(" ")
        return " ".join(f"{subject} {_inflect(verb, auxiliary)} {thing} {after} {end}".split())
    return " ".join(f"{subject} {auxiliary} {predicate} {thing} {end}".split())


def _split_subject(auxiliary: str, rest: str) -> tuple[str, str]:
    """The subject that `rest` begins with, and the predicate after it."""
    pronoun = _PRONOUN.match(rest)
    if pronoun:
        return pronoun[0], rest[pronoun.end() :]
    before = len(auxiliary) + 1
    ends = (phrase.end - before for phrase in phrases(f"{auxiliary} {rest}") if phrase.start == before)
    end = max(ends, default=0)
    return (rest[:end], rest[end:]) if end else (rest, "")


def _passive(verb: str, what: str) -> str:
    """The clause in the passive, up to "by"; empty for a verb whose form is not known."""
    past = verb if verb.endswith("ed") or verb in _IRREGULAR_PAST.values() else ""
    base = verb.removesuffix("s")
    if past:
        return f"{what} was {_PARTICIPLES.get(past, past)} by"
    if verb != base:
        past = _inflect(base, "did")
        return f"{what} is {_PARTICIPLES.get(past, past)} by"
    return ""


def _inflect(verb: str, auxiliary: str) -> str:
    """The form that a verb takes when it absorbs "do", "does" or "did": "does live" gives "lives"."""
    if auxiliary == "do" or not verb:
        return verb
    if auxiliary == "does":
        special = {"have": "has", "do": "does", "go": "goes"}
        return special.get(verb, f"{verb}es" if verb.endswith(("s", "sh", "ch", "x")) else f"{verb}s")
    return _IRREGULAR_PAST.get(verb, f"{verb}d" if verb.endswith("e") else f"{verb}ed")


def _declarative_chinese(question: str) -> str:
    for pattern, replacement in _CHINESE_REWRITES:
        question = pattern.sub(replacement, question)
    return question
