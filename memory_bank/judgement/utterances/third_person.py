"""Whom a sentence is about, and in the third person: Ada's "I lost my job" becomes "Ada lost Ada's job".

The name is repeated each time, because a person's pronouns are not known. "We" stays, because who else is meant is not
known either. The verb after "I" is put into the third person; a further verb joined by "and" is left as it is.
"""

from __future__ import annotations

import re

_SPEAKER = re.compile(
    r"\b(?:i|i['’](?:m|ve|ll|d)|im|ive|me|my|mine|myself)\b|^our\b|[我俺咱]"
    r"|^(?:(?:\w+ly|then|after that|last \w+|yesterday|today|tomorrow|so),? )?we\b(?! (?:can|should|must|need"
    r"|have to|all)\b)|\bwe['’](?:re|ve|ll)\b"
    r"|\bwe (?:all |both |just |also )?(?:went|had|were|got|took|saw|did|made|met|\w+ed)\b",  # not "we" for everybody
    re.IGNORECASE,
)
_LISTENER = re.compile(r"\b(?:you|your|yours|yourself|u|ur|ya|y['’]all)\b|[你您]", re.IGNORECASE)
_SPEAKER_AS_SUBJECT = re.compile(
    r"(?:i|i['’](?:m|ve|d|ll)|we|we['’](?:re|ve)|my \w+|yesterday|last \w+|\w+ \w+ ago)\b(?=.{20})", re.IGNORECASE
)
_ABOUT_LISTENER = re.compile(
    r"(?:i|we)(?:['’](?:m|d|ll|ve|re))? (?:\w+ly |really |just |do |am |can |also |totally |so )*(?:think|hope|bet"
    r"|know|guess|believe|wish|love|see|get|understand|agree|appreciate|remember when|sure|glad|happy|proud|sorry"
    r"|excited|here|suggest|recommend|want|wanted|promise|admire|respect|imagine|thank|mean|feel|support"
    r"|rooting)\b[^.]{0,25}\b(?:you|ur|u)|(?:i|we)(?:['’]ll| will)\b|.*\b(?:if|when|whenever|as|like|what|which|that"
    r"|so|for|of|with|things|lets|makes?|helps?|helping|gives?|show|to) (?:you|your)\b",
    re.IGNORECASE,
)
_MOOD = re.compile(
    r"\b(?:excited|thrilled|stoked|pumped|looking forward|can['’]?t wait|cannot wait|grateful|thankful|lucky"
    r"|fortunate|blessed|proud|determined|rollercoaster|give up|giving up|keep (?:going|pushing|plugging|trying"
    r"|at it)|optimistic|hop(?:e|es|ing)|wish|tempted|curious|motivat\w+|inspir\w+|rewarding|appreciate|glad"
    r"|honou?red|overwhelm\w+|nervous|anxious|stress\w*|emotions?|means? (?:a lot|the world|so much)|feel(?:s|ing)?"
    r"|felt|worth it|believe|mak(?:e|es|ing) me|remind\w*|imagine)\b|希望|期待|感动|激动|骄傲|幸运",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”|「[^」]*」)")
_ADVERB = (
    r"(?:also|already|always|really|actually|never|just|still|often|even|once|then|now|only|sometimes|ever|too|almost"
    r"|kinda|first|both|[a-z]+ly)"
)
_CONTRACTION = re.compile(r"\bI['’](m|ve|ll|d)\b|\bI(m|ve)\b", re.IGNORECASE)
_SUBJECT = re.compile(rf"\bI\b((?:,? {_ADVERB})*) ([a-z]+(?:['’]t)?)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(I|me|myself|my|mine)\b(?!\.e\.)(?![-'’])", re.IGNORECASE)
_CHINESE = re.compile(r"(?<!自)(?:我自己|我)(?![们國国方])")
_YOU_ARE = re.compile(r"\byou['’](re|ve|ll|d)\b|\byou (are|were|have|do|don't)\b", re.IGNORECASE)
_YOU = re.compile(r"\b(?:your|yours|yourself|you)\b(?![-'’])|[你您](?!们)", re.IGNORECASE)
_VERB_AFTER_YOU = {
    "re": "is", "ve": "has", "ll": "will", "d": "would", "are": "is", "were": "was", "have": "has", "do": "does",
    "don't": "doesn't",
}  # fmt: skip
_CONTRACTED_VERB = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
_IRREGULAR_THIRD_PERSON = {
    "am": "is", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't", "go": "goes", "ain't": "isn't",
    "wanna": "wants to", "gotta": "has to",
}  # fmt: skip
_UNINFLECTED = frozenset(
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
"""Irregular past forms, including those that are also present forms but mostly mean the past."""
_PRESENT_IN_ED = frozenset("need feed speed exceed proceed succeed embed bleed breed weed heed seed".split())


def third_person(text: str, name: str, listener: str = "") -> str:
    """The text with `name` in place of "I", "my" and "me", and `listener`, if given, in place of "you".

    Text in quotation marks is left as it is.
    """
    parts = _QUOTED.split(text)
    return "".join(part if index % 2 else _replaced(part, name, listener) for index, part in enumerate(parts))


def is_past(verb: str) -> bool:
    """Whether an English verb form is a past form."""
    return verb in PAST or (verb.endswith("ed") and verb not in _PRESENT_IN_ED)


def _replaced(text: str, name: str, listener: str) -> str:
    """Replace in two steps, by way of marks, so that nothing is replaced inside the names themselves."""
    if listener:
        text = _YOU_ARE.sub(lambda match: f"\1 {_VERB_AFTER_YOU[(match[1] or match[2]).lower()]}", text)
        text = _YOU.sub(lambda match: "\1's" if match[0].lower() in ("your", "yours") else "\1", text)
    text = _CONTRACTION.sub(lambda match: f"\0 {_CONTRACTED_VERB[(match[1] or match[2]).lower()]}", text)
    text = _SUBJECT.sub(lambda match: f"\0{match[1]} {_third_person_form(match[2])}", text)
    text = _PRONOUN.sub(lambda match: "\0's" if match[1].lower() in ("my", "mine") else "\0", text)
    text = _CHINESE.sub("\0", text)
    return text.replace("\0", name).replace("\1", listener)


def _third_person_form(verb: str) -> str:
    low = verb.lower().replace("’", "'")
    if low in _IRREGULAR_THIRD_PERSON:
        return _IRREGULAR_THIRD_PERSON[low]
    if low in _UNINFLECTED or is_past(low):
        return verb
    if re.search(r"[^aeiou]y$", low):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", low) else f"{verb}s"


def is_mood(sentence: str) -> bool:
    """Whether a sentence expresses a feeling, and perhaps nothing else."""
    return _MOOD.search(sentence) is not None


def is_about_speaker(sentence: str) -> bool:
    """Whether a sentence is about its speaker."""
    return _SPEAKER.search(sentence) is not None


def mentions_listener(sentence: str) -> bool:
    """Whether a sentence mentions or addresses the listener."""
    return _LISTENER.search(sentence) is not None


def tells_listener_about_self(sentence: str) -> bool:
    """Whether the speaker tells the listener something about themselves: "I took a trip while you were away"."""
    return bool(_SPEAKER_AS_SUBJECT.match(sentence)) and not _ABOUT_LISTENER.match(sentence)
