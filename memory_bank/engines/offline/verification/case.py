"""A conflict under verification: the two documents that disagree, and whoever else can be heard on it.

Only what speaks of the same thing is heard: another of the same name is left out, and so are copies of the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from memory_bank.agents.react import EnhancedPrompt, Tools
from memory_bank.bank.conflict import Conflict, Evidence, Side
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.claims.claims import ClaimText, extract_claims
from memory_bank.engines.offline.claims.identity import Kinship
from memory_bank.engines.offline.contradiction.comparison import DocumentClaims, document_claims
from memory_bank.engines.offline.contradiction.documents import document_kinship
from memory_bank.engines.offline.language.tokens import tokenise
from memory_bank.engines.offline.verification.distinctions import (
    Distinction,
    distinction,
    heading,
    of_two_things,
    one_value,
    two_things,
)
from memory_bank.engines.offline.verification.point import Point, Said, Stand
from memory_bank.engines.offline.verification.voices import Authority, Source, Voice
from memory_bank.engines.offline.verification.weighing import Dates
from memory_bank.errors import ToolError
from memory_bank.modules.copies import copied, same_words
from memory_bank.modules.sentences import sentences
from memory_bank.values.dates import find_dates
from memory_bank.values.values import ValueKind

MOST_PAGES = 3
"""Pages of the web that are read for one verification."""


@lru_cache(maxsize=128)
def read(text: str, title: str) -> DocumentClaims:
    """The claims of a text, with what it is about."""
    return document_claims([claim.text for claim in extract_claims(text, sentences(text))], title)


@dataclass
class Case:
    """A conflict with its point, the two documents that disagree, and all others in memory that may speak to it.

    `asked` and `missed` are for the record: what was searched for, and what could not be had.
    """

    conflict: Conflict
    point: Point
    parties: tuple[Source, Source]
    others: dict[str, tuple[Source, list[Claim]]]
    asked: list[str]
    missed: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, prompt: EnhancedPrompt, conflict: Conflict, tools: Tools) -> Case:
        """The case of a conflict, with what the memory holds of it."""
        first, second = conflict.claims
        nodes = {node.id: node for claim in (first, second) for node in tools.research(claim.text)}
        nodes |= {node.id: node for node in prompt.nodes}
        node_ids = dict.fromkeys((*conflict.node_ids, *nodes))
        entries = [entry for node_id in node_ids for entry in tools.deep_retrieval(node_id)]
        sources, of_entry = _sources(entries)
        claims = [claim for node in nodes.values() for claim in node.claims]
        parties = (_source_of(first, sources, of_entry), _source_of(second, sources, of_entry))
        others: dict[str, tuple[Source, list[Claim]]] = {}
        for claim in claims:
            source = _source_of(claim, sources, of_entry)
            if source.id not in {party.id for party in parties}:
                others.setdefault(source.id, (source, []))[1].append(claim)
        topic, kinds = _about(parties)
        asked = list(dict.fromkeys((first.text, second.text, conflict.description)))
        return cls(conflict, Point.of(conflict, topic, kinds), parties, others, asked)

    # -- what the two documents say themselves ---------------------------------------------------------------

    @property
    def apart(self) -> Distinction | None:
        """Why both sides hold by their own words; None if they do not.

        In a copy of a text another word beside another value is one more thing that was changed.
        """
        found = one_value(self.point) if self.copies else distinction(self.point)
        if found is not None or self.copies:
            return found
        first, second = self.parties
        topics = two_things(read(first.text, first.title).topic, read(second.text, second.title).topic)
        return topics or two_things(heading(first.text), heading(second.text))

    @property
    def copies(self) -> bool:
        """Whether one of the two documents is a copy of the other, in which something was changed."""
        (first, second), (one, other) = self.parties, self.conflict.claims
        return first.id != second.id and (copied(first.text, second.text) or same_words(one.text, other.text))

    @property
    def own_words(self) -> list[Evidence]:
        """Both claims as evidence, for a verdict that rests on what they say."""
        sides: tuple[Side, Side] = ("first", "second")
        return [_evidence(claim, side) for claim, side in zip(self.conflict.claims, sides, strict=True)]

    def dates(self, voices: Sequence[Voice]) -> Dates:
        """When the newest statement on each side was made, of a value that changes with time."""
        values = self.point.values
        if not self.point.changes_with_time or (values and values[0].kind is ValueKind.DATE):
            return Dates()
        newest: list[int | None] = []
        for party, claim, stand in zip(self.parties, self.conflict.claims, ("first", "second"), strict=True):
            said = [party.date if self.copies else _stated(claim.text, party)]
            said += [_stated(voice.evidence.passage, voice.source) for voice in voices if voice.said.stand == stand]
            newest.append(max((date for date in said if date is not None), default=None))
        return Dates(*newest)

    # -- what others say -------------------------------------------------------------------------------------

    def from_references(self, tools: Tools) -> list[Voice]:
        """What the person's reference library says, passage by passage."""
        found = {(p.source_id, p.start): p for query in self.asked for p in tools.search(query)}
        texts: dict[str, str] = {}
        for _place, passage in sorted(found.items()):
            texts[passage.source_id] = f"{texts.get(passage.source_id, '')}\n\n{passage.text}".strip()
        voices: list[Voice] = []
        for passage in found.values():
            source = Source(passage.source_id, passage.source, Authority.REFERENCE, texts[passage.source_id])
            voices += self._spoken(source, passage.text, passage.page)
        return voices

    def from_memory(self) -> list[Voice]:
        """What documents other than the two that disagree, and copies of these, say."""
        voices: list[Voice] = []
        for source, claims in self.others.values():
            if not any(copied(source.text, party.text) for party in self.parties):
                voices += self._said(source, claims)
        return voices

    def _said(self, source: Source, claims: Iterable[Claim]) -> Iterable[Voice]:
        document = read(source.text, source.title)
        spoken = {claim.text: claim.claim for claim in document.claims}
        for claim in claims:
            if any(same_words(claim.text, own.text) for own in self.conflict.claims) or claim.text not in spoken:
                continue
            said = self._heard(spoken[claim.text], source.text, source.title)
            if said is not None:
                yield Voice(source, said, _evidence(claim, _side(said.stand)))

    def from_parties(self) -> list[Voice]:
        """Where one of the two that disagree gives the other one's value elsewhere: it is a witness against itself."""
        first, second = self.parties
        if first.id == second.id:
            return []
        voices: list[Voice] = []
        sides: tuple[Side, Side] = ("second", "first")
        for party, claim, other in zip(self.parties, self.conflict.claims, sides, strict=True):
            for spoken in read(party.text, party.title).claims:
                said = self.point.hears(spoken.claim, party.text) if spoken.text != claim.text else None
                if said is None or said.stand != other:
                    continue
                if of_two_things(ClaimText(claim.text), spoken.claim):
                    said = Said("apart")
                place = claim.model_copy(update={"text": spoken.text})
                voices.append(Voice(party, said, _evidence(place, _side(said.stand))))
        return voices

    def from_web(self, tools: Tools) -> list[Voice]:
        """What pages of the web say: their text where pages may be read, else what the search shows of them."""
        voices: list[Voice] = []
        try:
            pages = tools.web_search(self.asked[-1])[:MOST_PAGES]
        except ToolError as error:
            self.missed.append(str(error))
            return []
        for page in pages:
            text = page.text
            if "visit" in tools.offered:
                try:
                    text = tools.visit(page.url).text
                except ToolError as error:
                    self.missed.append(str(error))
            voices += self._spoken(Source(page.url, page.url, Authority.WEB, text), text)
        return voices

    def _spoken(self, source: Source, text: str, page: int | None = None) -> Iterable[Voice]:
        """The statements of a text that is not in memory."""
        for claim in read(text, source.title).claims:
            said = self._heard(claim.claim, text, source.title)
            if said is not None:
                evidence = Evidence(source=source.name, passage=claim.text, supports=_side(said.stand), page=page)
                yield Voice(source, said, evidence)

    def _heard(self, spoken: ClaimText, text: str, title: str) -> Said | None:
        """What a statement of a text says to the point; None for one about something else of the same name.

        A statement that names the subject and gives it a disputed value is about the same thing; one that gives it a
        third value need not be.
        """
        said = self.point.hears(spoken, text)
        if said is None or self._related(text, title):
            return said
        return said if said.stand != "neither" and self.point.about_subject(spoken.text, text) else None

    def may_mean_the_same(self, source: Source) -> bool:
        """Whether a document names what the two that disagree are about; where that has no name, is like them."""
        if not self.point.subject:
            return self._related(source.text, source.title)
        return self.point.subject <= {token.key for token in tokenise(source.text)[0]}

    def _related(self, text: str, title: str) -> bool:
        """Whether a text can be about what the two that disagree are about."""
        document = read(text, title)
        parties = (read(party.text, party.title) for party in self.parties)
        return any(document_kinship(party, document) is not Kinship.APART for party in parties)


def _about(parties: tuple[Source, Source]) -> tuple[str, frozenset[str]]:
    """What the two documents are about: a title that one has, else a name that they point to; and what that is."""
    documents = [read(party.text, party.title) for party in parties]
    titles = [document.topic for document in documents if document.titled]
    names = [document.topic for document in documents if document.topic]
    kinds = (claim.claim.kinds for document in documents for claim in document.claims)
    return next(iter(titles + names), ""), frozenset[str]().union(*kinds)


def _sources(entries: Iterable[Entry]) -> tuple[dict[str, Source], dict[str, str]]:
    """The documents behind entries, each with all of its text that is here, and the document of each entry.

    The record of a verification speaks of claims and makes none.
    """
    parts: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        if "conflict_id" not in entry.metadata:
            source_id = str(entry.metadata.get("source_id") or entry.metadata.get("source", ""))
            parts.setdefault(source_id, {})[entry.id] = entry
    sources = {}
    for source_id, found in parts.items():
        ordered = sorted(found.values(), key=lambda entry: (int(entry.metadata.get("start", 0)), entry.created_at))
        name = str(ordered[0].metadata.get("source", source_id))
        title = str(ordered[0].metadata.get("title", ""))
        text = "\n\n".join(entry.text for entry in ordered)
        sources[source_id] = Source(source_id, name, Authority.MATERIAL, text, title)
    return sources, {entry_id: source_id for source_id, found in parts.items() for entry_id in found}


def _source_of(claim: Claim, sources: dict[str, Source], of_entry: dict[str, str]) -> Source:
    """The document of a claim; one that is not at hand has the claim for its text."""
    source_id = of_entry.get(claim.entry_id)
    return sources[source_id] if source_id else Source(claim.source, claim.source, Authority.MATERIAL, claim.text)


def _stated(text: str, source: Source) -> int | None:
    """When a statement was made: the latest date in it, else when its document was written."""
    return max((date.high for date in find_dates(text)), default=source.date)


def _evidence(claim: Claim, side: Side) -> Evidence:
    return Evidence(source=claim.source, passage=claim.text, supports=side, page=claim.page, entry_id=claim.entry_id)


def _side(stand: Stand) -> Side:
    return "neither" if stand == "apart" else stand
