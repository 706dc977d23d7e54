"""What runs the trained networks: who is asked, what is kept, and a line when a file cannot be loaded."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from memory_bank.bank.errors import ModelFileError
from memory_bank.judgement import pair_model
from memory_bank.judgement.encoding import CONTEXT_BEGINNING, CONTEXT_END, TEXT_TOKENS, encode
from memory_bank.judgement.pair_model import CALIBRATION, Network, PairModel, load_pair_model
from memory_bank.judgement.statement import Statement

CALIBRATED = {
    "temperature": {"small": 1.0, "large": 1.0},
    "passed_on": 0.9,
    "alone": 0.0,
    "answers": 0.0,
    "conflict_between": 0.8,
    "conflict_inside": 0.9,
}
WORDS = ["<s>", "</s>", "<pad>", "<unk>", "|", *"the mill is not old new der Mühle Zug fährt heute nicht".split()]
NOT = WORDS.index("not")


def tokenizer() -> Tokenizer:
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))  # noqa: S106
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


class Session:
    """A network that takes one "not" for a contradiction; `sure` is how far its logits lie apart."""

    def __init__(self, sure: float) -> None:
        self.sure, self.rows = sure, 0

    def run(self, _outputs: list[str], given: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        ids, mask, second = given["ids"], given["mask"], given["second"]
        assert ids.shape == mask.shape == second.shape
        self.rows += len(ids)
        denied = [((ids == NOT) & (mask == 1) & (second == side)).any(axis=1) for side in (0, 1)]
        logits = np.zeros((len(ids), 3), np.float32)
        logits[np.arange(len(ids)), np.where(denied[0] != denied[1], 2, 1)] = self.sure
        return [logits]


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, Session]:
    made = {"small": Session(1.0), "large": Session(5.0)}
    monkeypatch.setattr(pair_model, "_load_session", lambda path: made[path.stem])
    monkeypatch.setattr(pair_model, "_load_tokenizer", lambda _path: tokenizer())
    return made


@pytest.fixture
def model(tmp_path: Path, sessions: dict[str, Session]) -> PairModel:
    (tmp_path / CALIBRATION).write_text(json.dumps(CALIBRATED))
    return PairModel(tmp_path)


OLD, NOT_OLD = Statement("the mill is old"), Statement("the mill is not old")


def test_what_the_small_network_does_not_take_for_unrelated_the_large_one_judges(
    model: PairModel, sessions: dict[str, Session]
) -> None:
    (found,) = model.judge([(OLD, NOT_OLD)])
    assert 0.8 < found.contradicts < 0.95  # the small one is less sure, and counts for a quarter
    assert (sessions["small"].rows, sessions["large"].rows) == (1, 1)


def test_what_is_surely_unrelated_is_not_passed_on(model: PairModel, sessions: dict[str, Session]) -> None:
    sessions["small"].sure = 9.0
    (found,) = model.judge([(OLD, Statement("the mill is new"))])
    assert found.neutral > 0.9
    assert sessions["large"].rows == 0


def test_a_figure_that_differs_is_read_by_the_large_one_unless_it_surely_is_another_things(
    tmp_path: Path, sessions: dict[str, Session]
) -> None:
    (tmp_path / CALIBRATION).write_text(json.dumps(CALIBRATED | {"passed_on": 0.5}))
    model = PairModel(tmp_path)
    sessions["small"].sure = 2.0
    model.judge([(Statement("the mill is 20 m high"), Statement("the mill is 30 m high"))])
    assert sessions["large"].rows == 1
    model.judge([(Statement("the mill is 20 m high"), Statement("the mill is old"))])
    assert sessions["large"].rows == 1
    sessions["small"].sure = 9.0
    model.judge([(Statement("the mill is 20 m high"), Statement("the mill is 40 m high"))])
    assert sessions["large"].rows == 1


def test_another_language_than_english_stays_with_the_small_network(
    model: PairModel, sessions: dict[str, Session]
) -> None:
    german = "Der Zug nach Köln fährt heute nicht, weil die Brücke über den Fluss gesperrt ist."
    model.judge([(Statement(german), Statement(german.replace("nicht", "pünktlich")))])
    assert sessions["large"].rows == 0


def test_equal_values_seldom_contradict_where_the_small_network_judges_alone(model: PairModel) -> None:
    said, again = (
        Statement(f"Der Zug nach Köln fährt heute {word} um {at} Uhr.") for word, at in (("not", 9), ("", 9))
    )
    later = Statement("Der Zug nach Köln fährt heute  um 10 Uhr.")
    equal, other = model.judge([(said, again), (said, later)])
    assert equal.contradicts < other.contradicts / 2


def test_a_pair_costs_once(model: PairModel, sessions: dict[str, Session]) -> None:
    pairs = [(OLD, NOT_OLD), (OLD, NOT_OLD), (NOT_OLD, OLD)]
    first = model.judge(pairs)
    assert model.judge(pairs) == first
    assert sessions["small"].rows == 2


def test_pairs_of_any_length_keep_their_order(model: PairModel) -> None:
    long = Statement("the mill is old " * 40, "the mill " * 40)
    pairs = [(long, OLD), (OLD, NOT_OLD), (long, long), (OLD, OLD), (NOT_OLD, long)]
    assert [one.contradicts > 0.5 for one in model.judge(pairs)] == [False, True, False, False, True]


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40)), max_size=5))
def test_whatever_is_said_is_laid_out_for_the_network(texts: list[tuple[str, str]]) -> None:
    pairs = [(Statement(a, b), Statement(b, a)) for a, b in texts]
    ids, mask, second = encode(tokenizer(), pairs)
    assert ids.shape == mask.shape == second.shape
    assert len(ids) == len(pairs)
    assert ((mask == 1) | (mask == 0)).all()
    assert (second <= mask).all()
    assert ids.shape[1] <= 2 * (TEXT_TOKENS + CONTEXT_BEGINNING + CONTEXT_END) + 4


def test_a_text_of_a_hundred_thousand_characters_is_read_by_its_beginning() -> None:
    long = Statement("the mill is old " * 6500, "the mill " * 9000)
    ids, _mask, _second = encode(tokenizer(), [(long, long)])
    assert ids.shape[1] <= 2 * (TEXT_TOKENS + CONTEXT_BEGINNING + CONTEXT_END) + 4


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="special tokens"):
        encode(Tokenizer(models.WordLevel({"a": 0}, unk_token="a")), [(OLD, OLD)])  # noqa: S106


@pytest.mark.parametrize("content", ["", "{", "{}", '{"temperature": 1}'])
def test_a_damaged_calibration_is_told_in_a_line(tmp_path: Path, content: str) -> None:
    (tmp_path / CALIBRATION).write_text(content)
    with pytest.raises(ModelFileError, match="cannot be loaded") as caught:
        PairModel(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["small.onnx", "small_tokenizer.json"])
def test_a_missing_or_damaged_file_is_told_in_a_line(tmp_path: Path, name: str) -> None:
    (tmp_path / CALIBRATION).write_text(json.dumps(CALIBRATED))
    for other in {"small.onnx", "small_tokenizer.json"} - {name}:
        (tmp_path / other).write_bytes(b"{ damaged")
    with pytest.raises(ModelFileError, match=r"small") as caught:
        PairModel(tmp_path)
    assert "\n" not in str(caught.value)


def test_damaged_weights_are_told_in_a_line(tmp_path: Path) -> None:
    for file in (Path(str(files("memory_bank.judgement"))) / "data").iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "large.weights").unlink()
    (tmp_path / "large.weights").write_bytes(b"damaged")
    with pytest.raises(ModelFileError, match=r"large") as caught:
        PairModel(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_processor_is_asked_for_exact_products_only_where_its_own_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = (Statement("The dam was completed in 1968."), Statement("The dam was completed in 1970."))
    small = load_pair_model().small
    monkeypatch.setattr(pair_model, "_products_saturate", lambda: True)
    exact = Network(Path(str(files("memory_bank.judgement"))) / "data", "small", 1.0)
    ((_, (logits,)),), ((_, (exact_logits,)),) = (one.run(["pair"], [pair], compared=True) for one in (small, exact))
    np.testing.assert_array_equal(logits, exact_logits)


def test_products_that_are_cut_off_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Processor:
        """Sums pairs of products in 16 bits, as AVX2 does."""

        def __init__(self, *_args: object, **_options: object) -> None: ...

        def get_inputs(self) -> list[SimpleNamespace]:
            return [SimpleNamespace(shape=["rows", 64])]

        def run(self, _outputs: None, given: dict[str, NDArray[np.uint8]]) -> list[NDArray[np.int32]]:
            pairs = given["given"].reshape(-1, 32, 2).sum(axis=2, dtype=np.int32) * 127
            return [np.minimum(pairs, 32767).sum(axis=1, keepdims=True)]

    monkeypatch.setattr("onnxruntime.InferenceSession", Processor)
    assert pair_model._products_saturate.__wrapped__()


@pytest.mark.parametrize("name", ["small", "large"])
def test_what_a_network_says_of_a_pair_does_not_depend_on_what_else_is_judged(name: str) -> None:
    network: Network = getattr(load_pair_model(), name)
    pair = (Statement("The dam was completed in 1968."), Statement("The dam was completed in 1970."))
    others = [(Statement(f"A shop sells {n} sorts of tea, so they say."), pair[1]) for n in range(12)]
    alone, among = network.probabilities([pair])[0], network.probabilities([*others, pair])[-1]
    np.testing.assert_allclose(alone, among, atol=1e-5)


@pytest.mark.parametrize(
    ("task", "kind", "besides"),
    [
        ("Write a letter to the council", "beyond", "summary"),
        ("Write an essay about the mill", "beyond", "summary"),
        ("Should we buy the mill?", "beyond", "summary"),
        ("Which supplier should we choose?", "beyond", "summary"),
        ("When was the mill built?", "when", None),
        ("Summarise the documents", "summary", None),
    ],
)
def test_a_task_that_may_be_beyond_the_embedded_engine_is_asked_about(
    task: str, kind: str, besides: str | None
) -> None:
    network = load_pair_model().small
    assert (network.kind(task), network.kind_besides_beyond(task)) == (kind, besides)


def test_a_statement_follows_from_itself_whatever_is_emphasised() -> None:
    press = "Press {0}All conflicts: evidence, decide, overturn{0}, or open the page {0}Conflicts{0}."
    pair = Statement(press.format("**"), "A guide"), Statement(press.format(""))
    for one, other in (pair, pair[::-1]):
        judgement = load_pair_model().judge([(one, other)])[0]
        assert judgement == (1.0, 0.0, 0.0)
