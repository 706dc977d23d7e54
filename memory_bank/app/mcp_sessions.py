"""MCP tools over shared sessions: list them, ask one a question, read the texts behind a node, get an attached file.

Sessions are read from their logs and never changed. Their content was written by others, and every answer says so.
"""

from __future__ import annotations

import threading
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp_types import BlobResourceContents, EmbeddedResource, ImageContent, TextContent
from pydantic_core import to_json

from memory_bank.app.connection import offline_settings
from memory_bank.app.mcp_tool import READS, Answer, labelled_answer, page_at, report_errors
from memory_bank.app.shared_sessions import SharedSessions
from memory_bank.bank.answer import Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import CorruptLogError, ToolError, UnreadableDocumentError, UsageError
from memory_bank.bank.interaction_tree import Attachment, Entry
from memory_bank.bank.settings import Settings
from memory_bank.bank.spoken import said_by
from memory_bank.bank.task_kind import TaskKind
from memory_bank.documents.attachment_content import AttachmentContent, content_of
from memory_bank.documents.page_image import render_isolated
from memory_bank.session.embedding_choice import settings_as_recorded
from memory_bank.session.memory_qa import QuestionAnswer, ask
from memory_bank.session.session import Parts
from memory_bank.text.iteration import packed, those_fitting

Content = TextContent | ImageContent | EmbeddedResource
PAGE = 12_000
"""Characters of a page: what an assistant takes in one answer. The metadata of an entry may take as many again."""
_MAX_ATTACHMENTS, _MAX_MEDIA_TYPE_LENGTH = 50, 100
LISTED = 50
LONGEST_QUESTION = 2_000
_MAX_TEXT = 2_000
"""Most characters shown of a passage, a side of a dispute or a description; these are rarely that long."""
_MAX_NODES, _MAX_PARTS = 12, 40
_PICTURE_WIDTHS = (1_200, 600, 300)
_MAX_PICTURE_BYTES, _MAX_FILE_BYTES = 2_000_000, 1_000_000


def offer_sessions(server: MCPServer, shared: SharedSessions, settings: Settings) -> None:
    """Add the tools `sessions`, `ask`, `deep_retrieval` and `attachment` to the server."""
    asking = threading.Lock()  # each question builds an index of its own, so questions are answered one at a time

    @server.tool(annotations=READS)
    @report_errors
    def sessions(page: int = 1) -> Answer:
        """Which sessions there are, newest first, page by page: id, task, status, when it began, its documents."""
        ids = shared.ids()
        pages = [ids[start : start + LISTED] for start in range(0, max(len(ids), 1), LISTED)]
        summaries = [_summary(shared, session_id) for session_id in page_at(pages, page)]
        return labelled_answer(page=page, pages=len(pages), sessions=summaries)

    @server.tool(name="ask", annotations=READS)
    @report_errors
    def ask_session(session_id: str, question: str, kind: TaskKind | None = None) -> Answer:
        """Answer a question from what a session has read, with the passages it rests on and what is in dispute.

        `answer` is for a person; `affirmed` is the part that no dispute touches. Nothing is added to the session.
        `understood` is what the embedded engine took the question for; ask again with a `kind` where it was wrong.
        """
        if not question.strip() or len(question) > LONGEST_QUESTION:
            raise UsageError(f"ask a question of 1 to {LONGEST_QUESTION:,} characters")
        with asking:
            opened = shared.open(session_id)
            chosen = settings_as_recorded(settings, opened.bank.settings)
            if all(choice.provider == "offline" for choice in opened.bank.engine.values()):
                chosen = offline_settings(chosen)  # documents that were only read offline are not sent to a server
            asked = ask(opened.bank, Parts.asking(chosen), question.strip(), kind or chosen.task_kind)
        return _answer_json(opened.bank, asked)

    @server.tool(annotations=READS)
    @report_errors
    def deep_retrieval(session_id: str, node_id: str, page: int = 1) -> Answer:
        """The original texts behind a node, whole and oldest first, page by page. `ask` names nodes."""
        bank = shared.open(session_id).bank
        living = bank.living(node_id)
        entries = bank.trees.entries(living)
        if not entries:
            raise ToolError("no such node in this session; ask a question to see the nodes that bear on it")
        pages = pages_of(entries)
        pieces = [piece.shown() for piece in page_at(pages, page)]
        return labelled_answer(node=_node_json(bank, living), page=page, pages=len(pages), entries=pieces)

    @server.tool(annotations=READS)
    @report_errors
    def attachment(session_id: str, attachment_id: str, page: int = 1) -> list[Content]:
        """The file that an entry refers to: a text page by page, a picture to look at, anything else as it is."""
        opened = shared.open(session_id)
        files = (file for entry in opened.bank.trees for file in entry.attachments if file.id == attachment_id)
        if (file := next(files, None)) is None:
            raise ToolError("no such attachment in this session; deep retrieval names those of a node")
        return _content(content_of(file, opened.folder), opened.folder, page)


# -- sessions ------------------------------------------------------------------------------------------------


def _summary(shared: SharedSessions, session_id: str) -> Answer:
    try:
        summary = shared.summary(session_id)
    except CorruptLogError as error:
        return {"id": session_id, "status": "damaged", "problem": str(error)}
    return {
        "id": session_id,
        "task": summary.task[:_MAX_TEXT],
        "status": summary.status,
        "began": summary.began.isoformat(),
        "documents": [name[:_MAX_TEXT] for name in summary.sources[:LISTED]],
    }


# -- ask -----------------------------------------------------------------------------------------------------


def _answer_json(bank: Bank, asked: QuestionAnswer) -> Answer:
    """The answer with its citations, disputes and rejections. Long parts are cut, and `left_out` says by how much."""
    answer = asked.answer
    parts: dict[str, str | list[Answer]] = {
        "answer": answer.text,
        "affirmed": answer.affirmed,
        "citations": [_citation_json(bank, citation) for citation in answer.citations],
        "disputed": [
            {"conflict_id": dispute.conflict_id, "sides": [side[:_MAX_TEXT] for side in dispute.sides]}
            for dispute in answer.disputed
        ],
        "rejected": [
            {"conflict_id": rejection.conflict_id, "text": rejection.text[:_MAX_TEXT], "why": rejection.why[:_MAX_TEXT]}
            for rejection in answer.rejected
        ],
    }
    limits = {name: PAGE if isinstance(part, str) else _MAX_PARTS for name, part in parts.items()}
    left_out = {name: len(part) - limits[name] for name, part in parts.items() if len(part) > limits[name]}
    remarks = [*asked.remarks, *(remark for research in asked.research for remark in research.remarks)]
    return labelled_answer(
        **{name: part[: limits[name]] for name, part in parts.items()},
        nodes=[_node_json(bank, node.id) for node in asked.nodes[:_MAX_NODES]],
        notes=[remark.what[:_MAX_TEXT] for remark in remarks],
        **({"left_out": left_out} if left_out else {}),
        **({"understood": asked.understood} if asked.understood else {}),
        **({"used": asked.usage.in_words} if asked.usage.calls else {}),
    )


def _citation_json(bank: Bank, citation: Citation) -> Answer:
    entry = bank.trees.entry(citation.entry_id)
    speaker = said_by(entry, citation.start, citation.end)
    return {
        "number": citation.number,
        "source": citation.source,
        "page": citation.page,
        **({"said": speaker} if speaker else {}),
        "passage": entry.text[citation.start : citation.end][:_MAX_TEXT],
        "entry_id": entry.id,
        "node_id": bank.trees.node_of(entry.id),
    }


def _node_json(bank: Bank, node_id: str) -> Answer:
    return {"id": node_id, "about": bank.query_graph[node_id].context[:_MAX_TEXT]}


# -- attachment ----------------------------------------------------------------------------------------------


def _content(content: AttachmentContent, folder: Path, page: int) -> list[Content]:
    """The file as MCP content; a text with its id, type and size comes first."""
    attachment = content.attachment
    facts = attachment.model_dump(include={"id", "type", "media_type", "bytes"})
    if content.encoding == "text":
        pages = [content.content[start:end] for start, end in split_text(content.content)]
        return [_text(**facts, page=page, pages=len(pages), text=page_at(pages, page))]
    if attachment.type == "image":
        return [_text(**facts), _picture(attachment, folder)]
    if attachment.bytes > _MAX_FILE_BYTES:
        raise ToolError(f"this file is too large for an answer ({attachment.bytes:,} bytes) and is no text; export it")
    blob = BlobResourceContents(
        uri=f"attachment:{attachment.id}", mime_type="application/octet-stream", blob=content.content
    )
    return [_text(**facts), EmbeddedResource(resource=blob)]


def _text(**facts: Any) -> TextContent:  # noqa: ANN401 - any JSON value
    return TextContent(text=to_json(labelled_answer(**facts), indent=2).decode())


def _picture(attachment: Attachment, folder: Path) -> ImageContent:
    """The picture, redrawn in a separate process and as wide as fits. No other data of the file is sent."""
    try:
        for width in _PICTURE_WIDTHS:
            png = render_isolated("picture", folder / attachment.path, width).png
            if len(png) <= _MAX_PICTURE_BYTES:
                return ImageContent(data=b64encode(png).decode(), mime_type="image/png")
    except UnreadableDocumentError as error:
        raise ToolError(f"attachment {attachment.id} cannot be shown: {error.reason}") from error
    raise ToolError(f"attachment {attachment.id} cannot be shown: the picture is too large")


# -- pages ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntryPart:
    """The part `text[start:end]` of an entry: the whole text, unless it is longer than a page."""

    entry: Entry
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many characters it takes on a page."""
        return self.end - self.start + len(to_json(self.shown(text=False)))

    def shown(self, *, text: bool = True) -> dict[str, Any]:
        """The piece as JSON values. Metadata and attachments of an entry come with its first piece only."""
        entry, whole = self.entry, self.end - self.start == len(self.entry.text)
        return {
            "id": entry.id,
            "created_at": entry.created_at.isoformat(),
            **(_facts(entry) if self.start == 0 else {}),
            **({} if whole else {"characters": [self.start, self.end], "of": len(entry.text)}),
            **({"text": entry.text[self.start : self.end]} if text else {}),
        }


def pages_of(entries: Iterable[Entry]) -> list[list[EntryPart]]:
    """Lay out the entries in order. A page holds as many pieces as fit, and at least one."""
    parts = (EntryPart(entry, start, end) for entry in entries for start, end in split_text(entry.text))
    return list(packed(parts, PAGE, lambda part: part.size))


def split_text(text: str) -> list[tuple[int, int]]:
    """Split a text into `(start, end)` ranges of at most a page each; an empty text has one range."""
    return [(start, min(start + PAGE, len(text))) for start in range(0, max(len(text), 1), PAGE)]


def _facts(entry: Entry) -> dict[str, Any]:
    """Metadata and attachments of an entry. What does not fit on a page is left out and counted."""
    metadata = dict(those_fitting(entry.metadata.items(), PAGE, lambda field: len(to_json(dict([field])))))
    attachments = [
        {"id": item.id, "type": item.type, "media_type": item.media_type[:_MAX_MEDIA_TYPE_LENGTH], "bytes": item.bytes}
        for item in entry.attachments[:_MAX_ATTACHMENTS]
    ]
    left_out = {
        "metadata_left_out": len(entry.metadata) - len(metadata),
        "attachments_left_out": len(entry.attachments) - len(attachments),
    }
    return {
        "metadata": metadata,
        **({"attachments": attachments} if attachments else {}),
        **{name: count for name, count in left_out.items() if count},
    }
