"""Measure figures and report them: as a table, as JSON, in the history file, and compared with earlier runs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence

from memory_bank.app.evaluation.bench_history import Run, read_runs
from memory_bank.app.evaluation.comparison import REGRESSIONS, compare, comparison_table
from memory_bank.app.evaluation.figures import Figure
from memory_bank.storage.atomic_files import write_output


def bench_run(parsed: argparse.Namespace, measure: Callable[[], list[Figure]]) -> tuple[str, bool]:
    """Measure and report as the options say. Returns the text to print, and whether no figure missed or regressed.

    The history files are read before anything is measured, so that an unreadable one is an error at once.
    """
    earlier = read_runs(parsed.compare) if parsed.compare else []
    if parsed.history:
        read_runs(parsed.history)
    run = Run.of(measure())
    text, passed = bench_table(run.figures), all(figure.held for figure in run.figures)
    if parsed.compare:
        comparisons = compare(run, earlier)
        text += "\n\n" + comparison_table(comparisons)
        passed = passed and not any(comparison.verdict in REGRESSIONS for comparison in comparisons)
    if parsed.json:
        write_output(parsed.json, json.dumps(run.rows(), indent=1, ensure_ascii=False) + "\n")
    if parsed.history:
        run.add_to(parsed.history)
    return text, passed


def bench_table(figures: Sequence[Figure]) -> str:
    """The figures as a table for people."""
    return "\n".join(_row(figure) for figure in figures)


def _row(figure: Figure) -> str:
    value = f"{figure.value:.4g} {figure.unit}"
    reference = "" if figure.reference is None else f"reference {figure.reference:.4g} {figure.unit}"
    low, high = figure.spread
    ratio = "" if figure.ratio is None else f"ratio {figure.ratio:.3g} ({low:.3g} to {high:.3g})"
    held = "held" if figure.held else "MISSED"
    target = f"target {figure.target}" if figure.target else ""
    return f"{held:<7} {figure.name:<86} {value:<12} {reference:<24} {ratio:<28} {target}".rstrip()
