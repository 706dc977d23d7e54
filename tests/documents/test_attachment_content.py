from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from memory_bank.bank.errors import ToolError
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.documents.attachment_content import MAX_ATTACHMENT_BYTES, content_of
from tests.session.test_images import IMAGES, begin


def attachment(kind: str = "document", path: str = "files/a1", size: int = 4) -> Attachment:
    return Attachment.model_validate(
        {"id": "a1", "type": kind, "path": path, "media_type": "text/plain", "bytes": size, "sha256": "00" * 32}
    )


@pytest.mark.parametrize(
    ("kind", "data", "encoding", "content"),
    [
        ("code", b"print(1)\n", "text", "print(1)\n"),
        ("document", "Größe".encode(), "text", "Größe"),
        ("document", b"%PDF-\xff\xfe", "base64", b64encode(b"%PDF-\xff\xfe").decode()),
        ("image", b"plain", "base64", b64encode(b"plain").decode()),
    ],
)
def test_content_comes_by_its_type(tmp_path: Path, kind: str, data: bytes, encoding: str, content: str) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a1").write_bytes(data)
    found = content_of(attachment(kind), tmp_path)
    assert (found.encoding, found.content) == (encoding, content)


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (attachment(), "is not here"),
        (attachment(path="s3://bucket/a1"), "it is at s3://bucket/a1"),
        (attachment(size=MAX_ATTACHMENT_BYTES + 1), "too large"),
    ],
)
def test_what_cannot_be_had_is_said(tmp_path: Path, wanted: Attachment, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        content_of(wanted, tmp_path)


def test_an_agent_gets_the_image_that_deep_retrieval_names(tmp_path: Path) -> None:
    session = begin(tmp_path)
    list(session.run())
    told = session.adapter.call("deep_retrieval", {"node_id": session.bank.units["s1.1.1"]})
    assert "attachment s1: image, image/png" in told
    found = session.adapter.attachment("s1")
    assert found.content == b64encode(IMAGES[0].data).decode()
    with pytest.raises(ToolError, match="no entry refers"):
        session.adapter.attachment("../../etc/passwd")
