"""Helpers of all MCP tools: an error is one line without details of this machine."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from memory_bank.app.mcp_tool import labelled_answer, page_at, report_errors
from memory_bank.bank.errors import CorruptLogError, UsageError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CorruptLogError("line 3: not a known event"), "line 3: not a known event"),
        (
            PermissionError(13, "Permission denied", "/secret/place"),
            "it could not be read or written: Permission denied",
        ),
        (TimeoutError(), "it could not be read or written: TimeoutError"),
    ],
)
def test_a_failure_is_told_without_a_path(error: Exception, said: str) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(ToolError) as failed:
        report_errors(fail)()
    assert str(failed.value) == said


def test_a_fault_of_ours_is_not_told_as_one_of_the_assistant() -> None:
    with pytest.raises(ZeroDivisionError):
        report_errors(lambda: 1 // 0)()


def test_an_answer_is_labelled_before_anything_else() -> None:
    assert list(labelled_answer(found=1)) == ["material", "found"]


@pytest.mark.parametrize("page", [0, -1, 3, 10**30])
def test_pages_count_from_one(page: int) -> None:
    assert [page_at("ab", 1), page_at("ab", 2)] == ["a", "b"]
    with pytest.raises(UsageError, match="the first is 1, the last 2"):
        page_at("ab", page)
