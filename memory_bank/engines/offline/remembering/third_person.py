"""What somebody says of themselves, as it is told of them: "I lost my job" of Ada is "Ada lost Ada's job".

The name stands in each time: whether a person is he or she is not known. "We" stays, for who else is meant is not
known either. A verb is put into the third person; one that is joined by "and" to another is left as it is.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”|「[^」]*」)")
_ADVERB = (
    r"(?:also|already|always|really|actually|never|just|still|often|even|once|then|now|only|sometimes|ever|too|almost"
    r"|kinda|first|both|[a-z]+ly)"
)
_SHORT = re.compile(r"\bI['’](m|ve|ll|d)\b|\bI(m|ve)\b", re.IGNORECASE)
_SUBJECT = re.compile(rf"\bI\b((?:,? {_ADVERB})*) ([a-z]+(?:['’]t)?)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(I|me|myself|my|mine)\b(?!\.e\.)(?![-'’])", re.IGNORECASE)
_CHINESE = re.compile(r"(?<!自)(?:我自己|我)(?![们國国方])")
_YOU_ARE = re.compile(r"\byou['’](re|ve|ll|d)\b|\byou (are|were|have|do|don't)\b", re.IGNORECASE)
_YOU = re.compile(r"\b(?:your|yours|yourself|you)\b(?![-'’])|[你您](?!们)", re.IGNORECASE)
_OF_YOU = {
    "re": "is", "ve": "has", "ll": "will", "d": "would", "are": "is", "were": "was", "have": "has", "do": "does",
    "don't": "doesn't",
}  # fmt: skip
_LONG = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
_OWN_FORMS = {
    "am": "is", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't", "go": "goes", "ain't": "isn't",
    "wanna": "wants to", "gotta": "has to",
}  # fmt: skip
_NO_VERB = frozenset(
    "and or but in at on to of the a an who that with for as if than when while because so this my your not "
    "will would can could may might must shall should ought cannot won't wouldn't can't couldn't mightn't mustn't "
    "shouldn't didn't wasn't weren't hadn't isn't was were did had is has does gonna been seen done gone".split()
)
PAST = frozenset(
    "was were had did went got took made came saw said told gave found thought knew felt left met ran began brought "
    "bought built caught chose drew drove ate fell fought flew forgot froze grew heard held hid kept laid led lent "
    "lost meant paid rode rang rose sang sat sent shook shot slept sold spent spoke stood stole struck swam swore "
    "taught threw understood woke won wore wrote broke became bent bet bit blew dealt dug drank dreamt fed hung hurt "
    "knelt lit overcame put quit read set sought shone spread stuck swept tore wound withdrew cut hit let beat".split()
)
"""Irregular past forms; of those that are the present as well, the past is told more often."""
_ENDING_IN_ED = frozenset("need feed speed exceed proceed succeed embed bleed breed weed heed seed".split())


def third_person(text: str, name: str, listener: str = "") -> str:
    """The text with the name in place of "I", "my" and "me", and the listener's, where known, in place of "you".

    What stands in quotation marks is left as it is.
    """
    parts = _QUOTED.split(text)
    return "".join(part if place % 2 else _told(part, name, listener) for place, part in enumerate(parts))


def is_past(verb: str) -> bool:
    """Whether an English verb form is of the past."""
    return verb in PAST or (verb.endswith("ed") and verb not in _ENDING_IN_ED)


def _told(text: str, name: str, listener: str) -> str:
    if listener:
        text = _YOU_ARE.sub(lambda found: f"\1 {_OF_YOU[(found[1] or found[2]).lower()]}", text)
        text = _YOU.sub(lambda found: "\1's" if found[0].lower() in ("your", "yours") else "\1", text)
    text = _SHORT.sub(lambda found: f"\0 {_LONG[(found[1] or found[2]).lower()]}", text)
    text = _SUBJECT.sub(lambda found: f"\0{found[1]} {_of_third_person(found[2])}", text)
    text = _PRONOUN.sub(lambda found: "\0's" if found[1].lower() in ("my", "mine") else "\0", text)
    text = _CHINESE.sub("\0", text)
    return text.replace("\0", name).replace("\1", listener)


def _of_third_person(verb: str) -> str:
    low = verb.lower().replace("’", "'")
    if low in _OWN_FORMS:
        return _OWN_FORMS[low]
    if low in _NO_VERB or is_past(low):
        return verb
    if re.search(r"[^aeiou]y$", low):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", low) else f"{verb}s"
