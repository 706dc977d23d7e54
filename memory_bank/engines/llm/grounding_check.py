"""Asks the model that wrote an answer which passages bear the sentences that the pair model leaves open.

One request for all sentences of the answer. Where it fails, the pair model's reading stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.prompt import fenced, rules
from memory_bank.bank.above import BEFORE_CHARACTERS
from memory_bank.bank.errors import AgentError
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.judgement.grounding import Bearing, OpenSentence, Passage, SecondReading
from memory_bank.judgement.statement import CONTEXT_SEPARATOR
from memory_bank.text.shortening import largest_fitting
from memory_bank.text.wording import Wording, mark_for_translation, one_line

GROUNDING_CHECK = "react_grounding"
"""The agent's name: it is set as the acting agent."""
_UNKNOWN_SENTENCES = mark_for_translation("sentences that were not shown: {numbers}")
_UNKNOWN_PASSAGES = mark_for_translation("passages that were not shown: {numbers}")


class SentenceReply(BaseModel):
    """What the model says of one sentence."""

    sentence: int
    bearing: Bearing
    passages: list[int] = Field(description="numbers of the passages that decide it; none for not_said")


class CheckReply(BaseModel):
    """What the model answers: each sentence once."""

    sentences: list[SentenceReply]


def check_sentences(asked: Sequence[OpenSentence], consultation: Consultation) -> list[SecondReading | None]:
    """What the model says of each sentence; None where there was no room for it, or the model left it out.

    `AgentError` when there is no answer.
    """
    system = f"{_INSTRUCTIONS[consultation.language]}\n{rules(consultation.language, *_FENCES)}"

    def fits(count: int) -> bool:
        return consultation.room(system, _prompt(asked[:count], consultation.language)) >= 0

    shown = asked[: largest_fitting(0, len(asked), fits)]
    if len(shown) < len(asked):
        left = len(asked) - len(shown)
        consultation.remark("left_out", Wording("no room to check the last {number} sentences again", number=left))
    if not shown:
        return [None] * len(asked)
    reply = consultation.ask(system, _prompt(shown, consultation.language), CheckReply)
    passages = _numbered(shown)
    said = {each.sentence: each for each in reversed(reply.sentences)}
    consultation.remark_unknown(_UNKNOWN_SENTENCES, said, range(1, len(shown) + 1))
    consultation.remark_unknown(_UNKNOWN_PASSAGES, (n for each in reply.sentences for n in each.passages), passages)
    readings = [_reading(said.get(number), passages) for number in range(1, len(shown) + 1)]
    return [*readings, *[None] * (len(asked) - len(shown))]


def try_to_check(asked: Sequence[OpenSentence], consultation: Consultation) -> list[SecondReading | None]:
    """The same, asked once more where that may help. Without an answer nothing is decided, and a remark says why."""
    for last in (False, True):
        try:
            return check_sentences(asked, consultation)
        except AgentError as error:
            consultation.calls = error.calls
            if last or not error.retried:
                reason = Wording("the sentences could not be checked again: {reason}", reason=error.reason)
                consultation.repair(reason)
                break
    return [None] * len(asked)


def _reading(said: SentenceReply | None, passages: Mapping[int, Passage]) -> SecondReading | None:
    if said is None:
        return None
    numbers = dict.fromkeys(number for number in said.passages if number in passages)
    return SecondReading(said.bearing, tuple(passages[number] for number in numbers))


def _numbered(asked: Sequence[OpenSentence]) -> dict[int, Passage]:
    """All passages by number: text by text as they are first needed, in the order in which they stand there.

    Of the same words of a document, which can stand in several entries, the passage with the longest context is shown;
    what is refuted or in dispute anywhere is shown so.
    """
    once: dict[tuple[str, str], Passage] = {}
    for passage in (passage for sentence in asked for passage in sentence.passages):
        known = once.setdefault(_words_of(passage), passage)
        if len(passage.context) > len(known.context) or (passage.barred and not known.barred):
            once[_words_of(passage)] = passage
    passages = list(once.values())
    texts = list(dict.fromkeys(_text_of(passage) for passage in passages))
    passages.sort(key=lambda passage: (texts.index(_text_of(passage)), passage.quote.start))
    return dict(enumerate(passages, start=1))


def _words_of(passage: Passage) -> tuple[str, str]:
    return passage.quote.source, passage.quote.text


def _text_of(passage: Passage) -> tuple[str, str | None]:
    return passage.quote.source, passage.quote.entry_id


# -- the prompt ------------------------------------------------------------------------------------------------

_FENCES = ("passages", "sentences")


def _prompt(asked: Sequence[OpenSentence], language: Language) -> str:
    shown = _numbered(asked).values()
    numbers = {_words_of(passage): number for number, passage in enumerate(shown, start=1)}
    lines: list[str] = []
    for (source, _entry), passages in groupby(shown, key=_text_of):
        of_text = list(passages)
        name, title = one_line(source), one_line(max((passage.title for passage in of_text), key=len))
        lines.append(name if not title or title in name else f"{name}{CONTEXT_SEPARATOR}{title}")
        told = [name, title]
        for passage in of_text:
            barred = _BARRED[language] if passage.barred else ""
            parts, text = one_line(passage.context).split(CONTEXT_SEPARATOR), one_line(passage.quote.text)
            new = CONTEXT_SEPARATOR.join(_whole_words(part) for part in parts if not _is_told(part, told))
            lines.append(f"[{numbers[_words_of(passage)]}] {barred}{f'({new}) {text}' if new else text}")
            told = [name, title, *parts, text]
    sentences = [
        f"{number} ({', '.join(map(str, sorted({numbers[_words_of(each)] for each in sentence.passages})))})"
        f"{_COLON[language]}{f'({one_line(sentence.before)}) ' if sentence.before else ''}{one_line(sentence.text)}"
        for number, sentence in enumerate(asked, start=1)
    ]
    return "\n".join([fenced("passages", "\n".join(lines)), fenced("sentences", "\n".join(sentences))])


def _whole_words(part: str) -> str:
    """A part of a context as it is shown: one that was cut at its beginning begins with a whole word."""
    return f"…{part.split(' ', 1)[-1]}" if len(part) == BEFORE_CHARACTERS else part


def _is_told(part: str, told: Sequence[str]) -> bool:
    """Whether a part of a context, which may be shortened, was shown with the passage before."""
    return any(shown.startswith(part) or shown.endswith(part) for shown in told)


_BARRED: dict[Language, str] = {"en": "(refuted or in dispute) ", "zh": "（已被否定或有争议）"}
_COLON: dict[Language, str] = {"en": ": ", "zh": "："}
_INSTRUCTIONS: dict[Language, str] = {
    "en": (
        "You check an answer strictly against its sources. <passages> holds numbered passages under the names of "
        "their documents, some after their context in round brackets. <sentences> holds sentences of the answer in "
        "their order, each with the numbers of the passages nearest to it; one in round brackets before it is there to "
        "understand it and is not checked. For each sentence:\n"
        "- supported: passages say all of it, or it follows from them without doubt (other words, a sum, a "
        "conversion, a conclusion). passages: all that this takes.\n"
        "- contradicted: a passage rules out a part of it, and no other says it. passages: that one. What is marked "
        "(refuted or in dispute) rules nothing out.\n"
        "- not_said: neither, or only a part of it is borne out. It is not borne out either where the passages "
        "speak of another person, thing, time, place, cause, number or degree of certainty, or where a plan, a "
        "proposal or an opinion is told as a fact. That something was checked or settled needs no passage: only what "
        "was found does.\n"
        "Answer for every sentence, once."
    ),
    "zh": (
        "你对照来源严格核对一份回答。<passages> 中是编好号的段落，列在各自的文档名之下；"
        "段落前的圆括号中是它的上文。<sentences> 中按顺序列出回答的句子，并附上与之最接近的段落编号；"
        "句前圆括号中的句子只供理解，不必核对。逐句判断：\n"
        "- supported（有依据）：段落说出了整句的内容，或可由段落毫无疑问地推出（换一种说法、求和、换算、推论）。"
        "passages：所需的全部段落。\n"
        "- contradicted（被否定）：有段落与句中某一部分不相容，且没有别的段落这样说。passages：该段落。"
        "标有（已被否定或有争议）的段落不能否定任何句子。\n"
        "- not_said（未提及）：以上都不是，或只有一部分有依据。段落说的是另一个人、事物、时间、地点、原因、数量"
        "或确定程度，或者把计划、建议、看法说成了事实，也属此类。"
        "句中说“经核查”“已裁定”本身不需要依据，只核对其结论。\n"
        "每个句子都要回答，且只回答一次。"
    ),
}
