"""Sessions for other assistants: which there are, questions to one, the original texts behind a node, attached files.

They are read as their logs stand. What a session holds was written by others: every answer says so.
"""

from __future__ import annotations

import threading
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp_types import BlobResourceContents, EmbeddedResource, ImageContent, TextContent
from pydantic_core import to_json

from memory_bank.asking import Asked, ask
from memory_bank.attachment_content import AttachmentContent, content_of
from memory_bank.bank.answer import Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.spoken import said_by
from memory_bank.connection import embedded
from memory_bank.embedding_choice import as_begun
from memory_bank.entry_pages import PAGE, pages_of, stretches
from memory_bank.errors import CorruptLogError, ToolError, UnreadableDocumentError, UsageError
from memory_bank.mcp_tool import READS, Answer, material, one_of, told
from memory_bank.modules.page_image import apart
from memory_bank.session import Parts
from memory_bank.settings import Settings
from memory_bank.shared_sessions import OpenSession, SharedSessions

Content = TextContent | ImageContent | EmbeddedResource
LISTED = 50
LONGEST_QUESTION = 2_000
_LONGEST_TEXT = 2_000
"""Characters of one passage, one side of a dispute or one description that are shown: they are short by nature."""
_MOST_NODES, _MOST_PARTS = 12, 40
_WIDTHS = (1_200, 600, 300)
_PICTURE_BYTES, _FILE_BYTES = 2_000_000, 1_000_000


def offer_sessions(server: MCPServer, shared: SharedSessions, settings: Settings) -> None:
    """Add the tools `sessions`, `ask`, `deep_retrieval` and `attachment`, over sessions that are shared."""
    asking = threading.Lock()  # each question indexes a memory of its own: one after another

    @server.tool(annotations=READS)
    @told
    def sessions(page: int = 1) -> Answer:
        """Which sessions there are, newest first, page by page: id, task, status, when it began, its documents."""
        ids = shared.ids()
        pages = [ids[start : start + LISTED] for start in range(0, max(len(ids), 1), LISTED)]
        listed = [_listed(shared, session_id) for session_id in one_of(pages, page)]
        return material(page=page, pages=len(pages), sessions=listed)

    @server.tool(name="ask", annotations=READS)
    @told
    def ask_session(session_id: str, question: str) -> Answer:
        """Answer a question from what a session has read, with the passages it rests on and what is in dispute.

        `answer` is for a person; `affirmed` is the part that no dispute touches. Nothing is added to the session.
        """
        if not question.strip() or len(question) > LONGEST_QUESTION:
            raise UsageError(f"ask a question of 1 to {LONGEST_QUESTION:,} characters")
        with asking:
            opened = shared.open(session_id)
            parts = Parts.asking(_allowed(opened, settings))
            asked = ask(opened.bank, parts.embedder, question.strip(), parts.researcher(), parts.framework)
        return _answered(opened.bank, asked)

    @server.tool(annotations=READS)
    @told
    def deep_retrieval(session_id: str, node_id: str, page: int = 1) -> Answer:
        """The original texts behind a node, whole and oldest first, page by page. `ask` names nodes."""
        bank = shared.open(session_id).bank
        living = bank.living(node_id)
        entries = bank.trees.entries(living)
        if not entries:
            raise ToolError("no such node in this session; ask a question to see the nodes that bear on it")
        pages = pages_of(entries)
        shown = [piece.shown() for piece in one_of(pages, page)]
        return material(node=_node(bank, living), page=page, pages=len(pages), entries=shown)

    @server.tool(annotations=READS)
    @told
    def attachment(session_id: str, attachment_id: str, page: int = 1) -> list[Content]:
        """The file that an entry refers to: a text page by page, a picture to look at, anything else as it is."""
        opened = shared.open(session_id)
        found = _attachment(opened.bank, attachment_id)
        return _content(content_of(found, opened.folder), opened.folder, page)


# -- which there are -----------------------------------------------------------------------------------------


def _listed(shared: SharedSessions, session_id: str) -> Answer:
    try:
        found = shared.summary(session_id)
    except CorruptLogError as error:
        return {"id": session_id, "status": "damaged", "problem": str(error)}
    return {
        "id": session_id,
        "task": found.task[:_LONGEST_TEXT],
        "status": found.status,
        "began": found.began.isoformat(),
        "documents": [name[:_LONGEST_TEXT] for name in found.sources[:LISTED]],
    }


# -- a question ----------------------------------------------------------------------------------------------


def _allowed(opened: OpenSession, settings: Settings) -> Settings:
    """The settings to ask a session with: what was read on this computer alone is sent to no model's server."""
    settings = as_begun(settings, opened.first)
    here = all(choice.provider == "offline" for choice in opened.bank.engine.values())
    return embedded(settings) if here else settings


def _answered(bank: Bank, asked: Asked) -> Answer:
    """The answer with its passages, what it leaves open, and what it leaves out; a very long one cut, which is said."""
    given = asked.answer
    whole: dict[str, str | list[Answer]] = {
        "answer": given.text,
        "affirmed": given.affirmed,
        "citations": [_cited(bank, citation) for citation in given.citations],
        "disputed": [
            {"conflict_id": one.conflict_id, "sides": [side[:_LONGEST_TEXT] for side in one.sides]}
            for one in given.disputed
        ],
        "rejected": [
            {"conflict_id": one.conflict_id, "text": one.text[:_LONGEST_TEXT], "why": one.why[:_LONGEST_TEXT]}
            for one in given.rejected
        ],
    }
    most = {name: PAGE if isinstance(found, str) else _MOST_PARTS for name, found in whole.items()}
    left_out = {name: len(found) - most[name] for name, found in whole.items() if len(found) > most[name]}
    remarks = [*asked.remarks, *(remark for one in asked.research for remark in one.remarks)]
    return material(
        **{name: found[: most[name]] for name, found in whole.items()},
        nodes=[_node(bank, node.id) for node in asked.nodes[:_MOST_NODES]],
        notes=[remark.what[:_LONGEST_TEXT] for remark in remarks],
        **({"left_out": left_out} if left_out else {}),
        **({"used": asked.usage.in_words} if asked.usage.calls else {}),
    )


def _cited(bank: Bank, citation: Citation) -> Answer:
    entry = bank.trees.entry(citation.entry_id)
    said = said_by(entry, citation.start, citation.end)
    return {
        "number": citation.number,
        "source": citation.source,
        "page": citation.page,
        **({"said": said} if said else {}),
        "passage": entry.text[citation.start : citation.end][:_LONGEST_TEXT],
        "entry_id": entry.id,
        "node_id": bank.trees.node_of(entry.id),
    }


def _node(bank: Bank, node_id: str) -> Answer:
    return {"id": node_id, "about": bank.query_graph[node_id].context[:_LONGEST_TEXT]}


# -- a file --------------------------------------------------------------------------------------------------


def _attachment(bank: Bank, attachment_id: str) -> Attachment:
    attached: Iterable[Attachment] = (one for entry in bank.trees for one in entry.attachments)
    found = next((one for one in attached if one.id == attachment_id), None)
    if found is None:
        raise ToolError("no such attachment in this session; deep retrieval names those of a node")
    return found


def _content(content: AttachmentContent, folder: Path, page: int) -> list[Content]:
    """A file as an assistant can take it in, after a text that says what it is."""
    found = content.attachment
    facts = found.model_dump(include={"id", "type", "media_type", "bytes"})
    if content.encoding == "text":
        pages = [content.content[start:end] for start, end in stretches(content.content)]
        return [_text(**facts, page=page, pages=len(pages), text=one_of(pages, page))]
    if found.type == "image":
        return [_text(**facts), _picture(found, folder)]
    if found.bytes > _FILE_BYTES:
        raise ToolError(f"this file is too large for an answer ({found.bytes:,} bytes) and is no text; export it")
    blob = BlobResourceContents(
        uri=f"attachment:{found.id}", mime_type="application/octet-stream", blob=content.content
    )
    return [_text(**facts), EmbeddedResource(resource=blob)]


def _text(**facts: Any) -> TextContent:  # noqa: ANN401 - whatever JSON can say
    return TextContent(text=to_json(material(**facts), indent=2).decode())


def _picture(found: Attachment, folder: Path) -> ImageContent:
    """The picture drawn anew, in a process of its own and as wide as an answer bears: nothing else of the file."""
    try:
        for width in _WIDTHS:
            png = apart("picture", folder / found.path, width).png
            if len(png) <= _PICTURE_BYTES:
                return ImageContent(data=b64encode(png).decode(), mime_type="image/png")
    except UnreadableDocumentError as error:
        raise ToolError(f"attachment {found.id} cannot be shown: {error.reason}") from error
    raise ToolError(f"attachment {found.id} cannot be shown: the picture is too large")
