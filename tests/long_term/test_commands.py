"""`memory …` as other programs see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_bank.app.cli import main
from memory_bank.long_term.record_type import RECORD_TYPES
from tests.long_term.kept import HOSTILE

TEN = "The budget for the Hawaii trip is $10,000."
TWELVE = "The budget for the Hawaii trip is $12,000."


@pytest.fixture(autouse=True)
def _hash_embedder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMBEDDING_MODEL", "hash")
    monkeypatch.delenv("LONG_TERM_URI", raising=False)


class Shell:
    """Runs `memory …` and gives what it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = main(["memory", *arguments])
        return (code, *self._capsys.readouterr())

    def json(self, *arguments: str) -> object:
        code, out, err = self(*arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)


@pytest.fixture
def memory(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def test_what_was_added_is_listed_found_and_forgotten(memory: Shell, tmp_path: Path) -> None:
    code, out, err = memory("add", "--user", "ann", "--project", "p", "--text", TEN)
    assert (code, err) == (0, "")
    assert out.startswith("created: ")
    record_id = out.split()[1]
    assert (tmp_path / "sessions" / "long_term.db").exists()
    _, listed, _ = memory("list", "--user", "ann")
    assert listed.split()[0] == record_id
    assert listed.endswith(f"[p]  {TEN}\n")
    _, found, _ = memory("search", "--user", "ann", "--query", "Hawaii budget")
    assert record_id in found
    assert memory("forget", "--user", "ann", "--id", record_id) == (0, "forgotten: 1 record\n", "")
    assert memory("list", "--user", "ann") == (0, "", "")


def test_of_a_contradiction_both_sides_are_kept_until_a_person_decides(memory: Shell) -> None:
    memory("add", "--user", "ann", "--text", TEN)
    code, out, err = memory("add", "--user", "ann", "--text", TWELVE)
    assert code == 1
    assert [TEN in out.splitlines()[0], TWELVE in out.splitlines()[1]] == [True, True]
    assert err.startswith("memory_bank: it contradicts what is stored: “The budget")
    assert err.count("\n") == 1
    assert "disputed" in memory("list", "--user", "ann")[1]
    code, out, _ = memory("add", "--user", "ann", "--text", TWELVE, "--json")
    answer = json.loads(out)
    assert (code, answer["outcome"], answer["against"]["content"]) == (1, "conflict", TEN)
    (stored,) = memory.json("list", "--user", "ann")
    assert [dispute["content"] for dispute in stored["disputes"]] == [TWELVE]
    decide = ("decide", "--id", stored["id"], "--verdict", "new")
    assert memory(*decide, "--user", "bob")[0] == 2
    assert memory(*decide, "--user", "ann")[1].startswith(f"decided: {stored['id']}")
    (decided,) = memory.json("list", "--user", "ann")
    assert (decided["content"], [change["content"] for change in decided["history"]]) == (TWELVE, [TEN])
    assert memory(*decide, "--user", "ann") == (
        2,
        "",
        f"memory_bank: record '{stored['id']}' has no such dispute; see which there are with `memory list`\n",
    )


def test_json_has_every_field_of_a_record_and_its_content(memory: Shell) -> None:
    memory("add", "--user", "ann", "--text", "Paint the shed", "--type", "episode")
    memory("add", "--user", "ann", "--text", "Press the lid", "--type", "procedural")
    (found,) = memory.json("search", "--user", "ann", "--query", "paint shed", "--type", "episode")
    assert {"id", "type", "content", "user_id", "project_id", "created", "importance", "similarity"} <= found.keys()
    assert found["content"] == "Goal: Paint the shed"
    assert [one["type"] for one in memory.json("list", "--user", "ann", "--type", "procedural")] == ["procedural"]


def test_forgetting_a_scope_says_how_many_and_leaves_the_others(memory: Shell) -> None:
    for user, project in (("ann", "p"), ("ann", "q"), ("bob", "p")):
        memory("add", "--user", user, "--project", project, "--text", TEN)
    assert memory.json("forget", "--user", "ann", "--project", "p") == {"forgotten": 1}
    assert memory.json("forget", "--user", "ann", "--type", "episode") == {"forgotten": 0}
    assert memory("forget", "--user", "ann")[1] == "forgotten: 1 record\n"
    assert memory("forget", "--user", "ann")[1] == "forgotten: 0 records\n"
    assert len(memory.json("list", "--user", "bob")) == 1


def test_an_export_is_taken_in_as_whoever_s_it_is_said_to_be(memory: Shell, tmp_path: Path) -> None:
    memory("add", "--user", "ann", "--project", "p", "--text", TEN)
    memory("add", "--user", "ann", "--project", "q", "--text", "Press the lid", "--type", "procedural")
    assert memory("export", "--user", "ann", "--out", "out.json") == (0, "", "")
    assert memory("export", "--user", "ann")[1] == (tmp_path / "out.json").read_text()
    assert memory.json("import", "out.json", "--user", "bob", "--project", "p") == {"taken": 1, "already_there": 0}
    assert memory.json("import", "out.json", "--user", "bob") == {"taken": 1, "already_there": 1}
    assert {one["user_id"] for one in memory.json("list", "--user", "bob")} == {"bob"}
    assert memory("export", "--user", "ann")[1] == (tmp_path / "out.json").read_text()


def test_no_user_sees_another_s(memory: Shell) -> None:
    names = [name for name in HOSTILE if "\x00" not in name][:6]
    for name in names:
        memory("add", "--user", name, "--text", f"The kettle of {len(name)}")
    (first,) = memory.json("list", "--user", names[0])
    for name in names:
        assert [one["user_id"] for one in memory.json("list", "--user", name)] == [name]
    assert memory("forget", "--user", names[1], "--id", first["id"])[0] == 2
    assert memory.json("list", "--user", names[0]) == [first]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["add", "--user", " ", "--text", "x"], "the user must be a name"),
        (["list", "--user", "ann", "--project", ""], "the project must be a name"),
        (["add", "--user", "ann", "--text", " "], "--text cannot be kept"),
        (["add", "--user", "ann", "--text", "x" * 2001], "at most 2000"),
        (["search", "--user", "ann", "--query", " "], "--query is empty"),
        (["forget", "--user", "ann", "--id", "\x1b[2J"], "no record"),
        (["list", "--user", "ann", "--uri", "ftp://example.org"], "LONG_TERM_URI is '[not shown]'; allowed: a file"),
        (["import", "there-is-none.json", "--user", "ann"], "there-is-none.json"),
    ],
)
def test_bad_usage_is_one_line_and_code_2(memory: Shell, arguments: list[str], says: str) -> None:
    code, out, err = memory(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err
    assert "\x1b" not in err


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": "other"}', '{"format": "memory-bank-long-term", "version": 2, "records": []}']
)
def test_what_is_no_export_is_refused(memory: Shell, tmp_path: Path, text: str) -> None:
    (tmp_path / "in.json").write_text(text)
    code, out, err = memory("import", "in.json", "--user", "ann")
    assert (code, out) == (2, "")
    assert err.startswith("memory_bank: this is no export of long-term memory, or damaged: ")


def test_a_server_that_is_away_is_one_line_and_code_1(memory: Shell) -> None:
    code, out, err = memory("list", "--user", "ann", "--uri", "http://name:secret@127.0.0.1:1")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "127.0.0.1:1 could not be reached" in err
    assert "secret" not in err


def test_text_cannot_act_on_the_terminal(memory: Shell) -> None:
    memory("add", "--user", "ann", "--text", "red \x1b[31m and\nmore")
    _, out, _ = memory("list", "--user", "ann")
    assert "\x1b" not in out
    assert out.count("\n") == 1


def test_every_type_can_be_asked_for(memory: Shell) -> None:
    assert all(memory("list", "--user", "ann", "--type", kind)[0] == 0 for kind in RECORD_TYPES)
