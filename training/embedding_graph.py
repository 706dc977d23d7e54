"""Writes the graph of all-MiniLM-L6-v2 for onnxruntime, without its weights: `python -m training.embedding_graph FILE`.

The weights come with a package and are put in their places when the model is loaded
(`memory_bank/search/encoders/minilm.py`), by the names they have there; the steps are onnxruntime's own for models of
this family.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

LAYERS, HEADS, HIDDEN, INNER, WORDS, LONGEST = 6, 12, 384, 1536, 30522, 512
EPSILON = 1e-12
_FUSED = "com.microsoft"


def graph() -> onnx.ModelProto:
    """Of (ids, mask), each texts × tokens, the mean of the last layer's tokens: texts × 384."""
    weights: list[TensorProto] = []
    nodes: list[onnx.NodeProto] = []

    def weight(name: str, *shape: int) -> str:
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights")
        weights.append(tensor)
        return name

    def node(kind: str, inputs: list[str], output: str, domain: str = "", **attributes: float) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def norm(name: str) -> list[str]:
        return [weight(f"{name}.LayerNorm.weight", HIDDEN), weight(f"{name}.LayerNorm.bias", HIDDEN)]

    tables = [("word", WORDS), ("position", LONGEST), ("token_type", 2)]
    embeddings = [weight(f"embeddings.{name}_embeddings.weight", size, HIDDEN) for name, size in tables]
    nodes.append(helper.make_node(
        "EmbedLayerNormalization", ["ids", "types", *embeddings, *norm("embeddings")], ["x0", "lengths"],
        domain=_FUSED, epsilon=EPSILON,
    ))  # fmt: skip
    for n in range(LAYERS):
        layer = f"encoder.layer.{n}"
        own = weight(f"{layer}.attention.self.weight", HIDDEN, 3 * HIDDEN)
        bias = weight(f"{layer}.attention.self.bias", 3 * HIDDEN)
        heads = node("Attention", [f"x{n}", own, bias, "mask"], f"heads{n}", _FUSED, num_heads=HEADS)
        out = node("MatMul", [heads, weight(f"{layer}.attention.output.dense.weight", HIDDEN, HIDDEN)], f"attended{n}")
        bias = weight(f"{layer}.attention.output.dense.bias", HIDDEN)
        here = node("SkipLayerNormalization", [out, f"x{n}", *norm(f"{layer}.attention.output"), bias], f"y{n}", _FUSED,
                    epsilon=EPSILON)  # fmt: skip
        wide = node("MatMul", [here, weight(f"{layer}.intermediate.dense.weight", HIDDEN, INNER)], f"wide{n}")
        wide = node("BiasGelu", [wide, weight(f"{layer}.intermediate.dense.bias", INNER)], f"gelu{n}", _FUSED)
        out = node("MatMul", [wide, weight(f"{layer}.output.dense.weight", INNER, HIDDEN)], f"narrow{n}")
        bias = weight(f"{layer}.output.dense.bias", HIDDEN)
        node("SkipLayerNormalization", [out, here, *norm(f"{layer}.output"), bias], f"x{n + 1}", _FUSED,
             epsilon=EPSILON)  # fmt: skip
    node("Cast", ["mask"], "counted", to=TensorProto.FLOAT)
    node("Unsqueeze", ["counted", "one"], "row")  # texts × 1 × tokens
    node("MatMul", ["row", f"x{LAYERS}"], "sum")
    node("Squeeze", ["sum", "one"], "vectors")
    weights.append(helper.make_tensor("one", TensorProto.INT64, [1], [1]))
    axes = ["texts", "tokens"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, axes) for name in ("ids", "types", "mask")]
    output = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", HIDDEN])
    made = helper.make_graph(nodes, "all-MiniLM-L6-v2", inputs, [output], weights)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=9)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(graph().SerializeToString())
