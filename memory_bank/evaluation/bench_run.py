"""What is done with measured figures: a table, JSON, a file of runs, a comparison with the last of them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence

from memory_bank.durable_files import write_output
from memory_bank.evaluation.bench_history import Run, read_runs
from memory_bank.evaluation.comparison import REGRESSIONS, compare, comparison_table
from memory_bank.evaluation.figures import Figure


def bench_run(parsed: argparse.Namespace, measure: Callable[[], list[Figure]]) -> tuple[str, bool]:
    """Measure, and do what the options say: the text for a person, and whether all is as wanted.

    A file of runs that cannot be read is an error before anything is measured.
    """
    earlier = read_runs(parsed.compare) if parsed.compare else []
    if parsed.history:
        read_runs(parsed.history)
    run = Run.of(measure())
    text, good = bench_table(run.figures), all(figure.held for figure in run.figures)
    if parsed.compare:
        comparisons = compare(run, earlier)
        text += "\n\n" + comparison_table(comparisons)
        good = good and not any(one.verdict in REGRESSIONS for one in comparisons)
    if parsed.json:
        write_output(parsed.json, json.dumps(run.rows(), indent=1, ensure_ascii=False) + "\n")
    if parsed.history:
        run.add_to(parsed.history)
    return text, good


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
