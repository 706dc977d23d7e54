"""Adds outputs to a shipped network's graph. What is added has names with a prefix, so that it can be replaced."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from onnx import helper


def node(prefix: str, kind: str, inputs: Sequence[str], output: str, **attributes: int) -> onnx.NodeProto:
    """A step of the graph whose name, and that of what it makes, begin with the prefix."""
    return helper.make_node(kind, inputs, [prefix + output], name=prefix + output, **attributes)


def without(model: onnx.ModelProto, prefix: str, output: str) -> onnx.ModelProto:
    """The graph without an output and what an earlier run has added for it, if one has."""
    for part in (model.graph.node, model.graph.initializer):
        for one in [one for one in part if one.name.startswith(prefix)]:
            part.remove(one)
    for one in [one for one in model.graph.output if one.name == output]:
        model.graph.output.remove(one)
    return model
