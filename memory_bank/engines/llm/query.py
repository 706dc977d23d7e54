"""What memory is searched with, by a model: the question rewritten, or a hypothetical fact; checked by its words.

What was found before is data, and may say anything. A rewritten question is of the person's own words, and from what
was found it takes names at most; a hypothetical fact is of what the question is about. Either is one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.remember import LONGEST_QUERY, PastTask, Query, QueryGiven
from memory_bank.engines.llm.alignment import invented_numbers
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.prompt import as_written, fenced, rules
from memory_bank.engines.llm.window import Piece, brief, fit
from memory_bank.modules.sentences import sentences
from memory_bank.modules.tokens import tokenize
from memory_bank.one_line import one_line

STRANGE = 0.5
"""Share of a rewritten question's words that nobody said before, at most: other words for the same."""
MOST_TOLD = 6
"""Words of a rewritten question that stand only in what was found: a name or two."""
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|reveal|execute|obey)\b.*\b(?:instructions?|rules?|tasks?|prompts?|above|previous)\b"
    r"|\bsystem prompt\b|\byou (?:are|must|should) (?:now|always|never|an? )"
    r"|(?:忽略|无视|忘记|违背).{0,12}(?:指令|规则|任务|提示|要求)",
    re.IGNORECASE,
)

PROMPT: dict[Language, str] = {
    "en": """You write the text with which a memory of facts is searched. The question is in <question>; what was \
asked and found before it, oldest first, is in <conversation>.
{task}
{rules}""",
    "zh": """你负责写出用来检索事实记忆的文本。问题在 <question> 中；此前问过和找到的内容（从早到晚）\
在 <conversation> 中。
{task}
{rules}""",
}
TASK: dict[Language, Mapping[str, str]] = {
    "en": {
        "rewrite": (
            "text: the question as one question that is understood without the conversation. Put in what it points "
            "to or leaves out, by its name, instead of “it”, “she” or “there”. Change nothing else, answer nothing; a "
            "question that stands alone already is repeated as it is."
        ),
        "hyde": (
            "text: one short statement as a memory would hold it that answers the question, with the names instead of "
            "“it” or “she”. The value that is asked for is not known: leave it out, guess no number, date or name."
        ),
    },
    "zh": {
        "rewrite": (
            "text：把问题改写成一个脱离对话也能理解的问句。补上它所指的或省略的内容，用名称代替“它”“她”“那里”。"
            "其他不改，也不要回答；本来就能独立理解的问题原样重复。"
        ),
        "hyde": (
            "text：一句简短的陈述，如同记忆中回答该问题的事实，用名称代替“它”“她”。"
            "所问的值未知：留空不写，不要猜测数字、日期或名称。"
        ),
    },
}
HEADINGS: dict[Language, tuple[str, str]] = {
    "en": ("The question:", "The conversation before it:"),
    "zh": ("问题：", "此前的对话："),
}


class QueryReply(BaseModel):
    """What the model answers."""

    text: str = Field(description="one sentence to search with")


def query(given: QueryGiven, consultation: Consultation) -> Query:
    """What to search with. `InvalidOutputError` for a sentence that is not of the question, or an order."""
    language = consultation.language
    system = PROMPT[language].format(task=TASK[language][given.mode], rules=rules(language, "question", "conversation"))
    pieces = [Piece("the question", lambda body, _lines: body, given.question.strip())]
    pieces += [_task_piece(number, task) for number, task in enumerate(reversed(given.conversation), start=1)]

    def build(kept: Mapping[str, str]) -> str:
        asked, before = HEADINGS[language]
        told = "\n".join(kept[piece.id] for piece in reversed(pieces[1:]) if piece.id in kept)
        question = f"{asked}\n{fenced('question', kept[pieces[0].id])}"
        return f"{before}\n{fenced('conversation', told)}\n\n{question}" if told else question

    prompt = fit(consultation, system, build, pieces, needed=1).prompt
    return Query(text=_checked(consultation.ask(system, prompt, QueryReply).text, given, consultation))


def _task_piece(number: int, task: PastTask) -> Piece:
    """A task before, the last one first, on two lines that nothing in it can forge."""
    return Piece(
        f"the task {number} before",
        lambda _body, _lines: f"asked: {one_line(task.asked)}\nfound: {one_line(brief(task.found, LONGEST_QUERY))}",
    )


def _checked(said: str, given: QueryGiven, consultation: Consultation) -> str:
    """The first sentence of what was said, if it is of what was asked."""
    text = one_line(brief(as_written(said), LONGEST_QUERY))
    spans = sentences(text)
    if not spans or not tokenize(text):
        consultation.refuse("the query is empty")
    if len(spans) > 1:
        consultation.remark("dropped", "what came after the first sentence of the query")
        text = spans[0].of(text)
    if _ORDER.search(text):
        consultation.refuse("the query is an order, and no question or fact to look for")
    _refuse_if_foreign(text, given, consultation)
    return text


def _refuse_if_foreign(text: str, given: QueryGiven, consultation: Consultation) -> None:
    asked = " ".join([given.question, *(task.asked for task in given.conversation)])
    found = " ".join(task.found for task in given.conversation)
    words, own = set(tokenize(text)), set(tokenize(asked))
    if own and own.isdisjoint(words):
        consultation.refuse("the query shares no word with the question, nor with what was asked before")
    told = (words - own) & set(tokenize(found))
    strange = words - own - told
    if given.mode == "rewrite" and (len(strange) > STRANGE * len(words) or invented_numbers(text, f"{asked} {found}")):
        consultation.refuse(f"the query says what nobody asked: {text}")
    if given.mode == "rewrite" and len(told) > MOST_TOLD:
        consultation.refuse("the query repeats what was found, where a name of it would do")
