"""What an epoch is made of: shares of the supplies, and of the pools what the network is most wrong about."""

from __future__ import annotations

import random

from memory_bank.judgement.statement import Statement
from training.corpus import Label, Pair
from training.supplies import WORST, Epochs


def pair(name: str, supply: str) -> Pair:
    return Pair(Statement(name), Statement("other"), Label.COMPATIBLE, "kind", "en", supply, name)


POOL = [pair(f"{number:03}", "descriptions") for number in range(200)]
LABELLED = [pair(f"l{number}", "dossiers") for number in range(10)]


def test_an_epoch_has_the_share_of_each_supply_that_is_asked_for() -> None:
    drawn = Epochs([*POOL, *LABELLED], {"descriptions": 0.1, "dossiers": 2.5}, seed=1).draw()
    assert sum(one.supply == "descriptions" for one in drawn) == 20
    assert sum(one.supply == "dossiers" for one in drawn) == 25


def test_of_a_pool_what_is_most_surely_misjudged_comes_first_and_the_rest_by_chance() -> None:
    epochs = Epochs(random.Random(2).sample(POOL, len(POOL)), {"descriptions": 0.1}, seed=1)
    epochs.judge(lambda some: [int(one.group) / 1000 for one in some], most=len(POOL))
    drawn = sorted((one.group for one in epochs.draw()), reverse=True)
    worst = round(0.1 * len(POOL) * WORST)
    assert drawn[:worst] == [f"{number:03}" for number in range(199, 199 - worst, -1)]
    assert len(set(drawn)) == 20


def test_only_so_many_of_a_pool_are_judged() -> None:
    seen: list[int] = []
    Epochs(POOL, {}, seed=1).judge(lambda some: seen.append(len(some)) or [0.0] * len(some), most=30)
    assert seen == [30]
