"""Prompts of the three research judgements: the instructions, and the question with numbered pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from memory_bank.agents.agent import Language
from memory_bank.agents.prompt import fenced, rules
from memory_bank.agents.research import MemoryPage
from memory_bank.engines.llm.window import Cut, Piece, fixed_piece
from memory_bank.text.sentences import sentences
from memory_bank.text.shortening import Count, shorten
from memory_bank.text.span import Span
from memory_bank.text.tokens import tokenize
from memory_bank.text.wording import one_line

Task = Literal["plan", "find", "reflect"]
Part = tuple[str, Sequence[Piece]]
"""A part of the user's prompt: its name in `_HEADINGS`, and its pieces."""

GAP = " […] "
"""Stands where sentences of a page were left out."""
_MEMORY = "memory"
_FENCE = {"question": "question", "pages": "", "excerpts": ""}
"""The fence around a part; empty where each page has its own. Every other part is fenced as memory."""


def system(task: Task, language: Language) -> str:
    """The instructions: the role, which text is data, and the fields of the answer."""
    return "\n".join([_ROLE[language][task], rules(language, "question", _MEMORY, "page"), _FIELDS[language][task]])


def user(language: Language, parts: Sequence[Part], texts: Mapping[str, str]) -> str:
    """The user's prompt, part by part under headings; an empty part is shown as a dash."""
    sections: list[str] = []
    for name, pieces in parts:
        shown = "\n".join(texts[piece.id] for piece in pieces if piece.id in texts)
        fence = _FENCE.get(name, _MEMORY)
        sections.append(f"{_HEADINGS[language][name]}\n{fenced(fence, shown) if fence and shown else shown or '-'}")
    return "\n\n".join(sections)


# -- pieces ------------------------------------------------------------------------------------------------------


def question_piece(question: str) -> Piece:
    """The question; it is shortened only where the window is too small."""
    return Piece("the question", lambda body, _lines: body, question.strip())


def abstract_piece(number: int, abstract: MemoryPage) -> Piece:
    """A page's abstract on one line, so that nothing in it can look like another page."""
    return fixed_piece(abstract.id, f"page {number}: {one_line(abstract.text)}")


def page_piece(number: int, page: MemoryPage, cut: Cut) -> Piece:
    """A page between its own tags: whole, or shortened by `cut` where there is no room."""
    title = f"title: {one_line(page.title)}\n" if page.title else ""

    def write(text: str, _lines: int) -> str:
        return fenced("page", f"{title}{text}").replace("<page>", f'<page number="{number}">', 1)

    return Piece(page.id, write, page.text.strip(), cut=cut)


def question_focused_cut(question: str) -> Cut:
    """A cut that keeps the sentences with most words of the question, earlier ones first, in their order."""
    question_words = frozenset(tokenize(question))

    @lru_cache(maxsize=8)
    def ranked(text: str, count: Count) -> tuple[tuple[Span, int], ...]:
        def shared_words(span: Span) -> int:
            return len(question_words & set(tokenize(span.of(text))))

        best_first = sorted(sentences(text), key=shared_words, reverse=True)
        return tuple((span, count(span.of(text) + GAP)) for span in best_first)

    def cut(text: str, size: int, count: Count) -> str:
        if count(text) <= size:
            return text
        chosen: list[Span] = []
        for span, tokens in ranked(text, count):
            if tokens <= size:
                chosen.append(span)
                size -= tokens
        return _joined(text, sorted(chosen)) if chosen else shorten(text, size, count)

    return cut


def _joined(text: str, spans: Sequence[Span]) -> str:
    """Sentences of a text in their order, with `GAP` where some are left out."""
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += [GAP if text[end : span.start].strip() else text[end : span.start], span.of(text)]
        end = span.end
    return "".join([*parts, GAP if text[end:].strip() else ""]).strip()


# -- words -------------------------------------------------------------------------------------------------------

_ROLE: dict[Language, dict[Task, str]] = {
    "en": {
        "plan": (
            "You research a question in a memory of pages. You decide what to look for next: the facts that are still "
            "needed for the answer, and which of the pages listed are worth reading whole. Each fact is searched for "
            "twice: by its keywords, literally, and by its sentence, by meaning."
        ),
        "find": (
            "You research a question in a memory of pages. You keep the result: the facts that serve the question, "
            "each with the pages that state it. You are shown the result so far and the best pages."
        ),
        "reflect": (
            "You research a question in a memory of pages. You judge whether the facts found are enough to answer the "
            "question in full and, if not, what to look for next."
        ),
    },
    "zh": {
        "plan": (
            "你在一个由页面组成的记忆中研究一个问题。你决定接下来要找什么：回答问题还缺哪些事实，"
            "以及所列页面中哪些值得通读。每项事实会检索两次：用 keywords 按字面检索，用 sentence 按意思检索。"
        ),
        "find": (
            "你在一个由页面组成的记忆中研究一个问题。你负责记录结果：有助于回答问题的事实，以及写明该事实的页面。"
            "下面给出目前的结果和最相关的页面。"
        ),
        "reflect": (
            "你在一个由页面组成的记忆中研究一个问题。你判断已找到的事实是否足以完整回答问题；若不足，接下来该找什么。"
        ),
    },
}
_FIELDS: dict[Language, dict[Task, str]] = {
    "en": {
        "plan": (
            "needs: most important first, at most 8, each a single fact. keywords: two to six words that stand in the "
            "text itself, names before all, no question words. sentence: the fact as a document would state it; leave "
            "the unknown value out, guess nothing. open_pages: numbers of pages that are listed, at most 5."
        ),
        "find": (
            "findings: the whole result, not only what is new; most important first. One fact in one sentence that "
            "stands alone: names instead of “it” or “he”. Keep to the words and the language of the page. pages: the "
            "numbers of the pages that state the fact, and of no others. Drop what is off the point. No opinion, no "
            "conclusion of your own; where no page helps, an empty list is the right answer. Where pages contradict "
            "each other, give what each of them states. Never write page numbers into a sentence."
        ),
        "reflect": (
            "missing: what a full answer still lacks; empty when nothing. enough: true only when the facts found "
            "answer every part of the question. follow_ups: when it is not enough, at most 5 requests, most critical "
            "first, each understood without the others and without the question: with the names that were found, "
            "such as a person to whom a page led. Nothing that was asked before. Where the memory plainly holds no "
            "more, an empty list."
        ),
    },
    "zh": {
        "plan": (
            "needs：最重要的在前，最多 8 项，每项只含一个事实。"
            "keywords：原文中会出现的二至六个词，名称优先，不用疑问词。"
            "sentence：文档会如何陈述这一事实；未知的数值留空，不要猜测。open_pages：所列页面的编号，最多 5 个。"
        ),
        "find": (
            "findings：完整的结果，而不只是新增部分；最重要的在前。每项用一句可独立理解的话写一个事实，用名称而不用“它”“他”。"
            "沿用页面的用词和语言。pages：写明该事实的页面编号，不得包含其他页面。与问题无关的删去。不发表意见，不自行推断；"
            "没有页面有帮助时，返回空列表即可。页面互相矛盾时，分别写出各自的说法。句中不要写页面编号。"
        ),
        "reflect": (
            "missing：完整回答还缺什么；不缺则留空。enough：只有已找到的事实回答了问题的每个部分时才为 true。"
            "follow_ups：不足时给出最多 5 个请求，最关键的在前，每个都能脱离其他请求和原问题独立理解，"
            "并写明已找到的名称，例如页面中提到的人物。不要重复问过的内容。记忆中显然没有更多内容时，返回空列表。"
        ),
    },
}
_HEADINGS: dict[Language, dict[str, str]] = {
    "en": {
        "question": "The question:",
        "requests": "To be found out in this round:",
        "asked": "Asked so far:",
        "known": "Pages known so far, by their abstracts:",
        "found": "Found so far, each with its pages:",
        "pages": "The pages, best first:",
        "excerpts": "What the best pages say of it, in excerpts:",
    },
    "zh": {
        "question": "问题：",
        "requests": "本轮要查清的内容：",
        "asked": "已经问过的内容：",
        "known": "目前已知的页面（摘要）：",
        "found": "目前已找到的事实及其页面：",
        "pages": "页面，最相关的在前：",
        "excerpts": "最相关页面的摘录：",
    },
}
