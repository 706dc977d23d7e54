"""Runs `bench`, the times of the pages and `eval`, and writes `docs/figures.md`, the one place where figures are kept.

python -m scripts.figures --data ../shared/data     # or some parts of it, such as --only qa dossiers
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from memory_bank.app.evaluation.bench import bench_figures
from memory_bank.app.evaluation.figures import Figure
from memory_bank.app.evaluation.items import Items
from memory_bank.app.evaluation.report import evaluate_files, flatten
from memory_bank.bank.settings import load_settings
from scripts.this_commit import this_commit
from tests.browser.page_times import page_figures

TARGET = Path(__file__).parent.parent / "docs" / "figures.md"
WANTED = {
    "hotpot.jsonl hybrid recall@5": "the better of keyword and embedding",
    "musique.jsonl hybrid recall@5": "the better of keyword and embedding",
    "twowiki.jsonl hybrid recall@5": "the better of keyword and embedding",
    "hotpot.jsonl research recall@5": ">= 0.93",
    "musique.jsonl research recall@5": ">= 0.78",
    "twowiki.jsonl research recall@5": ">= 0.85",
    "twowiki.jsonl research all_gold@8": ">= 0.80",
    "locomo.jsonl recall@10": ">= 0.70",
    "ramdocs.jsonl precision": ">= 0.90",
    "ramdocs.jsonl recall": ">= 0.75",
    "fever_symmetric.jsonl accuracy": ">= 0.70",
    "everyday.jsonl accuracy": ">= 0.84",
    "everyday.jsonl precision": ">= 0.86",
    "everyday.jsonl recall": ">= 0.78",
    "dossiers recall": ">= 0.35",
    "dossiers precision": ">= 0.65",
    "dossiers verdict_accuracy": ">= 0.80",
    "dossiers answer_accuracy": ">= 0.55",
    "dossiers mean_answer_words": "<= 60",
    "ramdocs.jsonl strict_em": ">= 0.42",
    "ramdocs.jsonl strict_em_single_entity": ">= 0.55",
    "ramdocs.jsonl wrong_affirmed": "<= 0.22",
    "ramdocs.jsonl mean_answer_words": "<= 100",
}
"""Where the project wants to be; the figures that have no target are there to be watched."""
REFERENCES = {
    "hotpot.jsonl hybrid recall@5": "0.83 (BM25 and MiniLM, half and half)",
    "musique.jsonl hybrid recall@5": "0.65 (likewise)",
    "twowiki.jsonl hybrid recall@5": "0.64 (likewise)",
    "hotpot.jsonl research recall@5": "0.963 (HippoRAG 2, 1,000 questions, larger corpus)",
    "musique.jsonl research recall@5": "0.747 (likewise)",
    "twowiki.jsonl research recall@5": "0.904 (likewise)",
    "twowiki.jsonl research all_gold@8": "0.93 (fast-graphrag, same questions in both halves)",
    "locomo.jsonl recall@10": "0.61 (BM25 and MiniLM, half and half)",
    "ramdocs.jsonl precision": "0.43 (near-duplicates taken for contradictions)",
    "ramdocs.jsonl recall": "0.81 (likewise)",
    "fever_symmetric.jsonl accuracy": "0.57–0.62 (BERT trained on FEVER), 0.50 by chance",
    "ramdocs.jsonl strict_em": "0.326 (Llama 3.3 70B, published)",
}
HEAD = """# Figures

Written by `make figures`, each part on the commit that its heading names, on two processor cores, no accelerator.
Speed is a ratio against a reference timed in the same run: the median of its repeats, and from the lowest to the
highest. Quality is on data that is not part of this repository (`../shared/data`); a set that is absent is left out.
"""
PART = """
## {part}, at commit `{commit}`

| figure | value | reference | target | command |
|---|---|---|---|---|
{rows}
"""
SPEED = {
    "bench": (bench_figures, "python -m memory_bank bench"),
    "pages": (page_figures, "python -m tests.browser.page_times"),
}
FEW = 20
"""Pairs of one case below which its share says nothing."""
QUALITY = ("retrieval", "conflicts", "qa", "dialogue", "dossiers")
PARTS = (*SPEED, *QUALITY)


def main() -> None:
    """Measure everything, or some parts, and write the page after each: a run may take hours and be broken off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="leave the other parts as they were")
    parsed = parser.parse_args()
    commit = this_commit()
    for part in parsed.only:
        if rows := _speed(part) if part in SPEED else _quality(part, parsed.data):
            write_part(part, commit, rows)


def write_part(part: str, commit: str, rows: list[str]) -> None:
    """Put a part with its rows in place of what the page has of it."""
    written = re.split(r"^(?=\n## )", TARGET.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = {text.removeprefix("\n## ").partition(",")[0]: text for text in written[1:]}
    parts[part] = PART.format(part=part, commit=commit, rows="\n".join(rows))
    TARGET.write_text(HEAD + "".join(parts[name] for name in PARTS if name in parts), encoding="utf-8")


def _speed(part: str) -> list[str]:
    measure, command = SPEED[part]
    return [_bench_row(figure, command) for figure in measure()]


def _quality(task: str, data: Path) -> list[str]:
    folder = data / task
    if not folder.is_dir():
        sys.stderr.write(f"skipped {task}: no folder {folder}\n")
        return []
    scores = evaluate_files(task, folder, load_settings(), Items())
    return [row for one in (scores if isinstance(scores, list) else [scores]) for row in _eval_rows(task, one)]


def _bench_row(figure: Figure, command: str) -> str:
    value = f"{figure.value:.4g} {figure.unit}"
    low, high = figure.spread
    ratio = "" if figure.ratio is None else f" (ratio {figure.ratio:.3g}, {low:.3g} to {high:.3g})"
    reference = "" if figure.reference is None else f"{figure.reference:.4g} {figure.unit}"
    held = "" if figure.held else " **missed**"
    return f"| {figure.name} | {value}{ratio}{held} | {reference} | {figure.target} | `{command}` |"


def _eval_rows(task: str, scores: dict[str, Any]) -> list[str]:
    file = scores["file"]
    place = task if file == task else f"{task}/{file}"
    command = f"`python -m memory_bank eval {task} --data {place}`"
    flat = {name.removeprefix("modes "): value for name, value in flatten(scores) if name != "file"}
    rows = []
    for name, value in flat.items():
        if "seconds" in name or name in ("items", "failed") or name.startswith(("by_conversation", "usage ")):
            continue  # of this machine and this moment: speed is told by ratios alone; data is never committed
        if name.startswith("reported_by_case ") and int(value.partition("/")[2]) < FEW:
            continue
        figure = f"{file} {name}"
        rows.append(f"| {figure} | {value} | {REFERENCES.get(figure, '')} | {WANTED.get(figure, '')} | {command} |")
    return rows


if __name__ == "__main__":
    main()
