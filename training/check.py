"""Checks the form of corpus files: every line is an object of one of the kinds that WRITING.md describes."""

import json
import sys
from pathlib import Path
from typing import Any

from memory_bank.bank.task_kind import KINDS
from memory_bank.text.values.arithmetic import Computation

SIDES = ("a", "b", "a2", "b2", "n")


def faults_of_family(item: dict[str, Any]) -> list[str]:
    faults = [f"{side}: no text" for side in SIDES if not str(item[side]["t"]).strip()]
    faults += [f"{side}: no context field" for side in SIDES if not isinstance(item[side].get("c"), str)]
    texts = [item[side]["t"] for side in SIDES]
    return faults + (["two of its texts are the same"] if len(set(texts)) < len(texts) else [])


def faults_of_dossier(item: dict[str, Any]) -> list[str]:
    faults = []
    for relation in ("contradictions", "same", "tempting"):
        for first, a, second, b in item[relation]:
            faults += [
                f"{relation}: not in document {n}: {span!r}"
                for n, span in ((first, a), (second, b))
                if span not in item["documents"][n]["text"]
            ]
            if first == second:
                faults.append(f"{relation}: both spans are of document {first}")
    for question in item.get("questions", []):
        if not question["q"].strip() or not question["kind"]:
            faults.append("a question without words or kind")
        faults += [
            f"question: not in document {n}: {span!r}"
            for n, span in question["passages"]
            if span not in item["documents"][n]["text"]
        ]
    return faults


def faults_of_questions(item: dict[str, Any]) -> list[str]:
    faults = []
    for question in item["questions"]:
        if question["passage"] is None:
            continue
        if question["sentence"] not in item["passages"][question["passage"]]["text"]:
            faults.append(f"sentence not in its passage: {question['sentence']!r}")
        if question["span"] not in question["sentence"]:
            faults.append(f"span not in its sentence: {question['span']!r}")
    return faults


def faults_of_set(item: dict[str, Any]) -> list[str]:
    """Of a question on a set of real documents, or of the origin of one of these."""
    if "q" not in item:
        return [] if item["file"] and item["repository"] and item["commit"] and item["path"] else ["no origin"]
    faults = [] if item["q"].strip() and item["kind"] and item["language"] else ["no question, kind or language"]
    return faults + ["a passage without file or words" for file, words in item["passages"] if not (file and words)]


def faults_of_namesakes(item: dict[str, Any]) -> list[str]:
    texts = item["documents"]
    faults = (
        [] if item["language"] and item["question"] and len(texts) > 1 else ["no language, question or second text"]
    )
    for one in texts:
        faults += [] if one["thing"] else [f"a text without its thing: {one['text'][:40]!r}"]
        faults += [] if (one["answer"] or "") in one["text"] else [f"answer not in its text: {one['answer']!r}"]
    return faults


def faults_of_line(line: str) -> list[str]:
    try:
        item = json.loads(line)
        if "task" in item:
            known = item["task"].strip() and item["kind"] in KINDS and item["language"]
            return [] if known else ["no task, kind or language"]
        if "computation" in item:
            return (
                [] if item["q"].strip() and Computation(item["computation"]) and item["language"] else ["no question"]
            )
        if "set" in item:
            return faults_of_set(item)
        if "name" in item:
            return faults_of_namesakes(item)
        if not item["language"] or not item["domain"]:
            return ["language or domain is empty"]
        if "documents" in item:
            return faults_of_dossier(item)
        return faults_of_questions(item) if "questions" in item else faults_of_family(item)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        return [f"{type(error).__name__}: {error}"]


def main(names: list[str]) -> int:
    failed = 0
    for name in names:
        lines = [line for line in Path(name).read_text(encoding="utf-8").splitlines() if line.strip()]
        for number, line in enumerate(lines, 1):
            for fault in faults_of_line(line):
                failed += 1
                print(f"{name}:{number}: {fault}")
        print(f"{name}: {len(lines)} items")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
