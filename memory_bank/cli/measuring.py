"""`eval` and `bench`: how good, and how fast."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from memory_bank.cli.grammar import given
from memory_bank.cli.output import DONE, FAILED, say
from memory_bank.settings import load_settings


def evaluate(parsed: argparse.Namespace) -> int:
    """The scores on some data."""
    from memory_bank.evaluation.report import evaluate_files, table  # noqa: PLC0415 - only this needs it

    settings = load_settings(**given(llm_provider=parsed.engine))
    scores = evaluate_files(parsed.task, parsed.data, settings, parsed.limit)
    say(table(scores))
    if parsed.json is not None:
        _write_json(parsed.json, scores)
    return DONE


def bench(parsed: argparse.Namespace) -> int:
    """The figures of speed, each beside its reference."""
    from memory_bank.evaluation.bench import bench_figures  # noqa: PLC0415 - likewise
    from memory_bank.evaluation.bench_run import bench_run  # noqa: PLC0415

    text, good = bench_run(parsed, lambda: bench_figures(parsed.only))
    say(text)
    return DONE if good else FAILED


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
