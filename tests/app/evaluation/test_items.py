"""Items of an evaluation: what each one costs, which are run, and that one that fails ends itself alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_bank.app.cli import main
from memory_bank.app.evaluation.conflicts import evaluate_alarms
from memory_bank.app.evaluation.dossiers import evaluate_dossiers
from memory_bank.app.evaluation.items import Items, Played, costs, play
from memory_bank.app.evaluation.report import evaluate_files, scores_table
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import UsageError
from memory_bank.bank.settings import Settings
from memory_bank.search.embedding import MULTILINGUAL_MODEL
from memory_bank.storage.session_store import Upload
from tests.app.evaluation.test_dossiers import DOSSIER
from tests.pages.little_server import http_server

Reply = tuple[int, Any]


def chat(text: str, **usage: Any) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return 200, {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def refusing(_method: str, _path: str) -> Reply:
    return 401, {"error": {"message": "no such key"}}


def refusing_at_first(calls: int) -> Callable[[str, str], Reply]:
    """A server that refuses its first requests and then answers nonsense, with its count of tokens."""
    count = 0

    def answer(_method: str, _path: str) -> Reply:
        nonlocal count
        count += 1
        if count <= calls:
            return refusing("", "")
        return chat("{}", prompt_tokens=100, completion_tokens=7, prompt_tokens_details={"cached_tokens": 40})

    return answer


def local(address: str) -> Settings:
    return Settings.model_validate(
        {
            "embedding_model": "hash",
            "structure": {"provider": "local"},
            "local": {"base_url": f"{address}/v1", "model": "m"},
        }
    )


@pytest.fixture
def dossiers(tmp_path: Path) -> Path:
    folder = tmp_path / "dossiers"
    folder.mkdir()
    for name in ("t1", "t2"):
        (folder / f"{name}.json").write_text(json.dumps({**DOSSIER, "id": name}))
    return folder


def test_each_item_and_their_sum_have_their_calls_tokens_and_seconds(dossiers: Path) -> None:
    with http_server(refusing_at_first(0)) as address:
        scores = evaluate_dossiers(dossiers, local(address), Items(only=["t1"]))
    rows = scores["items"]
    assert [row["id"] for row in rows] == ["t1/1", "t1/2"]
    for row in rows:
        usage = row["usage"]
        assert usage["calls"] > 0
        assert usage["prompt_tokens"] == 100 * usage["calls"]
        assert (usage["completion_tokens"], usage["cached_tokens"]) == (7 * usage["calls"], 40 * usage["calls"])
        assert usage["cost_usd"] is None, "nobody knows the price of this model"
    assert scores["usage"]["calls"] == sum(row["usage"]["calls"] for row in rows)
    lines = [line.split() for line in scores_table({"file": "dossiers", **scores}).splitlines()]
    assert ["dossiers", "usage", "calls", str(scores["usage"]["calls"])] in lines


def test_a_server_that_refuses_ends_its_item_with_the_reason_and_the_rest_is_kept(
    dossiers: Path, tmp_path: Path
) -> None:
    kept, told = tmp_path / "kept.jsonl", list[str]()
    with http_server(refusing_at_first(1)) as address:
        scores = evaluate_dossiers(dossiers, local(address), Items(only=["t1"], file=kept, note=told.append))
    first, second = scores["items"]
    assert "LOCAL_API_KEY" in first["failed"]
    assert "failed" not in second
    assert (scores["failed"], scores["questions"]) == (1, 1)
    assert told[0].startswith("t1/1: failed: ")
    assert [json.loads(line) for line in kept.read_text().splitlines()] == [first, second]


def test_a_server_that_answers_nothing_is_no_score_of_its_model(dossiers: Path) -> None:
    """The session goes on without the model, and what it finds is not the model's."""
    scores = evaluate_dossiers(dossiers, local("http://127.0.0.1:9"), Items(only=["t1/1"]))
    (row,) = scores["items"]
    assert row["failed"].startswith("no request was answered")
    assert (scores["questions"], scores["failed"]) == (0, 1)


def test_judgements_that_failed_among_others_are_told() -> None:
    counted = Played(Bank(), 1.0, failed_judgements=3)
    told: list[str] = []
    Items(note=told.append).row("a", counted, "right")
    assert "right (3 judgements failed)" in told[0]


def test_what_was_done_before_an_evaluation_is_broken_off_is_in_the_file(
    dossiers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.jsonl"

    def stop(line: str) -> None:
        raise KeyboardInterrupt

    with http_server(refusing) as address, pytest.raises(KeyboardInterrupt):
        evaluate_dossiers(dossiers, local(address), Items(file=kept, note=stop))
    assert json.loads(kept.read_text())["id"] == "t1/1"


@pytest.mark.parametrize(
    ("only", "ran"), [(["t2"], ["t2/1", "t2/2"]), (["t2/2"], ["t2/2"]), (["t1/1", "t2/2"], ["t1/1", "t2/2"])]
)
def test_dossiers_and_questions_are_chosen_by_id(dossiers: Path, only: list[str], ran: list[str]) -> None:
    scores = evaluate_files("dossiers", dossiers, Settings(embedding_model="hash"), Items(only=only))
    assert isinstance(scores, dict)
    assert [row["id"] for row in scores["items"]] == ran


def test_an_id_that_no_item_has_is_refused(dossiers: Path) -> None:
    with pytest.raises(UsageError, match="no item t9"):
        evaluate_files("dossiers", dossiers, Settings(embedding_model="hash"), Items(only=["t9", "t1/2"]))
    with pytest.raises(UsageError, match="retrieval has no items"):
        evaluate_files("retrieval", dossiers, Settings(embedding_model="hash"), Items(only=["t9"]))


def test_folders_are_chosen_by_name_too(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("The mill stands by the river.")
    scores = evaluate_alarms(tmp_path, Settings(embedding_model="hash"), Items(only=["two"]))
    assert ([row["id"] for row in scores["items"]], scores["documents"]) == (["two"], 1)


def test_the_embedding_model_suits_the_language_as_in_the_app() -> None:
    documents = [Upload("a.txt", "白塔磨坊建于一九二一年，位于河边，有四层。".encode())]
    bank = play("白塔磨坊建于哪一年？", documents, settings=Settings()).bank
    assert bank.settings["embedding_model"] == MULTILINGUAL_MODEL


def test_costs_are_unknown_together_if_one_is_unknown() -> None:
    rows = [Items().row("a", Played(Bank(), 1.5), "right"), Items().row("b", Played(Bank(), 2.0), "right")]
    rows[1]["usage"]["cost_usd"] = None
    assert costs(rows)["usage"] | {"seconds": 0} == {**Bank().usage.model_dump(), "cost_usd": None, "seconds": 0}
    assert costs(rows)["usage"]["seconds"] == 3.5


def test_the_command_line_writes_each_row_beside_the_scores(dossiers: Path, tmp_path: Path) -> None:
    scores = tmp_path / "scores.json"
    given = ["eval", "dossiers", "--data", str(dossiers), "--only", "t1/2,t2/2", "--json", str(scores)]
    assert main(given) == 0
    rows = [json.loads(line)["id"] for line in (tmp_path / "scores.items.jsonl").read_text().splitlines()]
    assert rows == ["t1/2", "t2/2"] == [row["id"] for row in json.loads(scores.read_text())["items"]]
