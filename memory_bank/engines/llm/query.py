"""Write the search query for fact memory by a language model: a rewritten question, or a hypothetical fact (HyDE).

The query is one sentence, and its words are checked. Earlier results are data and may say anything: a rewritten
question uses the person's own words and takes at most a few names from the results. A hypothetical fact shares a word
with what was asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.prompt import fenced, rules, unescape_quote
from memory_bank.agents.remember import LONGEST_QUERY, Query, QueryInput
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.research_prompt import question_piece
from memory_bank.engines.llm.window import fit, fixed_piece, one_paragraph
from memory_bank.judgement.alignment import invented_numbers
from memory_bank.text.sentences import sentences
from memory_bank.text.tokens import tokenize
from memory_bank.text.wording import Wording, one_line

MAX_NEW_WORD_SHARE = 0.5
"""Share of a rewritten question's words that may be new, such as synonyms."""
MAX_RESULT_WORDS = 6
"""Words of a rewritten question that may come from earlier results only: a name or two."""
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


def query(agent_input: QueryInput, consultation: Consultation) -> Query:
    """The query to search with. `InvalidOutputError` for one that is not about the question, or an instruction."""
    language = consultation.language
    system = PROMPT[language].format(
        task=TASK[language][agent_input.mode], rules=rules(language, "question", "conversation")
    )
    pieces = [question_piece(agent_input.question)]
    for number, task in enumerate(reversed(agent_input.conversation), start=1):  # from the last one back
        # On two lines that nothing in it can forge.
        text = f"asked: {one_line(task.asked)}\nfound: {one_line(one_paragraph(task.found, LONGEST_QUERY))}"
        pieces.append(fixed_piece(f"the task {number} before", text))

    def build(texts: Mapping[str, str]) -> str:
        question_heading, conversation_heading = HEADINGS[language]
        conversation = "\n".join(texts[piece.id] for piece in reversed(pieces[1:]) if piece.id in texts)
        question = f"{question_heading}\n{fenced('question', texts[pieces[0].id])}"
        if not conversation:
            return question
        return f"{conversation_heading}\n{fenced('conversation', conversation)}\n\n{question}"

    prompt = fit(consultation, system, build, pieces, needed=1).prompt
    return Query(text=_checked(consultation.ask(system, prompt, QueryReply).text, agent_input, consultation))


def _checked(reply_text: str, agent_input: QueryInput, consultation: Consultation) -> str:
    """The first sentence of the reply, if it is about what was asked."""
    text = one_line(one_paragraph(unescape_quote(reply_text), LONGEST_QUERY))
    spans = sentences(text)
    if not spans or not tokenize(text):
        consultation.refuse(Wording("the query is empty"))
    if len(spans) > 1:
        consultation.drop(Wording("what came after the first sentence of the query"))
        text = spans[0].of(text)
    if _ORDER.search(text):
        consultation.refuse(Wording("the query is an order, and no question or fact to look for"))
    _refuse_if_foreign(text, agent_input, consultation)
    return text


def _refuse_if_foreign(text: str, agent_input: QueryInput, consultation: Consultation) -> None:
    questions = " ".join([agent_input.question, *(task.asked for task in agent_input.conversation)])
    results = " ".join(task.found for task in agent_input.conversation)
    words, question_words = set(tokenize(text)), set(tokenize(questions))
    if question_words and question_words.isdisjoint(words):
        consultation.refuse(Wording("the query shares no word with the question, nor with what was asked before"))
    from_results = (words - question_words) & set(tokenize(results))
    new = words - question_words - from_results
    if agent_input.mode == "rewrite" and (
        len(new) > MAX_NEW_WORD_SHARE * len(words) or invented_numbers(text, f"{questions} {results}")
    ):
        consultation.refuse(Wording("the query says what nobody asked: {text}", text=text))
    if agent_input.mode == "rewrite" and len(from_results) > MAX_RESULT_WORDS:
        consultation.refuse(Wording("the query repeats what was found, where a name of it would do"))
