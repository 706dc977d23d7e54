"""A question as the sentence that would answer it, without what is asked for: "Harlow Bridge was built in".

A fact in memory is such a sentence, and more like it than like the question. Verbs are put into their forms as far as
the regular ones and the commonest others go.
"""

from __future__ import annotations

import re

from memory_bank.engines.offline.language.phrases import phrases
from memory_bank.modules.tokens import holds_chinese

_AUXILIARY = "is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must|may|might"
_ASKED = re.compile(
    rf"(?P<word>when|where|why|whom?|how (?:much|often)|(?:what|which|how many)(?: (?!(?:{_AUXILIARY})\b)"
    rf"(?P<thing>\w+))?|how(?: (?!(?:{_AUXILIARY})\b)(?P<measure>\w+))?) (?P<auxiliary>{_AUXILIARY}) (?P<rest>.+)",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(rf"(?P<auxiliary>{_AUXILIARY}) (?P<rest>.+)", re.IGNORECASE)
_NAMED = re.compile(r"(?:the|a|an|my|our|your|his|her|their) |[A-Z]")
_ENDS = {"when": "in", "where": "in", "why": "because", "how": "by"}
_PERSONAL = re.compile(r"(?:i|we|you|he|she|they|it)\b", re.IGNORECASE)
_IRREGULAR = dict(
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
_CHINESE = tuple(
    (re.compile(asked), told)
    for asked, told in (
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
    """The question as a sentence that breaks off where the answer would stand, or has no word for it.

    A text that is not understood as a question comes back without its question mark.
    """
    said = " ".join(question.split()).rstrip("?？ ")
    if holds_chinese(said):
        return _in_chinese(said) or said
    told = _told(said)
    return told[0].upper() + told[1:] if told else said


def _told(said: str) -> str:
    asked = _ASKED.match(said)
    if asked and asked["word"].lower() == "who" and not _NAMED.match(asked["rest"]):
        return f"somebody {asked['auxiliary'].lower()} {asked['rest']}"
    if asked:
        end = _ENDS.get(asked["word"].lower(), asked["measure"] or "")
        return _inverted(asked["auxiliary"].lower(), asked["rest"], asked["thing"] or "", end)
    yes_or_no = _YES_OR_NO.match(said)
    if yes_or_no:
        return _inverted(yes_or_no["auxiliary"].lower(), yes_or_no["rest"])
    done = re.match(r"who (?P<verb>\w+) (?P<what>.+)", said, re.IGNORECASE)
    passive = _passive(done["verb"].lower(), done["what"]) if done else ""
    return passive or re.sub(r"^(?:who|what|which|how (?:many|much)) ", "", said, flags=re.IGNORECASE)


def _inverted(auxiliary: str, rest: str, thing: str = "", end: str = "") -> str:
    """Subject before verb: "was", "Harlow Bridge built", "in" to "Harlow Bridge was built in"."""
    subject, predicate = _parted(auxiliary, rest)
    if auxiliary in ("do", "does", "did"):
        verb, _, after = predicate.strip().partition(" ")
        return " ".join(f"{subject} {_form(verb, auxiliary)} {thing} {after} {end}".split())
    return " ".join(f"{subject} {auxiliary} {predicate} {thing} {end}".split())


def _parted(auxiliary: str, rest: str) -> tuple[str, str]:
    """The subject at the beginning, and what is said of it."""
    personal = _PERSONAL.match(rest)
    if personal:
        return personal[0], rest[personal.end() :]
    before = len(auxiliary) + 1
    end = max((found.end - before for found in phrases(f"{auxiliary} {rest}") if found.start == before), default=0)
    return (rest[:end], rest[end:]) if end else (rest, "")


def _passive(verb: str, what: str) -> str:
    """What was done, "by" whoever it was; empty for a verb whose form is not known."""
    past = verb if verb.endswith("ed") or verb in _IRREGULAR.values() else ""
    stem = verb.removesuffix("s")
    if past:
        return f"{what} was {_PARTICIPLES.get(past, past)} by"
    if verb != stem:
        past = _form(stem, "did")
        return f"{what} is {_PARTICIPLES.get(past, past)} by"
    return ""


def _form(verb: str, auxiliary: str) -> str:
    """The form that "does" or "did" lends to a verb."""
    if auxiliary == "do" or not verb:
        return verb
    if auxiliary == "does":
        special = {"have": "has", "do": "does", "go": "goes"}
        return special.get(verb, f"{verb}es" if verb.endswith(("s", "sh", "ch", "x")) else f"{verb}s")
    return _IRREGULAR.get(verb, f"{verb}d" if verb.endswith("e") else f"{verb}ed")


def _in_chinese(said: str) -> str:
    for asked, told in _CHINESE:
        said = asked.sub(told, said)
    return said
