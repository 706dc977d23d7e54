from __future__ import annotations

import pytest

from memory_bank.app.evaluation import bench_tokens

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run() -> bench_tokens._Run:
    return bench_tokens._Run.of(0.05, models=("planning", "react"))


def test_every_step_is_three_requests_of_the_acting_agent_and_planning_reads_the_rest(run: bench_tokens._Run) -> None:
    assert len(run.acting) == 3 * len(bench_tokens.STEPS)
    assert sum(run.acting) < run.total


def test_the_documents_have_the_tokens_that_are_named(run: bench_tokens._Run) -> None:
    assert 0.95 * 3_000 <= run.documents <= 1.05 * 3_000


def test_the_reference_sends_all_documents_with_every_request_of_the_acting_agent(run: bench_tokens._Run) -> None:
    figure = run.against_all("tokens", 0.2)
    assert figure.reference == run.documents * len(run.acting)
    assert figure.value == run.total
    assert figure.held == (run.total <= 0.2 * figure.reference)
