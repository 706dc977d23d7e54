"""Answer a task without a model: quote the statements that answer each of its questions.

Sentences are quoted whole, none is written. A refuted sentence is never quoted; for one in dispute the dispute is
shown instead. When nothing in memory answers, the answer says so and gives the nearest passages.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory_bank.agents.react import AnswerStatement, EnhancedPrompt, LibraryPassage, Quote, StepResult, Tools
from memory_bank.bank.answer import NO_ANSWER
from memory_bank.bank.conflict import NOT_ALL_FOUND, Conflict, Verdict
from memory_bank.bank.message import Message
from memory_bank.bank.task_kind import UNDERSTOOD, TaskKind
from memory_bank.bank.usage import Remark
from memory_bank.engines.offline.answering.computing import computed_as_asked, computed_from_list, computed_from_parts
from memory_bank.engines.offline.answering.neighbours import belonging, with_belonging
from memory_bank.engines.offline.answering.opposing import with_opposing
from memory_bank.engines.offline.answering.overview import FEWEST_SENTENCES, overview, time_line
from memory_bank.engines.offline.answering.passages import (
    CandidatePassage,
    asks_for_speaker,
    library_passages,
    pool_for,
)
from memory_bank.engines.offline.answering.selection import (
    ANSWERS,
    LIST_KINDS,
    MAY_ANSWER,
    MOST_OF_ONE,
    OF_SEVERAL,
    Candidate,
    answering_conflicts,
    answering_list,
    as_sentence,
    beside_disputed,
    choose,
    log_odds,
    most_relevant,
    of_one_value,
    perhaps,
    rank_by_answer,
    replace_refuted,
    under_matching_lead,
    unless_certain,
)
from memory_bank.engines.offline.answering.setting_aside import JudgedPassages
from memory_bank.engines.offline.answering.side_by_side import changes, comparison
from memory_bank.engines.offline.answering.subject import about
from memory_bank.engines.offline.answering.task_parts import asks, parts_of
from memory_bank.judgement.conflict_relevance import asks_for_conflicts
from memory_bank.judgement.judge import PairJudge, model_load_error, says_the_same, statement_of
from memory_bank.judgement.reader import NoReader, Reader
from memory_bank.search.embedding import Embedder
from memory_bank.text.wording import Wording, one_line

SETTLED = Wording("Settled contradictions: what stands")
IN_DISPUTE = Wording("What the documents say on this is in dispute.")
NO_CONTRADICTION = Wording("No contradiction was found. {more}", more=NOT_ALL_FOUND)
NEAREST = 3
"""Passages that are given where there is no answer."""
MOST_NAMES = 6
"""Documents that are named as searched."""
ROUNDS = 4
"""Times that an overview is made anew without what may not be affirmed."""
_SINGLE_ANSWER_KINDS = frozenset({TaskKind.FACT, TaskKind.COUNT, TaskKind.WHEN})
_COMPUTED_KINDS = frozenset({TaskKind.COUNT, TaskKind.WHEN, TaskKind.SEVERAL})
"""Kinds of question that name two or more things where the answer has to be computed."""
_LISTED_KINDS = frozenset({TaskKind.WHO, TaskKind.HOW, TaskKind.FACT, TaskKind.COUNT})
"""Kinds of question that a list may answer as a whole where no passage does."""
WHOLE_SHARE = 0.3
"""Weight of the log odds that a passage answers the whole question beside those that it answers one of its parts."""


@dataclass
class _AnswerBuilder:
    """Collects the answers to the parts of one task."""

    pool: Sequence[CandidatePassage]
    library: Sequence[CandidatePassage]
    tools: Tools
    judged: JudgedPassages
    embedder: Embedder
    judge: PairJudge
    reader: Reader
    reference_names: Collection[str]
    kind: TaskKind | None
    """The kind of every part, where the caller sets it; else the reader classifies each."""
    asked: Mapping[str, Sequence[str]]
    """The questions and orders of the task, each with the parts of one that asks several things."""
    chosen: list[Candidate] = field(default_factory=list)
    nearest: list[Candidate] = field(default_factory=list)
    relevant_conflicts: dict[str, Conflict] = field(default_factory=dict)
    unanswered: list[str] = field(default_factory=list)
    rankings: dict[str, list[Candidate]] = field(default_factory=dict)

    def answer_part(self, question: str) -> None:
        """Add what answers one part of the task, from memory or the reference library."""
        kind = self.kind or self.reader.kind(question)
        if spoken := [passage for passage in self.pool if asks_for_speaker(passage, question)]:
            self._add_standing(most_relevant(question, spoken, self.embedder))
        elif kind is TaskKind.SUMMARY:
            passages = about(question, self.pool, self.embedder, FEWEST_SENTENCES)
            chosen = self._undisputed_overview(passages)
            # a reference in place of one is not of the document that the heading names
            self._add([one if one in chosen else replace(one, heading=None) for one in self.checked(chosen)])
        elif kind is TaskKind.DATES and (dated := time_line(about(question, self.pool, self.embedder), self.judge)):
            self._add_standing(dated)
        elif side_by_side := self._side_by_side(kind, question):
            self._add(self.checked(side_by_side))
        else:
            self._answer_question(kind, question)

    def answer_several(self, question: str, parts: Sequence[str]) -> None:
        """Add what answers a question that asks several things, then what answers a part that is not answered yet.

        Of 35 such questions on dossiers .92 of what is quoted so bears on the question, and .60 of what bears on it is
        quoted; asked part by part, each reworded to stand alone, .62 and .60.
        """
        self.answer_part(question)
        self.unanswered = [each for each in self.unanswered if each != question]
        whole = {candidate.passage: log_odds(candidate.probability) for candidate in self._ranked(question)}
        for part in parts:
            ranked = [replace(one, probability=_mixed(one, whole)) for one in self._ranked(part)]
            ranked.sort(key=lambda candidate: -candidate.probability)
            found = [one for one in ranked if one.probability >= ANSWERS] or perhaps(TaskKind.FACT, ranked, set())
            quoted = {candidate.passage for candidate in self.chosen}
            if not found:
                self.unanswered.append(part)
            elif not any(one.passage in quoted for one in found):
                self._add_standing(unless_certain(found[:1], self.judged.decided))

    def is_answered(self, task: str) -> bool:
        """Whether a task is a question that a passage of memory answers."""
        ranked = self._ranked(task) if asks(task) else []
        return bool(ranked) and ranked[0].probability >= ANSWERS

    def _ranked(self, question: str) -> list[Candidate]:
        """The passages of memory by how likely they answer a question, which is judged once."""
        if question not in self.rankings:
            self.rankings[question] = rank_by_answer(question, self.pool, self.embedder, self.reader)
        return self.rankings[question]

    def _side_by_side(self, kind: TaskKind, question: str) -> list[Candidate]:
        """A comparison, without what may not be affirmed, or what changed; empty where there are not two sides."""
        if kind is TaskKind.COMPARISON:
            pool = [passage for passage in self.pool if passage.stands_alone]
            aside = self.judged.stating_barred(pool)
            compared = {row.passage for row in comparison(question, pool, self.embedder)}
            self._note_conflicts_of(aside & compared)
            return comparison(question, [passage for passage in pool if passage not in aside], self.embedder)
        if kind is TaskKind.CHANGES:
            pool = [passage for passage in about(question, self.pool, self.embedder) if passage.stands_alone]
            return changes(pool, self.embedder, self.judge)
        return []

    def _undisputed_overview(self, pool: Sequence[CandidatePassage]) -> list[Candidate]:
        """An overview without what was refuted or is in dispute, whose conflicts are noted; others take its place."""
        remaining = list(pool)
        for _ in range(ROUNDS):
            chosen = overview(remaining, self.embedder)
            aside = self.judged.stating_barred([candidate.passage for candidate in chosen])
            if not aside:
                return chosen
            self._note_conflicts_of(aside)
            remaining = [passage for passage in remaining if passage not in aside]
        return [candidate for candidate in chosen if candidate.passage not in aside]

    def _answer_question(self, kind: TaskKind, question: str) -> None:
        """Add the passages that answer a question; note its conflicts, or that it has no answer."""
        ranked = self._ranked(question)
        likely = [candidate.passage for candidate in ranked if candidate.probability >= ANSWERS / 2]
        leading = [candidate.passage for candidate in ranked[: 2 * NEAREST]]
        led = under_matching_lead(kind, question, self.pool, self.embedder, self.reader)
        led = led[:MOST_OF_ONE] if kind in _SINGLE_ANSWER_KINDS - {TaskKind.FACT} else led
        unanswered = not ranked or ranked[0].probability < ANSWERS
        if not led and (kind is TaskKind.LIST or (kind in _LISTED_KINDS and unanswered)):
            led = answering_list(question, self.pool, self.reader)
        aside = self.judged.stating_barred(list(dict.fromkeys([*likely, *leading, *(one.passage for one in led)])))
        led = [one for one in led if one.passage not in aside]
        answers = self.checked(self._answers(kind, question, ranked, aside, led))
        in_dispute = answering_conflicts(self.judged.conflicts, ranked)
        self.relevant_conflicts |= {conflict.id: conflict for conflict in in_dispute}
        references = rank_by_answer(question, self.library, self.embedder, self.reader)
        answers = replace_refuted(answers, references, self.judged.decided)
        barred = any(candidate.passage in aside and candidate.probability >= ANSWERS for candidate in ranked)
        if not (answers or in_dispute or barred):
            answers = choose(kind, references, set(), self.judge, self.judged.about_two_things)
        if kind in _SINGLE_ANSWER_KINDS:
            disputed = [one for one in ranked if one.passage in aside and not self.judged.decided(one.passage)]
            answers = of_one_value(beside_disputed(answers, disputed, self.judged.about_two_things))
        if kind not in LIST_KINDS and not in_dispute:
            in_memory = [candidate for candidate in ranked if candidate.passage.source in self.reference_names]
            answers = with_opposing(answers, ranked, [*in_memory, *references], self.judged)
        if not (answers or in_dispute or barred):
            answers = self.checked(perhaps(kind, ranked, aside))
        if in_dispute or answers:
            answers = self._completed(kind, question, unless_certain(answers, self.judged.decided))
            self._add(answers if kind in LIST_KINDS else self.judged.labelled(answers))
        else:
            self.unanswered.append(question)
        self.nearest += [candidate for candidate in ranked[: 2 * NEAREST] if candidate.passage not in aside][:NEAREST]

    def _answers(
        self,
        kind: TaskKind,
        question: str,
        ranked: Sequence[Candidate],
        aside: set[CandidatePassage],
        led: Sequence[Candidate],
    ) -> list[Candidate]:
        """The answers in memory: computed, or what stands under a heading that says what is asked, or single ones."""
        asks_one_thing = not self.asked.get(question)
        if asks_one_thing and kind in _COMPUTED_KINDS:
            computation = self.reader.computation(question)
            if as_asked := computed_as_asked(computation, ranked, aside):
                return [as_asked]
        answers = choose(kind, ranked, aside, self.judge, self.judged.about_two_things)
        if asks_one_thing and (kind in _COMPUTED_KINDS or not answers):
            computed = computed_from_parts(question, ranked, aside)
            if computed is None and kind is TaskKind.COUNT:
                computed = computed_from_list(question, [one for one in self.pool if one not in aside])
                # another list may have the same words
                lists = [as_sentence([computed.passage, *computed.beside])] if computed else []
                answering = any(read.probability >= OF_SEVERAL for read in self.reader.answers(question, lists))
                computed = computed if answering else None
            if computed:
                return [computed]
        is_question = bool(led) and led[0].passage.lead.rstrip().endswith(("?", "？"))
        in_faq = is_question and bool(answers) and answers[0].passage in [one.passage for one in led]
        if led and (not answers or kind not in _SINGLE_ANSWER_KINDS or in_faq):
            return list(led)
        return answers

    def _completed(self, kind: TaskKind, question: str, answers: Sequence[Candidate]) -> list[Candidate]:
        """The answers, with what belongs to the likeliest one of the passages around it."""
        plain = (one for one in answers if one.passage in self.pool and not (one.beside or one.opposed))
        first = max(plain, key=lambda one: one.probability, default=None)
        if first is None:
            return list(answers)
        found = belonging(kind, question, first.passage, self.pool, self.reader)
        if kind in _SINGLE_ANSWER_KINDS:
            found = of_one_value([replace(first, answer=first.answer or first.passage.text), *found])[1:]
        said = [one.passage.statement for one in answers]
        found = [
            one for one in found if not any(says_the_same(one.passage.statement, each, self.judge) for each in said)
        ]
        aside = self.judged.stating_barred([one.passage for one in found])
        belong = [replace(first, passage=one.passage, answer=one.answer) for one in found if one.passage not in aside]
        belong = [one for one in self.checked(belong) if one.passage in self.pool]
        return with_belonging(kind, answers, first, belong)

    def _add_standing(self, candidates: Sequence[Candidate]) -> None:
        """Add candidates without those that may not be affirmed, whose conflicts are noted."""
        aside = self.judged.stating_barred([candidate.passage for candidate in candidates])
        self._note_conflicts_of(aside)
        self._add(self.checked([candidate for candidate in candidates if candidate.passage not in aside]))

    def _note_conflicts_of(self, aside: Collection[CandidatePassage]) -> None:
        """Note the conflicts for which passages were set aside."""
        for conflict in self.judged.conflicts:
            if any(passage.states(claim) for passage in aside for claim in conflict.barred):
                self.relevant_conflicts[conflict.id] = conflict

    def checked(self, chosen: Sequence[Candidate]) -> list[Candidate]:
        """The candidates; in place of one that a reference source contradicts, that source is quoted."""
        texts = [candidate.passage.text for candidate in chosen]
        references = library_passages(texts, self.tools, self.pool)
        against = self.judged.contradicting([one.passage for one in chosen], references)
        checked = [
            Candidate(against[one.passage], one.probability, heading=one.heading, unsure=one.unsure)
            if one.passage in against and not self.judged.decided(one.passage)
            else one
            for one in chosen
            if not any(passage in against for passage in one.beside)
        ]
        return list({one.passage: one for one in checked}.values())

    def _add(self, candidates: Sequence[Candidate]) -> None:
        """Add candidates; one that is sure takes the place of one that was not."""
        shown = {one.passage: one for one in self.chosen}
        for one in candidates:
            if one.passage not in shown or (shown[one.passage].unsure and not one.unsure):
                shown[one.passage] = one
        self.chosen = list(shown.values())


def answer(prompt: EnhancedPrompt, tools: Tools, embedder: Embedder, judge: PairJudge, reader: Reader) -> StepResult:
    """Quoted statements for every part of the task, from memory and the reference library."""
    task, kind = prompt.task.description, prompt.kind
    is_beyond = (kind or reader.kind(task)) is TaskKind.BEYOND
    conflicts = tools.conflicts()
    if not is_beyond and asks_for_conflicts(task, embedder):
        return _contradictions(task, conflicts)
    asked = {task: []} if is_beyond else parts_of(task, reader)
    questions = list(dict.fromkeys([*asked, *(part for parts in asked.values() for part in parts)]))
    pool = pool_for(prompt, tools, (task, *questions))
    library = library_passages(questions, tools, pool)
    judged = JudgedPassages(conflicts, embedder, judge, pool)
    part_kind = TaskKind.FACT if is_beyond else None if kind is TaskKind.SEVERAL else kind
    builder = _AnswerBuilder(pool, library, tools, judged, embedder, judge, reader, prompt.references, part_kind, asked)
    # Of 42 questions on dossiers that were taken for beyond the engine a passage answers 33; of 80 that are, 6.
    if is_beyond and (kind or not builder.is_answered(task)):
        refusal = UNDERSTOOD[TaskKind.BEYOND]
        return StepResult(answer=refusal, messages=_messages(task, (), refusal))
    for question, parts in asked.items():
        if parts:
            builder.answer_several(question, parts)
        else:
            builder.answer_part(question)
    quoted = [candidate.passage for candidate in builder.chosen if not candidate.opposed]
    for conflict in conflicts:
        if any(passage.states(claim) for passage in quoted for claim in conflict.parties):
            builder.relevant_conflicts[conflict.id] = conflict
    in_dispute = any(conflict.undecided for conflict in builder.relevant_conflicts.values())
    if builder.chosen or in_dispute or any(_evidence_alone(builder)):
        return _result(task, builder)
    return _verdicts_alone(task, builder) or _no_answer(task, builder)


def _mixed(one: Candidate, whole: Mapping[CandidatePassage, float]) -> float:
    """The probability that a passage answers a part of a question, in the light of the whole one."""
    share = whole.get(one.passage, log_odds(0.0))
    return 1 / (1 + math.exp(-(1 - WHOLE_SHARE) * log_odds(one.probability) - WHOLE_SHARE * share))


def _contradictions(task: str, conflicts: Sequence[Conflict]) -> StepResult:
    """The answer to a task that asks what contradicts: what stands of each settled conflict, then every dispute."""
    if not conflicts:
        return StepResult(answer=NO_CONTRADICTION, messages=_messages(task, (), NO_CONTRADICTION))
    refuted = {claim.id for conflict in conflicts for claim in conflict.refuted}
    statements = list(dict.fromkeys(each for conflict in conflicts for each in _standing(conflict, refuted)))
    quotes = [statement.quotes[0].text for statement in statements]
    text = " ".join(quotes) or IN_DISPUTE
    return StepResult(
        answer=text,
        messages=_messages(task, quotes, text),
        statements=tuple(statements),
        conflicts=tuple(conflict.id for conflict in conflicts),
    )


def _standing(conflict: Conflict, refuted: Collection[str]) -> list[AnswerStatement]:
    """What holds of a settled conflict: the claims that no verdict refuted, else the evidence for the verdict."""
    if conflict.undecided or conflict.verdict is None:
        return []
    quotes = [
        Quote(source=claim.source, text=claim.text, entry_id=claim.entry_id, start=claim.start, end=claim.end)
        for claim in conflict.claims
        if claim.id not in refuted
    ] or [quote for evidence in _best_evidence(conflict, conflict.verdict) for quote in evidence.quotes]
    return [AnswerStatement(quotes=(quote,), value=quote.source, heading=SETTLED) for quote in quotes]


# -- the result ------------------------------------------------------------------------------------------------------


def _result(task: str, builder: _AnswerBuilder) -> StepResult:
    surest_first = sorted(builder.chosen, key=lambda candidate: candidate.unsure)
    statements = [statement for candidate in surest_first for statement in _statements(candidate, builder)]
    statements += _evidence_alone(builder)
    distinct = list({(statement.value, statement.quotes[0].text): statement for statement in statements}.values())
    quotes = [statement.quotes[0].text for statement in distinct]
    text = " ".join(" ".join(quote.split()) for quote in quotes) or IN_DISPUTE
    if quotes and all(statement.unsure for statement in distinct):
        text = Wording("{value}: {text}", value=MAY_ANSWER, text=text)
    return StepResult(
        answer=text,
        messages=_messages(task, quotes, text, [candidate.passage.found for candidate in builder.chosen]),
        statements=tuple(distinct),
        conflicts=tuple(builder.relevant_conflicts),
        unanswered=tuple(builder.unanswered),
        remarks=tuple(_left_out(builder.chosen)),
    )


def _left_out(chosen: Sequence[Candidate]) -> Iterator[Remark]:
    """How many items of the lists in the answer are not shown, if a list was cut off."""
    if number := sum({one.passage.section: one.more for one in chosen}.values()):
        yield Remark(kind="left_out", what=Wording("items of the list that are not shown: {number}", number=number))


def _statements(candidate: Candidate, builder: _AnswerBuilder) -> Iterator[AnswerStatement]:
    """A passage as a sentence of the answer, then the evidence that settled a dispute about it."""
    turn = candidate.passage.turn
    speaker = (f"{turn.speaker} ({turn.day})" if turn.day else turn.speaker) if turn is not None else None
    quotes = (candidate.passage.quote, *(passage.quote for passage in candidate.beside))
    value = candidate.label if speaker is None else ", ".join(filter(None, (candidate.label, speaker)))
    yield AnswerStatement(
        quotes=quotes, value=value, heading=candidate.heading, opposed=candidate.opposed, unsure=candidate.unsure
    )
    statement = candidate.passage.statement
    for conflict in builder.relevant_conflicts.values():
        if conflict.verdict in ("first", "second"):
            claim = conflict.claims[conflict.verdict == "second"]
            if says_the_same(statement, statement_of(claim), builder.judge):
                yield from _best_evidence(conflict, conflict.verdict)


def _evidence_alone(builder: _AnswerBuilder) -> Iterator[AnswerStatement]:
    """The evidence of relevant verdicts of which no side can be quoted: none holds, or another conflict bars it."""
    barred = {claim.id for conflict in builder.judged.conflicts for claim in conflict.barred}
    for conflict in builder.relevant_conflicts.values():
        if conflict.verdict and not conflict.undecided and all(claim.id in barred for claim in conflict.claims):
            yield from _best_evidence(conflict, conflict.verdict)


def _best_evidence(conflict: Conflict, side: Verdict) -> list[AnswerStatement]:
    """The surest evidence for a side as a statement, if there is any; evidence is recorded surest first."""
    supporting = [evidence for evidence in conflict.evidence if evidence.supports == side][:1]
    return [AnswerStatement(quotes=(Quote(source=best.source, text=best.passage),)) for best in supporting]


def _verdicts_alone(task: str, builder: _AnswerBuilder) -> StepResult | None:
    """The result where relevant verdicts are the answer, which states and cites what holds; None if there are none."""
    barred = [claim for conflict in builder.judged.conflicts for claim in conflict.barred]
    claims = [claim for conflict in builder.relevant_conflicts.values() for claim in conflict.claims]
    standing = [one for one in claims if not any(one.overlaps(each.entry_id, each.start, each.end) for each in barred)]
    if not standing:
        return None
    held = list(dict.fromkeys(" ".join(claim.text.split()) for claim in standing))
    text = " ".join(held)
    return StepResult(answer=text, messages=_messages(task, held, text), conflicts=tuple(builder.relevant_conflicts))


def _no_answer(task: str, builder: _AnswerBuilder) -> StepResult:
    """The result that there is no answer, with the documents searched and the nearest passages."""
    nearest = list(dict.fromkeys(candidate.passage for candidate in builder.nearest))[:NEAREST]
    names = list(dict.fromkeys(one_line(passage.source) for passage in (*builder.pool, *builder.library)))
    reason = model_load_error() if isinstance(builder.reader, NoReader) else None
    lines = [NO_ANSWER if reason is None else Wording("No answer could be given: {reason}", reason=reason)]
    if names:
        sources = f"{', '.join(names[:MOST_NAMES])}{'…' if len(names) > MOST_NAMES else ''}"
        lines.append(Wording("Searched: {sources}", sources=sources))
    text = "\n\n".join(lines)
    return StepResult(
        answer=text,
        messages=_messages(task, [passage.text for passage in nearest], text),
        conflicts=tuple(builder.relevant_conflicts),
        lines=tuple(lines),
        nearest=tuple(passage.quote for passage in nearest),
    )


def _messages(
    task: str, quotes: Sequence[str], text: str, looked_up: Sequence[LibraryPassage | None] = ()
) -> tuple[Message, ...]:
    """The step's messages. Quoted passages of the reference library enter memory with them."""
    passages = dict.fromkeys(passage for passage in looked_up if passage is not None)
    return (
        Message(role="user", content=task),
        *(
            Message(role="tool", name="search", content=passage.text, source=passage.source, page=passage.page)
            for passage in passages
        ),
        *(Message(role="tool", name="deep_retrieval", content=quote, from_memory=True) for quote in quotes),
        Message(role="assistant", content=text),
    )
