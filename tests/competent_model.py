"""A scripted model that does its work well, by reading the prompts as a model would: what the loop does with one.

It knows nothing of the documents beforehand; years after the same words are contradictions to it.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from tests.scripted_model import ScriptedReply

_CLAIM = re.compile(r"^claim (\d+)(?: \([^)]*\))?: (.+)$", re.MULTILINE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def reply(asked: dict[str, Any]) -> Any:
    """What a good model would answer to a request."""
    wanted = asked.get("response_format")
    if wanted is None:
        said = "\n".join(str(message["content"]) for message in asked["messages"][1:])
        return _act(asked, html.unescape(said))
    return _JUDGE[wanted["json_schema"]["name"]](html.unescape(str(asked["messages"][1]["content"])))


def _classify(text: str) -> dict[str, Any]:
    numbers = [int(number) for number in re.findall(r"^\[(\d+)\]", text, re.MULTILINE)]
    first = re.search(r"^\[1\] (.+)$", text, re.MULTILINE)
    context = first[1][:80] if first else "A document."
    cluster = {"passages": numbers, "context": context, "keywords": context.split()[:4]}
    return {"should_cluster": False, "clusters": [cluster]}


def _structure(text: str) -> dict[str, Any]:
    document = text.split("<document>")[1].split("</document>", maxsplit=1)[0]
    blocks = re.split(r"^(?:Topic|主题) \d+[:：]", document, flags=re.MULTILINE)[1:]
    topics = []
    for number, block in enumerate(blocks, start=1):
        found = [each.strip() for each in re.findall(r"\[\d+\] ([^.]+\.)", block)]
        topics.append({"topic": number, "summary": " ".join(found[:2]), "no_claim": []})
    return {"topics": topics}


def _analyse(text: str) -> dict[str, Any]:
    """A year that differs after the same other words is a contradiction."""
    claims = _CLAIM.findall(text)
    likely = [
        (int(b), int(c)) for b, c in re.findall(r"^candidate \d+: claim (\d+) and claim (\d+)", text, re.MULTILINE)
    ]
    pairs = [
        (int(b), int(a), f"{x} or {y}")
        for n, (a, x) in enumerate(claims)
        for b, y in claims[n + 1 :]
        if _YEAR.sub("", x) == _YEAR.sub("", y) and _YEAR.findall(x) != _YEAR.findall(y)
    ]
    true = {frozenset(pair[:2]) for pair in pairs}
    return {
        "candidates": [
            {"candidate": number, "reason": "The years differ.", "contradiction": frozenset(pair) in true}
            for number, pair in enumerate(likely, start=1)
        ],
        "contradictions": [
            {"new_claim": b, "other_claim": a, "description": told, "confidence": 0.9}
            for b, a, told in pairs
            if frozenset((a, b)) not in {frozenset(pair) for pair in likely}
        ],
        "relations": [],
    }


def _integrate(text: str) -> dict[str, Any]:
    context = re.search(r"node 1(?: \([^)]*\))?: (.+)", text)
    named = re.sub(r"\d+", "", context[1]) if context else "One topic."
    return {
        "summary": f"What the sources say on: {named}",
        "context": named,
        "keywords": ["merged"],
        "repeated_claims": [],
        "neighbour_updates": [],
        "merge_description": "The sources were made one.",
    }


def _plan(text: str) -> dict[str, Any]:
    conflict = re.search(r"conflict (\d+)", text)
    goal = re.search(r"<goal>\s*(.+)", text)
    step = {"finished_context": "Done.", "done": False, "next_type": "NORMAL", "conflict": 0}
    if conflict:
        return {**step, "next_type": "CROSS_VALIDATE", "next_description": "Verify it.", "conflict": int(conflict[1])}
    if re.search(r"\[NORMAL, success\] Answer", text):
        return {**step, "done": True, "next_description": ""}
    return {**step, "next_description": f"Answer: {goal[1] if goal else 'the question'}"}


def _plan_research(text: str) -> dict[str, Any]:
    """Looks for the names in the question, and opens the first page."""
    question = _question(text)
    names = " ".join(re.findall(r"[A-Z]\w+", question)) or question
    return {"needs": [{"fact": question, "keywords": names, "sentence": question}], "open_pages": [1]}


def _find(text: str) -> dict[str, Any]:
    """The sentences of the pages that share a longer word with the question."""
    asked = set(re.findall(r"\w{4,}", _question(text)))
    pages = re.findall(r'<page number="(\d+)">\n(.*?)\n</page>', text, re.DOTALL)
    told = [(int(number), found.strip()) for number, page in pages for found in re.findall(r"[^.\n]+\.", page)]
    return {"findings": [{"text": said, "pages": [number]} for number, said in told if asked & set(said.split())]}


def _reflect(text: str) -> dict[str, Any]:
    return {"missing": "", "enough": "Found so far" in text, "follow_ups": []}


def _rewrite(text: str) -> dict[str, Any]:
    """Puts the last name of the conversation in the place of a pronoun."""
    told = text.partition("<conversation>")[2].partition("</conversation>")[0]
    names = re.findall(r"(?<=\s)[A-Z]\w+(?: [A-Z]\w+)*", "\n".join(re.findall(r"asked: \w+(.*)", told)))
    return {"text": re.sub(r"\b(?:it|he|she|they)\b", names[-1] if names else "it", _question(text))}


def _extract(text: str) -> dict[str, Any]:
    """The sentences in which somebody speaks of themselves, each with the name of who said it."""
    said = text.split("<said>")[1].split("</said>", maxsplit=1)[0]
    lines = re.findall(r"^\[(\d+)\] ([^:(]+?)(?: \([^)]*\))?: (.+)$", said, re.MULTILINE)
    found = [
        (int(number), name, sentence.strip())
        for number, name, line in lines
        for sentence in re.findall(r"[^.!?]+[.!?]?", line)
        if re.search(r"\b(?:I|my|My)\b", sentence) and not sentence.endswith("?")
    ]
    return {
        "facts": [
            {"content": told, "context": name, "type": "semantic", "importance": 0.5, "evidence": [number]}
            for number, name, told in found
        ]
    }


def _check(text: str) -> dict[str, Any]:
    """A sentence is supported by the passage that shares most of its words, if that holds its figures."""
    passages = [
        (int(n), set(re.findall(r"\w+", line.lower()))) for n, line in re.findall(r"^\[(\d+)\] (.+)$", text, re.M)
    ]
    said = text.split("<sentences>")[1].split("</sentences>", maxsplit=1)[0]
    found = []
    for number, sentence in re.findall(r"^(\d+) \([\d, ]+\)[:：] ?(.+)$", said, re.MULTILINE):
        words = set(re.findall(r"\w+", sentence.lower()))
        passage, shown = max(passages, key=lambda each: len(each[1] & words))
        supported = len(shown & words) > len(words) / 2 and {w for w in words if w.isdigit()} <= shown
        bearing = (
            {"bearing": "supported", "passages": [passage]} if supported else {"bearing": "not_said", "passages": []}
        )
        found.append({"sentence": int(number), **bearing})
    return {"sentences": found}


def _question(text: str) -> str:
    return text.split("<question>")[1].split("</question>", maxsplit=1)[0].strip()


_JUDGE = {
    "classification": _classify,
    "structure": _structure,
    "analysis": _analyse,
    "integration": _integrate,
    "planning": _plan,
    "research_plan": _plan_research,
    "research_findings": _find,
    "research_reflection": _reflect,
    "react_grounding": _check,
    "remember_query": _rewrite,
    "remember_extraction": _extract,
}


def _act(asked: dict[str, Any], text: str) -> Any:
    """Looks once in the reference sources, then decides by them; answers from memory."""
    conflict = re.search(r"<conflict>.*?\nfirst \(.*?\): (.+?)\nsecond \(.*?\): (.+?)\n", text, re.DOTALL)
    if conflict is None:
        memory = text.rsplit("<memory>", maxsplit=1)[-1].split("</memory>", maxsplit=1)[0]
        found = re.findall(r"(?:summary: |\n)([A-Z][^\n]*?\.)(?=\s)", memory)
        return f"<answer>{found[0] if found else 'The memory does not say.'}</answer>"
    if "<tool_response" not in text:
        return _search(conflict[1], native=bool(asked.get("tools")))
    passages = re.findall(r'mark="(r\d+)"[^>]*>\n(.*?)\n</tool_response>', text, re.DOTALL)
    for side, claim in (("first", conflict[1]), ("second", conflict[2])):
        for mark, passage in passages:
            if claim in passage:
                return _verdict(side, [{"cite": mark, "quote": claim, "supports": side}])
    return _verdict("inconclusive", [])


def _search(query: str, *, native: bool) -> Any:
    if native:
        return ScriptedReply(text="I look it up.", tool_calls=[("search", {"query": query})])
    call = json.dumps({"name": "search", "arguments": {"query": query}})
    return f"<think>Look it up.</think><tool_call>{call}</tool_call>"


def _verdict(verdict: str, evidence: list[dict[str, str]]) -> str:
    found = {"verdict": verdict, "reason": "The source says so.", "confidence": 0.9, "evidence": evidence}
    return f"<answer>{json.dumps(found)}</answer>"
