"""Trains what kind of task a question is, on the states of the trained network, which stays as it is.

`python -m training.kinds` adds to the tasks, on which the network was trained, all other questions of the corpus, and
writes the layer into the shipped `small.onnx`. Of most questions only some kinds are excluded: one that a passage
answers is no summary and no essay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from sklearn.model_selection import GroupKFold

from memory_bank.bank.task_kind import KINDS, TaskKind
from training.corpus import HERE, lines
from training.question_states import BEGINNING, FILE, KIND, MEAN, Layer, states_of, with_mean
from training.questions import tasks
from training.supplies import is_held_out

OUTPUT, STATES, WEIGHTS, BIAS = "kind", f"{KIND}states", f"{KIND}weights", f"{KIND}bias"
OVERVIEWS = frozenset({TaskKind.SUMMARY, TaskKind.COMPARISON, TaskKind.CHANGES, TaskKind.DATES})
QUESTIONS = frozenset(KINDS) - OVERVIEWS - {TaskKind.BEYOND}
"""The kinds of what passages answer."""
OPEN = frozenset({TaskKind.FACT, TaskKind.LIST, TaskKind.HOW, TaskKind.WHY})
"""The kinds of a question that no figure, date or name need answer."""
POSSIBLE = {
    "who": {TaskKind.WHO},
    "how many": {TaskKind.COUNT},
    "how_many": {TaskKind.COUNT},
    "how much": {TaskKind.COUNT},
    "when": {TaskKind.WHEN},
    "why": {TaskKind.WHY},
    "how": {TaskKind.HOW},
    "how to": {TaskKind.HOW},
    "list": {TaskKind.LIST},
    "where": {TaskKind.FACT},
    "yes/no": {TaskKind.FACT},
    "two things": {TaskKind.SEVERAL},
    "summary": {TaskKind.SUMMARY},
    "none": QUESTIONS,
    "unanswerable": QUESTIONS,
    "conflict": QUESTIONS,
    "comparison": QUESTIONS | {TaskKind.COMPARISON},
    "two_documents": QUESTIONS | {TaskKind.COMPARISON},
}
"""The kinds of task that a kind of the corpus's questions may be; one that is not here is one of `OPEN`."""
IN_PLACE = frozenset({TaskKind.SUMMARY, TaskKind.HOW})
"""What a person may be offered in place of a task beyond the engine: of an essay a summary, of advice the way."""
OFFERED = 0.1
"""How much it counts which of these; with more, questions with "should" and "do I have to" are taken for them."""
COUNTS = {"tasks": 1.0, "real documents": 0.06, "invented documents": 0.018}
"""How much a task and a question on either kind of documents count: with more for these, fewer tasks for a comparison
or an essay are told from questions."""
PENALTY = 1e-3
"""How strongly large weights are held back."""
FOLDS = 5


class Labelled(NamedTuple):
    """A question or task, the kinds that it may be, its group, and which of `COUNTS` it is of."""

    text: str
    kinds: frozenset[TaskKind]
    group: str
    supply: str


def main() -> None:
    """Say what is told of what a layer was not trained on, and write the layer trained on everything."""
    given = list(labelled())
    model = with_mean(onnx.load(str(FILE)))
    states = states_of([one.text for one in given], model, BEGINNING, MEAN)
    told: dict[int, TaskKind] = {}
    for trained, rest in GroupKFold(FOLDS).split(states, groups=[one.group for one in given]):
        weights, bias = fit(states[trained], [given[n] for n in trained])
        told |= {int(n): KINDS[kind] for n, kind in zip(rest, (states[rest] @ weights + bias).argmax(1), strict=True)}
    for supply in COUNTS:
        # the network itself was trained on the other tasks
        own = [
            n
            for n, one in enumerate(given)
            if one.supply == supply and (supply != "tasks" or is_held_out(one.group, supply))
        ]
        excluded = Counter(told[n] for n in own if told[n] not in given[n].kinds)
        overviews, beyond = sum(excluded[kind] for kind in OVERVIEWS), excluded[TaskKind.BEYOND]
        print(supply, len(own), {"possible": len(own) - excluded.total(), "overview": overviews, "beyond": beyond})
    onnx.save(with_layer(model, fit(states, given)), str(FILE))


def labelled() -> Iterator[Labelled]:
    """Every task and question of the corpus."""
    for task in tasks():
        yield Labelled(task.text, frozenset({task.kind}), task.group, "tasks")
    for one in lines(HERE / "document_questions.jsonl"):
        yield Labelled(one["q"], _possible(one["kind"]), one["set"], "real documents")
    for path in sorted([*HERE.glob("questions-*.jsonl"), *HERE.glob("dossiers-*.jsonl")]):
        for number, item in enumerate(lines(path)):
            for one in item.get("questions", ()):
                yield Labelled(one["q"], _possible(one["kind"]), f"{path.stem}.{number}", "invented documents")


def _possible(kind: str) -> frozenset[TaskKind]:
    return frozenset(POSSIBLE.get(kind, OPEN))


def fit(states: NDArray[np.float32], given: list[Labelled]) -> Layer:
    """The layer that makes the possible kinds of each question likeliest together.

    Of a task beyond the engine also those of `IN_PLACE` among the others.
    """
    mean, deviation = states.mean(0), states.std(0) + 1e-3
    inputs = torch.from_numpy((states - mean) / deviation)
    possible = torch.tensor([[kind in one.kinds for kind in KINDS] for one in given])
    shares = torch.tensor([COUNTS[one.supply] for one in given])
    layer = torch.nn.Linear(states.shape[1], len(KINDS))
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    optimiser = torch.optim.LBFGS(layer.parameters(), max_iter=150, line_search_fn="strong_wolfe")

    is_beyond = possible[:, KINDS.index(TaskKind.BEYOND)]
    others = torch.tensor([kind is not TaskKind.BEYOND for kind in KINDS])
    in_place = torch.tensor([kind in IN_PLACE for kind in KINDS])

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        logits = layer(inputs)
        chances = torch.log_softmax(logits, 1).masked_fill(~possible, -torch.inf).logsumexp(1)
        offered = logits[is_beyond][:, in_place].logsumexp(1) - logits[is_beyond][:, others].logsumexp(1)
        gained = (shares * chances).sum() + OFFERED * (shares[is_beyond] * offered).sum()
        lost = PENALTY * (layer.weight**2).sum() / 2 - gained / shares.sum()
        lost.backward()
        return lost

    optimiser.step(loss)
    weights = layer.weight.detach().numpy().T / deviation[:, None]
    return weights.astype(np.float32), (layer.bias.detach().numpy() - mean @ weights).astype(np.float32)


def with_layer(model: onnx.ModelProto, layer: Layer) -> onnx.ModelProto:
    """The graph with the layer in place of what made this output."""
    graph = model.graph
    for node in [node for node in graph.node if OUTPUT in node.output]:
        graph.node.remove(node)
    _drop_unused(graph)
    for name, value in zip((WEIGHTS, BIAS), layer, strict=True):
        graph.initializer.append(numpy_helper.from_array(value, name))
    graph.node.append(helper.make_node("Concat", [BEGINNING, MEAN], [STATES], name=STATES, axis=1))
    graph.node.append(helper.make_node("Gemm", [STATES, WEIGHTS, BIAS], [OUTPUT], name=OUTPUT))
    return model


def _drop_unused(graph: onnx.GraphProto) -> None:
    """Remove the nodes and weights that no output needs any more; what the layer reads stays."""
    wanted = {BEGINNING, MEAN} | {output.name for output in graph.output}
    for node in reversed(list(graph.node)):
        if wanted.isdisjoint(node.output):
            graph.node.remove(node)
        else:
            wanted.update(node.input)
    for one in [one for one in graph.initializer if one.name not in wanted]:
        graph.initializer.remove(one)


if __name__ == "__main__":
    main()
