"""What can go wrong with Milvus: restarts, two processes, a server that is away, another model, files left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term import milvus
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.record_type import FACT_TYPES
from tests.long_term.conftest import MODEL
from tests.long_term.kept import embedded, fact, scope, vector

ROOT = Path(__file__).parent.parent.parent
OTHER_PROCESS = """
import sys
from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.milvus import MilvusStore
from tests.long_term.kept import embedded, fact, scope
store = MilvusStore(sys.argv[1], "hash", deadline=float(sys.argv[2]))
try:
    print(*[record.content for record in store.records(scope("ann"))], sep=";")
    store.add("ann", embedded(fact("ann", "from the other process", id="other")))
except LongTermError as error:
    print(error)
if sys.argv[3:] == ["close"]:
    store.close()
"""


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MilvusStore]:
    """A store of its own in a file."""
    store = MilvusStore(str(tmp_path / "new folder" / "memory.db"), MODEL, deadline=30)
    yield store
    store.close()


def other_process(uri: object, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", OTHER_PROCESS, str(uri), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)


@pytest.mark.slow
def test_what_was_kept_is_there_after_a_restart_of_the_process_and_nothing_else_is_said(tmp_path: Path) -> None:
    uri = tmp_path / "memory.db"
    first, second = other_process(uri, "20"), other_process(uri, "20", "close")
    assert (first.stdout, first.stderr, first.returncode) == ("\n", "", 0)
    assert (second.stdout, second.stderr, second.returncode) == ("from the other process\n", "", 0)


def test_a_second_process_is_told_that_the_file_is_in_use(file: MilvusStore, tmp_path: Path) -> None:
    file.add("ann", embedded(fact("ann", "kept")))
    other = other_process(tmp_path / "new folder" / "memory.db", "0.5")
    assert "another process has it open" in other.stdout
    assert other.stderr == ""
    assert [record.content for record in file.records(scope("ann"))] == ["kept"]


@pytest.mark.slow
def test_a_second_process_waits_for_the_first_to_be_done(tmp_path: Path) -> None:
    uri = tmp_path / "memory.db"
    command = [sys.executable, "-c", OTHER_PROCESS, str(uri), "30"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
    said = sorted(process.communicate(timeout=60)[0] for process in both)
    assert said == ["\n", "from the other process\n"]


def test_another_model_of_the_same_dimension_is_refused_for_vectors_but_may_list_and_forget(
    file: MilvusStore, tmp_path: Path
) -> None:
    file.add("ann", embedded(fact("ann", "kept", id="r1")))
    file.close()
    other = MilvusStore(str(tmp_path / "new folder" / "memory.db"), "another-model", deadline=30)
    with pytest.raises(LongTermError, match=r"'hash'.*'another-model'"):
        other.search(scope("ann"), vector("kept"), FACT_TYPES, 3)
    with pytest.raises(LongTermError, match="EMBEDDING_MODEL"):
        other.add("ann", embedded(fact("ann", "more")))
    assert [record.content for record in other.records(scope("ann"))] == ["kept"]
    assert other.forget("ann", ["r1"]) == 1
    other.close()


def test_a_file_in_a_place_that_is_none_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    store = MilvusStore(str(tmp_path / "taken" / "memory.db"), MODEL, deadline=0.5)
    with pytest.raises(LongTermError, match="could not be reached"):
        store.count(scope("ann"))


def test_a_record_that_is_too_long_for_the_store_is_refused_with_nothing_written(file: MilvusStore) -> None:
    long = fact("ann").model_copy(update={"content": "安" * 30_000})
    with pytest.raises(LongTermError, match="too long"):
        file.add("ann", embedded(fact("ann"), long))
    assert file.count(scope("ann")) == 0


@pytest.mark.slow
def test_a_disk_that_is_full_is_an_error_and_what_was_kept_can_still_be_read(tmp_path: Path) -> None:
    program = """
import resource, signal, sys
from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.milvus import MilvusStore
from tests.long_term.kept import embedded, fact, scope
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = MilvusStore(sys.argv[1], "hash", deadline=30)
store.add("ann", embedded(fact("ann", "kept")))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    for number in range(50):
        store.add("ann", embedded(*(fact("ann", f"{number} {other} " * 100) for other in range(5))))
except LongTermError as error:
    print("refused", "kept" in [record.content for record in store.records(scope("ann"))])
"""
    command = [sys.executable, "-c", program, str(tmp_path / "memory.db")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert done.stdout == "refused True\n", done.stderr


def test_a_file_that_may_not_be_written_is_an_error_at_once() -> None:
    program = """
import os, sys, time
from pathlib import Path
from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.milvus import MilvusStore
from tests.long_term.kept import embedded, fact
store = MilvusStore(sys.argv[1], "hash", deadline=30)
store.add("ann", embedded(fact("ann", "kept")))
store.close()
for path in [Path(sys.argv[1]), *Path(sys.argv[1]).rglob("*")]:
    path.chmod(0o555)
if os.getuid() == 0:
    os.setuid(65534)
began = time.monotonic()
try:
    store.add("ann", embedded(fact("ann", "more")))
except LongTermError as error:
    print(time.monotonic() - began < 5, error)
"""
    with tempfile.TemporaryDirectory() as folder:  # which others may enter: where root runs this, it becomes another
        Path(folder).chmod(0o755)
        command = [sys.executable, "-c", program, f"{folder}/memory.db"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
        for path in Path(folder).rglob("*"):
            path.chmod(0o755)
    assert done.stdout.startswith("True long-term memory at "), done.stderr
    assert "may not be written" in done.stdout
    assert done.stdout.count("\n") == 1


def test_a_file_that_is_damaged_is_an_error_of_one_line_or_reads_as_ever(file: MilvusStore, tmp_path: Path) -> None:
    file.add("ann", embedded(fact("ann", "one", id="r1"), fact("ann", "two")))
    file.forget("ann", ["r1"])
    file.close()
    whole = tmp_path / "new folder" / "memory.db"
    said = list[str]()
    for number, path in enumerate(sorted(path for path in whole.rglob("*.*") if path.is_file())):
        broken = tmp_path / f"{number}.db"
        shutil.copytree(whole, broken)
        (broken / path.relative_to(whole)).write_bytes(b"")
        with closing(MilvusStore(str(broken), MODEL, deadline=1)) as store:
            try:
                assert [record.content for record in store.records(scope("ann"))] == ["two"]
            except LongTermError as error:
                said.append(str(error))
    assert len(said) >= 4
    assert [error for error in said if "\n" in error] == []


def texts_on_disk(folder: Path) -> str:
    """All that can be read in the files of a store, those that are compressed included."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.append(path.read_bytes().decode("latin-1"))
        if path.suffix == ".parquet":
            found.append(str(pyarrow.parquet.read_table(path).to_pydict()))
    return "".join(found)


@pytest.mark.parametrize("reopened", [False, True], ids=["at once", "after a restart"])
def test_nothing_of_what_was_forgotten_is_left_in_the_files(
    file: MilvusStore, tmp_path: Path, *, reopened: bool
) -> None:
    secret = fact("ann", "The safe opens with XYZZY.", id="r1")
    old = secret.model_copy(update={"content": "The safe opens with PLUGH."})
    file.add("ann", embedded(old, fact("ann", "The kettle is GROEN.")))
    file.add("bob", embedded(fact("bob", "The cup is BLANC.")))
    file.update("ann", embedded(secret))
    if reopened:
        file.close()
    assert file.forget("ann", ["r1"]) == 1
    left = texts_on_disk(tmp_path)
    assert "XYZZY" not in left
    assert "PLUGH" not in left
    assert "GROEN" in left
    assert file.forget_all(scope("ann")) == 1
    assert "GROEN" not in texts_on_disk(tmp_path)
    assert [record.content for record in file.records(scope("bob"))] == ["The cup is BLANC."]


def test_a_purge_that_fails_says_so_loses_nothing_and_is_made_up_for(
    file: MilvusStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.add("ann", embedded(*(fact("ann", f"fact {number}", id=f"r{number}") for number in range(4))))

    def fails(*_: object) -> None:
        raise OSError("the power went")

    with monkeypatch.context() as broken:
        broken.setattr(milvus.OwnPartitions, "_drop", fails)
        with pytest.raises(LongTermError, match="its words could not be removed"):
            file.forget("ann", ["r0"])
    assert "fact 0" in texts_on_disk(tmp_path)
    assert file.update("ann", embedded(fact("ann", "fact 3 again", id="r3"), fact("ann", "fact 0", id="r0"))) == 1
    file.add("ann", embedded(fact("ann", "fact 4", id="r4")))
    expected = {"r1": "fact 1", "r2": "fact 2", "r3": "fact 3 again", "r4": "fact 4"}
    assert {record.id: record.content for record in file.records(scope("ann"))} == expected
    assert len(file.search(scope("ann"), vector("fact"), FACT_TYPES, 9)) == file.count(scope("ann")) == 4
    assert file.forget("ann", ["r1"]) == 1
    assert "fact 0" not in texts_on_disk(tmp_path)
    assert {record.id for record in file.records(scope("ann"))} == {"r2", "r3", "r4"}


DIES = """
import os, sys
from memory_bank.long_term import milvus
from tests.long_term.kept import scope
def dies(*_):
    os._exit(9)
setattr(milvus.OwnPartitions, sys.argv[2], dies)
milvus.MilvusStore(sys.argv[1], "hash", deadline=30).forget("ann", ["r0"])
"""


@pytest.mark.parametrize("at", ["purge", "_insert", "_drop"])
@pytest.mark.slow
def test_what_a_process_that_died_deleted_is_out_of_the_file_when_it_is_used_again(
    file: MilvusStore, tmp_path: Path, at: str
) -> None:
    file.add("ann", embedded(*(fact("ann", f"fact {number}", id=f"r{number}") for number in range(3))))
    file.close()
    uri = str(tmp_path / "new folder" / "memory.db")
    died = subprocess.run([sys.executable, "-c", DIES, uri, at], cwd=ROOT, timeout=60, check=False)
    assert died.returncode == 9
    assert "fact 0" in texts_on_disk(tmp_path)
    again = MilvusStore(uri, MODEL, deadline=30)
    assert again.count(scope("bob")) == 0
    assert "fact 0" not in texts_on_disk(tmp_path)
    assert {record.id for record in again.records(scope("ann"))} == {"r1", "r2"}
    again.close()


@pytest.mark.slow
def test_accesses_are_written_at_the_next_write_and_at_the_end(file: MilvusStore, tmp_path: Path) -> None:
    def counts() -> dict[str, int]:
        return {record.id: record.access_count for record in file.records(scope("ann"))}

    file.add("ann", embedded(fact("ann", id="r1"), fact("ann", id="r2", access_count=3)))
    file.touch("ann", ["r1", "r2"])
    assert counts() == {"r1": 1, "r2": 4}
    file.close()
    file.touch("ann", ["r1"])
    file.add("ann", embedded(fact("ann", id="r3")))
    program = "import os, sys; sys.path.insert(0, os.getcwd())\n" + OTHER_PROCESS.replace(
        "record.content", "str(record)"
    )
    file.close()
    command = [sys.executable, "-c", program, str(tmp_path / "new folder" / "memory.db"), "20"]
    other = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    assert [f"access_count={count}" in other.stdout for count in (2, 4, 0)] == [True, True, True]
    file.add("ann", embedded(fact("ann", id="r2")))
    assert counts() == {"r1": 2, "r2": 0, "r3": 0} | {"other": 0}


def test_the_library_is_loaded_only_when_it_is_needed_and_leaves_the_environment_alone(tmp_path: Path) -> None:
    program = """
import os, sys
import memory_bank.app.cli, memory_bank.long_term.opening
assert not {"pymilvus", "grpc", "milvus_lite"} & set(sys.modules)
before = dict(os.environ)
from memory_bank.search.pymilvus_library import load_pymilvus
load_pymilvus()
assert dict(os.environ) == before, set(os.environ) ^ set(before)
"""
    (tmp_path / ".env").write_text("OPENAI_API_KEY=secret\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, env=environment)


def test_a_search_reads_the_rows_of_one_user_only(file: MilvusStore, monkeypatch: pytest.MonkeyPatch) -> None:
    from milvus_lite.search import executor_indexed

    file.add("ann", embedded(fact("ann", "kept")))
    file.add("bob", embedded(*(fact("bob", f"fact {number}") for number in range(9))))
    read: list[int] = []
    ordinary = executor_indexed.BruteForceIndex.build
    monkeypatch.setattr(
        executor_indexed.BruteForceIndex,
        "build",
        lambda vectors, metric: read.append(len(vectors)) or ordinary(vectors, metric),
    )
    file.search(scope("ann"), vector("kept"), FACT_TYPES, 3)
    assert np.sum(read) == 1


def test_what_is_added_one_by_one_comes_into_files_that_are_searched_quickly(
    file: MilvusStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milvus, "_FLUSH_AFTER", 3)
    files = []
    for number in range(4):
        file.add("ann", embedded(fact("ann", f"fact {number}")))
        files.append(len([path for path in tmp_path.rglob("data_*.parquet") if "_default" not in path.parts]))
    assert files == [0, 0, 1, 1]
    assert len(file.search(scope("ann"), vector("fact"), FACT_TYPES, 9)) == 4
