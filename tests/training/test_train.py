"""What an epoch is made of: shares of the supplies, one row of each item, and of the pools what is most misjudged."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from training.corpus import Label  # noqa: E402
from training.rows import Kind, Rows  # noqa: E402
from training.train import SHARES, WORST, Epochs, RowsOnDevice, pair_loss  # noqa: E402

SUPPLIES = ("descriptions", "dossiers", "questions")
POOL, LABELLED, ASKED, BATCH, PART = 200, 30, 40, 16, 50
LENGTH = 3


@pytest.fixture
def on_device() -> RowsOnDevice:
    """A pool, labelled pairs of two rows each, and questions; the last labelled pair is held out."""
    supplies = np.array([0] * POOL + [1] * 2 * LABELLED + [2] * ASKED, np.uint8)
    count = len(supplies)
    items = np.array([*range(POOL), *(n // 2 for n in range(2 * LABELLED)), *range(ASKED)], np.int32)
    held_out = (supplies == 1) & (items == LABELLED - 1)
    rows = Rows(
        ids=np.arange(count * LENGTH, dtype=np.uint16),
        lengths=np.full(count, LENGTH, np.uint16),
        firsts=np.full(count, 1, np.uint8),
        kinds=np.where(supplies == 2, Kind.QUESTION, Kind.PAIR).astype(np.uint8),
        labels=np.full(count, 0, np.uint8),
        supplies=supplies,
        names=np.array(SUPPLIES),
        languages=np.zeros(count, np.uint8),
        held_out=held_out,
        items=items,
        spans=np.full((count, 2), -1, np.int16),
        questions=np.full(count, -1, np.int32),
    )
    return RowsOnDevice(rows, "cpu")


def test_an_epoch_has_the_share_of_each_supply_and_one_row_of_each_item(on_device: RowsOnDevice) -> None:
    drawn = Epochs(on_device, seed=1).draw()
    rows = on_device.rows
    taken = Counter(str(rows.names[n]) for n in rows.supplies[drawn])
    assert taken["descriptions"] == round(POOL * SHARES["descriptions"])
    assert taken["dossiers"] == (LABELLED - 1) * SHARES["dossiers"]
    assert taken["questions"] == ASKED
    of_each = Counter(rows.items[drawn[rows.supplies[drawn] == 1]].tolist())
    assert set(of_each.values()) == {SHARES["dossiers"]}
    assert not rows.held_out[drawn].any()


def test_for_a_learning_curve_the_same_so_many_pairs_of_the_families_are_drawn(on_device: RowsOnDevice) -> None:
    on_device.rows = replace(on_device.rows, names=np.array(("descriptions", "families", "questions")))
    epochs = Epochs(on_device, seed=1, pairs=7)
    rows = on_device.rows
    first, second = (epochs.draw() for _ in range(2))
    assert set(rows.supplies[first]) == {1}
    assert len(first) == 7
    assert set(rows.items[first]) == set(rows.items[second])
    assert not rows.held_out[first].any()


def test_a_supply_that_is_held_out_as_a_whole_gives_nothing(on_device: RowsOnDevice) -> None:
    held_out = on_device.rows.held_out | (on_device.rows.supplies == 2)
    on_device.rows = replace(on_device.rows, held_out=held_out)
    assert 2 not in on_device.rows.supplies[Epochs(on_device, seed=1).draw()]


def test_of_a_pool_what_is_most_surely_misjudged_comes_first(
    on_device: RowsOnDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def later_ones_contradict(_network: object, chosen: np.ndarray, _kind: Kind) -> np.ndarray:
        return np.stack([0 * chosen, 0 * chosen, chosen], axis=1).astype(np.float32)

    monkeypatch.setattr(on_device, "scores", later_ones_contradict)
    epochs = Epochs(on_device, seed=1)
    epochs.judge(None)  # type: ignore[arg-type]
    drawn = epochs.draw()
    pool = sorted((int(n) for n in drawn if n < POOL), reverse=True)
    worst = round(len(pool) * WORST)
    assert pool[:worst] == [POOL - 1 - n for n in range(worst)]
    assert len(set(pool)) == len(pool)


def test_of_a_pool_that_is_judged_in_part_the_worst_of_that_part_come_first(
    on_device: RowsOnDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[int] = []

    def noted(_network: object, chosen: np.ndarray, _kind: Kind) -> np.ndarray:
        judged.extend(int(n) for n in chosen)
        return np.stack([0 * chosen, 0 * chosen, chosen], axis=1).astype(np.float32)

    monkeypatch.setattr(on_device, "scores", noted)
    epochs = Epochs(on_device, seed=1)
    epochs.judge(None, PART)  # type: ignore[arg-type]
    assert len(judged) == PART
    pool = [int(n) for n in epochs.draw() if n < POOL]
    worst = round(len(pool) * WORST)
    assert set(pool[:PART]) >= set(sorted(judged)[-worst:])
    assert len(set(pool)) == len(pool)


def test_a_batch_is_of_one_kind_and_has_each_rows_own_tokens(on_device: RowsOnDevice) -> None:
    for kind, chosen in Epochs(on_device, seed=1).batches(BATCH):
        assert set(on_device.rows.kinds[chosen]) == {kind}
        ids, mask, second = on_device.batch(chosen)
        assert ids.tolist() == [[LENGTH * int(n) + place for place in range(LENGTH)] for n in chosen]
        assert mask.bool().all()
        assert second.tolist() == [[0, 1, 1]] * len(chosen)


def test_of_a_compatible_pair_only_that_it_contradicts_is_wrong() -> None:
    logits = torch.tensor([[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]])
    losses = [float(pair_loss(row[None], torch.tensor([Label.COMPATIBLE]))) for row in logits]
    assert losses[0] == pytest.approx(losses[1])
    assert losses[2] > 20 * losses[0]
