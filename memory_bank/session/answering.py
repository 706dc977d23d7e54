"""Composes the answer from the results of steps: sentences with citations, verdicts, disputes, rejections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from memory_bank.agents.agent import Language, prompt_language
from memory_bank.agents.react import AnswerStatement, Quote, StepResult
from memory_bank.bank.answer import HEADING, NO_ANSWERS, NO_PASSAGES, UNCONFIRMEDS, Answer, Citation, Dispute, Rejection
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, sides_quoted
from memory_bank.bank.query_graph import Claim
from memory_bank.judgement.judge import NoJudge, PairJudge, says_any, statement_of
from memory_bank.judgement.same_dispute import same_dispute
from memory_bank.judgement.statement import Statement
from memory_bank.text.wording import Wording, mark_for_translation, one_line

REFUTED = {"en": Wording("What the documents say on this was refuted."), "zh": "文档中关于此事的说法已被否定。"}
UNANSWERED = {"en": mark_for_translation("No answer was found to: {text}"), "zh": "没有找到答案： {text}"}
UNFINISHED = {"en": mark_for_translation("No answer could be given: {reason}"), "zh": "未能给出答案：{reason}"}
FAILED = {
    "en": mark_for_translation("No answer could be given, for the last step failed: {reason}"),
    "zh": "未能给出答案，因为最后一步失败了：{reason}",
}
UNSETTLED = {"en": "In dispute, with no evidence that settles it:", "zh": "存在争议，没有证据可以裁定："}
UNCHECKED = {"en": "In dispute; this has not been checked:", "zh": "存在争议，尚未核查："}
NEAREST = {"en": Wording("Nearest passages"), "zh": "最接近的段落"}
"""The words of an answer, by the language of its task."""


@dataclass
class _Citations:
    """Numbers passages in the order in which the answer uses them; a passage keeps its number."""

    bank: Bank
    by_place: dict[tuple[str, int, int], Citation] = field(default_factory=dict)

    def of(self, quote: Quote) -> Citation | None:
        """The citation of a passage; None if no entry of its source and no record of a verification holds it."""
        found = self.place(quote) or self._evidence_place(quote)
        return self.cite(*found) if found else None

    def has(self, quote: Quote) -> bool:
        """Whether a passage can be cited."""
        return (self.place(quote) or self._evidence_place(quote)) is not None

    def _evidence_place(self, quote: Quote) -> tuple[str, int, int, str, int | None] | None:
        """Entry, start, end, source and page of a passage, or a part of one, in the record of a verification."""
        for entry in self.bank.trees:
            conflict = self.bank.conflicts.get(str(entry.metadata.get("conflict_id")))
            for each in conflict.evidence if conflict else ():
                inside = each.passage.find(quote.text) if each.source == quote.source else -1
                start = entry.text.find(f"{each.source}: {each.passage}")
                if inside >= 0 and start >= 0:
                    start += len(f"{each.source}: ") + inside
                    return entry.id, start, start + len(quote.text), each.source, each.page
        return None

    def place(self, quote: Quote) -> tuple[str, int, int] | None:
        """Entry, start and end of a passage, checked against the text of the entry: the one that it names, or any."""
        trees = self.bank.trees
        named = [trees.entry(quote.entry_id)] if quote.entry_id and quote.entry_id in trees else []
        for entry in trees if quote.entry_id is None else named:
            if quote.source != entry.metadata.get("source"):
                continue
            exact = quote.entry_id and entry.text[quote.start : quote.end] == quote.text
            start = quote.start if exact else entry.text.find(quote.text)
            if start >= 0:
                return entry.id, start, start + len(quote.text)
        return None

    def cite(self, entry_id: str, start: int, end: int, source: str | None = None, page: int | None = None) -> Citation:
        """The citation of a stretch of an entry; `source` and `page` replace those of the entry."""
        key = (entry_id, start, end)
        if key not in self.by_place:
            entry = self.bank.trees.entry(entry_id)
            if source is None:  # an entry may span several pages
                starts = reversed(entry.page_starts)
                page = next((number for begin, number in starts if begin <= start), entry.page)
            self.by_place[key] = Citation(
                number=len(self.by_place) + 1,
                entry_id=entry_id,
                start=start,
                end=end,
                source=source or str(entry.metadata.get("source", "")),
                page=page,
            )
        return self.by_place[key]


def compose_answer(
    bank: Bank,
    result: StepResult | None,
    unfinished: str = "",
    *,
    earlier: Sequence[StepResult] = (),
    task: str = "",
    judge: PairJudge | None = None,
) -> Answer:
    """The answer to the task from the results of the steps on it: the last one (None if there was none), and `earlier`.

    Statements that were refuted or disputed since their step are left out; verdicts and disputes that bear on the task
    are told. `unfinished` says why the work stopped early, `task` replaces the goal of the session.
    """
    composer = _Composer(bank, prompt_language(task or bank.insight_doc.task_goal), judge or NoJudge())
    return composer.compose(result, earlier, unfinished)


@dataclass
class _Composer:
    """Puts one answer together, in the language of its task."""

    bank: Bank
    language: Language
    judge: PairJudge

    def __post_init__(self) -> None:
        self.citations = _Citations(self.bank)

    def compose(self, result: StepResult | None, earlier: Sequence[StepResult], unfinished: str) -> Answer:
        statements = self._statements(result, earlier)
        checked = [(statement, _barring(statement, self.citations)) for statement in statements]
        barring = {conflict.id for _statement, conflicts in checked for conflict in conflicts}
        standing = [statement for statement, conflicts in checked if not conflicts]
        results = (*([result] if result else ()), *(older for older in earlier if _is_written(older)))
        relevant = self._relevant([*(each for one in results for each in one.conflicts), *sorted(barring)])
        if not standing or any(map(_is_written, results)):  # else the embedded engine weighed them
            standing = [*standing, *self._verdicts(relevant, standing)]
        # What has no heading comes first: below a group it would read as a part of it.
        lines = [self._line(statement) for statement in sorted(standing, key=lambda one: one.heading is not None)]
        disputed = [self._dispute(group) for group in self._same_disputes(relevant)]
        body, nearest = _under_headings(lines), ""
        if not body and (not disputed or unfinished or self._failed):
            uncited = "" if barring else (result.answer if result else "")
            body = uncited or (REFUTED[self.language] if barring else self._no_answer(unfinished))
            nearest = self._nearest(result.nearest if result and uncited else ())
        unanswered = [
            Wording(UNANSWERED[self.language], text=one_line(part)) for part in (result.unanswered if result else ())
        ]
        disputes = [
            "\n- ".join([(UNSETTLED if dispute.checked else UNCHECKED)[self.language], *dispute.sides])
            for dispute in disputed
        ]
        parts = [body, nearest, *unanswered, *disputes]
        texts = [*(result.lines if result else ()), *(text for line in lines for text in (line.heading, line.said))]
        texts += [body, *([NEAREST[self.language]] if nearest else []), *unanswered]
        return Answer(
            text="\n\n".join(part for part in parts if part),
            affirmed="\n".join(line.text for line in lines if line.affirmed),
            disputed=tuple(disputed),
            rejected=_rejected(relevant),
            citations=tuple(self.citations.by_place.values()),
            lines=tuple(text for text in texts if isinstance(text, Wording)),
        )

    def _nearest(self, quotes: Iterable[Quote]) -> str:
        """The passages nearest to a task without an answer as a list with a heading, without those a conflict bars."""
        standing = [quote for quote in quotes if not _barring(AnswerStatement(quotes=(quote,)), self.citations)]
        listed = [
            f"- {one_line(each.source)}: “{one_line(each.text)}” {_marks(self._cited([each]))}" for each in standing
        ]
        return f"{HEADING}{NEAREST[self.language]}\n\n" + "\n".join(listed) if listed else ""

    def _statements(self, result: StepResult | None, earlier: Sequence[StepResult]) -> list[AnswerStatement]:
        """The statements of the last result, then what earlier ones wrote, with passages, beside it.

        An answer of quotations is complete: what an earlier attempt quoted is replaced by it.
        """
        statements = list(result.statements) if result else []
        for older in filter(_is_written, earlier):
            written = [statement for statement in older.statements if statement.quotes]
            said = [Statement(_words(statement)) for statement in statements]
            repeats = says_any([Statement(_words(statement)) for statement in written], said, self.judge)
            statements += [each for each, repeated in zip(written, repeats, strict=True) if not repeated]
        return statements

    def _relevant(self, ids: Iterable[str]) -> list[Conflict]:
        """The conflicts that bear on the task, by id; for one that a verdict on the same thing settled, that one."""
        conflicts = self.bank.conflicts
        decided = [conflict for conflict in conflicts.values() if not conflict.undecided]
        relevant = dict[str, Conflict]()
        for conflict in (conflicts[each] for each in ids if each in conflicts):
            settled = (other for other in decided if same_dispute(conflict, other, self.judge))
            bearing = next(settled, conflict) if conflict.undecided else conflict
            relevant[bearing.id] = bearing
        return list(relevant.values())

    def _verdicts(
        self, relevant: Sequence[Conflict], statements: Sequence[AnswerStatement]
    ) -> Iterator[AnswerStatement]:
        """What verdicts found to hold, each with its evidence, as far as the statements do not tell it."""
        stated = [Statement(_words(statement)) for statement in statements if statement.quotes]
        quoted = [place for each in statements for quote in each.quotes if (place := self.citations.place(quote))]
        for conflict in relevant:
            for side in () if conflict.undecided else conflict.sides:
                if side[0] in conflict.refuted or any(claim.overlaps(*place) for claim in side for place in quoted):
                    continue
                if not says_any([statement_of(side[0])], stated, self.judge)[0]:
                    stated.append(statement_of(side[0]))
                    standing = self._standing(conflict, side[0])
                    yield from self._evidence(conflict) if _barring(standing, self.citations) else [standing]
            if conflict.verdict == "neither":
                yield from self._evidence(conflict)

    def _standing(self, conflict: Conflict, claim: Claim) -> AnswerStatement:
        """A claim that a verdict found to hold, with the evidence for it that can be cited."""
        own = Quote(source=claim.source, text=claim.text, entry_id=claim.entry_id, start=claim.start, end=claim.end)
        evidence = [statement.quotes[0] for statement in self._evidence(conflict)]
        return AnswerStatement(
            quotes=(own, *(quote for quote in evidence if quote.text != own.text)), text=f"“{claim.text}”"
        )

    def _evidence(self, conflict: Conflict) -> list[AnswerStatement]:
        """The surest passage that bears a verdict as a statement, if it can be cited."""
        bearing = [each for each in conflict.evidence if each.supports == conflict.verdict]
        quotes = [Quote(source=each.source, text=each.passage, entry_id=each.entry_id) for each in bearing]
        return [AnswerStatement(quotes=(quote,)) for quote in quotes if self.citations.has(quote)][:1]

    def _same_disputes(self, relevant: Sequence[Conflict]) -> list[list[Conflict]]:
        """The undecided conflicts, those about one thing together."""
        groups: list[list[Conflict]] = []
        for conflict in (each for each in relevant if each.undecided):
            same = next((group for group in groups if same_dispute(group[0], conflict, self.judge)), None)
            if same is None:
                groups.append([conflict])
            else:
                same.append(conflict)
        return groups

    def _dispute(self, group: Sequence[Conflict]) -> Dispute:
        """Conflicts about one thing as one dispute, with the sources of all of them."""
        first, second = (list(side) for side in group[0].sides)
        for other in group[1:]:
            sides = other.sides if same_dispute(group[0], other, self.judge) == "same" else other.sides[::-1]
            first += [claim for claim in sides[0] if claim not in first]
            second += [claim for claim in sides[1] if claim not in second]
        return Dispute(
            conflict_id=group[0].id,
            sides=(self._side(first), self._side(second)),
            checked=any(conflict.verdict is not None for conflict in group),
        )

    def _side(self, claims: Sequence[Claim]) -> str:
        """One side of a dispute in the words of its first source, with all its sources and citations."""
        citations = self.citations
        sources = ", ".join(dict.fromkeys(name for claim in claims for name in self.bank.sources_of(claim)))
        marks = "".join(f"[{citations.cite(claim.entry_id, claim.start, claim.end).number}]" for claim in claims)
        return f"{sources}: “{claims[0].text}” {marks}"

    def _line(self, statement: AnswerStatement) -> _Line:
        cited = self._cited(statement.quotes)
        marks = _marks(cited)
        if not marks:  # the passages that do not confirm it are named as such, unless a conflict bars them
            unconfirmed = statement.model_copy(update={"quotes": statement.cited})
            near = [] if _barring(unconfirmed, self.citations) else self._cited(statement.cited)
            marks = f"{_marks(near)} {UNCONFIRMEDS[self.language]}" if near else NO_PASSAGES[self.language]
        said = _words(statement)
        if statement.value:
            value = Wording("{value}: {text}", value=statement.value, text=said)
            said = value if isinstance(statement.value, Wording) else f"{value}"
        supported = bool(cited) and len(cited) == len(statement.quotes)
        places = [place for quote in statement.quotes if (place := self.citations.place(quote))]
        disputed = any(_told_whole(conflict, places) for conflict in self.bank.conflicts.values())
        affirmed = supported and not (statement.opposed or statement.unsure or disputed)
        return _Line(f"{said} {marks}", said, affirmed=affirmed, heading=statement.heading)

    def _cited(self, quotes: Iterable[Quote]) -> list[Citation]:
        return [citation for quote in quotes if (citation := self.citations.of(quote)) is not None]

    def _no_answer(self, unfinished: str) -> str:
        """The text that says why there is no answer."""
        if unfinished:
            return Wording(UNFINISHED[self.language], reason=unfinished)
        return Wording(FAILED[self.language], reason=self._failed) if self._failed else NO_ANSWERS[self.language]

    @property
    def _failed(self) -> str:
        """Why the last step failed; empty if it did not."""
        last = self.bank.insight_doc.completed_tasks[-1:]
        return last[0].context if last and last[0].status == "failed" else ""


def _rejected(relevant: Iterable[Conflict]) -> tuple[Rejection, ...]:
    """The statements that verdicts refuted, each once, with the first reason."""
    rejected = dict[str, Rejection]()
    for conflict in relevant:
        for claim in conflict.refuted:
            one = Rejection(conflict_id=conflict.id, text=claim.text, why=conflict.reason or "")
            rejected.setdefault(claim.text, one)
    return tuple(rejected.values())


def _marks(cited: Iterable[Citation]) -> str:
    return "".join(f"[{citation.number}]" for citation in dict.fromkeys(cited))


def _is_written(result: StepResult) -> bool:
    """Whether a model wrote its statements; those of the embedded engine are quotations."""
    return any(statement.text is not None for statement in result.statements)


def _words(statement: AnswerStatement) -> str:
    return statement.text if statement.text is not None else " ".join(f"“{quote.text}”" for quote in statement.quotes)


def _told_whole(conflict: Conflict, places: Iterable[tuple[str, int, int]]) -> bool:
    """Whether places are from both sides of an undecided conflict: together they tell the dispute."""
    return conflict.undecided and len(set(sides_quoted(conflict, places))) == 2


def _barring(statement: AnswerStatement, citations: _Citations) -> list[Conflict]:
    """The conflicts that bar a statement: one of its passages overlaps a refuted claim, or one side of a dispute."""
    places = [place for quote in statement.quotes if (place := citations.place(quote))]
    written = statement.text is not None
    return [
        conflict
        for conflict in citations.bank.conflicts.values()
        if any(claim.overlaps(*place) for claim in conflict.barred for place in places)
        and not (written and _told_whole(conflict, places))
        and not (statement.opposed and conflict.undecided)  # shown against another, it is not affirmed anyway
    ]


@dataclass(frozen=True)
class _Line:
    text: str
    said: str
    affirmed: bool
    heading: str | None = None


def _under_headings(lines: Sequence[_Line]) -> str:
    """The text of the lines, each group under its heading."""
    parts: list[str] = []
    for heading, group in groupby(lines, key=lambda line: line.heading):
        parts += [f"{HEADING}{one_line(heading)}"] if heading else []
        parts.append("\n".join(line.text for line in group))
    return "\n\n".join(parts)
