"""A time line: every sentence with a date, in the order of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate, without_repeats
from memory_bank.judgement.judge import PairJudge
from memory_bank.text.values.dates import Precision, slot, year_of
from memory_bank.text.values.values import TextValue, dates_in

MOST_DATES = 20


def time_line(passages: Sequence[CandidatePassage], judge: PairJudge) -> list[Candidate]:
    """The passages with a date, oldest date first, each labelled with it; what is said twice of a date stands once."""
    by_position: dict[float, list[Candidate]] = {}
    for passage, date, position in _dated(passages):
        by_position.setdefault(position, []).append(Candidate(passage, 1.0, label=date.text.rstrip(".")))
    groups = (without_repeats(group, judge, MOST_DATES) for _, group in sorted(by_position.items()))
    return [candidate for group in groups for candidate in group][:MOST_DATES]


def _dated(passages: Sequence[CandidatePassage]) -> Iterable[tuple[CandidatePassage, TextValue, float]]:
    """Each passage with its earliest date and where that stands on the scale of `dates.slot`.

    A date in a heading is that of the first sentence under it, where that has none. A day without a year is taken to be
    in the last year that its entry named before it, else in the first after it.
    """
    dates: list[list[TextValue]] = []
    begun: set[tuple[str, str]] = set()
    for passage in passages:
        of_heading = [] if passage.section in begun else dates_in(passage.lead)
        dates.append(dates_in(passage.text) or of_heading)
        begun.add(passage.section)
    years: dict[str, int] = {}
    for passage, found in zip(passages, dates, strict=True):
        for date in found:
            if date.precision is not Precision.MONTH_DAY:
                years.setdefault(passage.entry.id, year_of(int(date.low)))
    for passage, found in zip(passages, dates, strict=True):
        positions = []
        for date in found:
            without_year = date.precision is Precision.MONTH_DAY
            if not without_year:
                years[passage.entry.id] = year_of(int(date.low))
            year = years.get(passage.entry.id, 0) if without_year else 0
            positions.append((date.low + slot(year), date.start, date))
        if positions:
            position, _, first = min(positions)
            yield passage, first, position
