"""`eval` and `bench`: measure quality and speed."""

from __future__ import annotations

import argparse
import json
import sys

from memory_bank.app.cli.grammar import set_options
from memory_bank.app.cli.output import DONE, FAILED, write_line
from memory_bank.bank.settings import load_settings


def evaluate(parsed: argparse.Namespace) -> int:
    """Print the scores on some data; with `--json` write them to a file too, and each item's row as it comes."""
    from memory_bank.app.evaluation.items import Items  # noqa: PLC0415 - loaded only when needed
    from memory_bank.app.evaluation.report import evaluate_files, scores_table  # noqa: PLC0415

    settings = load_settings(**set_options(llm_provider=parsed.engine))
    rows = None if parsed.json is None else parsed.json.with_suffix(".items.jsonl")
    items = Items(parsed.limit, parsed.only, rows, lambda line: write_line(line, sys.stderr))
    scores = evaluate_files(parsed.task, parsed.data, settings, items)
    write_line(scores_table(scores))
    if parsed.json is not None:
        parsed.json.write_text(json.dumps(scores, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return DONE


def bench(parsed: argparse.Namespace) -> int:
    """Measure the performance figures. Fails if one missed its target."""
    from memory_bank.app.evaluation.bench import bench_figures  # noqa: PLC0415 - loaded only when needed
    from memory_bank.app.evaluation.figures import figures_report  # noqa: PLC0415

    text, good = figures_report(bench_figures(parsed.only), parsed.json)
    write_line(text)
    return DONE if good else FAILED
