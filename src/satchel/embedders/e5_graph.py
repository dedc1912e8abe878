"""The encoder of e5 as an ONNX graph in 8-bit integers, made from its 4-bit weights. It must not know texts or files.

In: `tokens`, the sums of word, position and type vectors (texts, tokens, width); `present`, 1 where there is a token; `shares`, what each
token counts for in the mean. Out: `means` (texts, width), not brought to length 1.

Activations are quantized token by token (their greatest number is 127), so that a token's result does not depend on its neighbours in the
batch; ONNX Runtime's own dynamic quantization has one scale for all, and a text's vector then depends on what it is embedded with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from satchel.embedders.e5_weights import Weights

OPSET, IR_VERSION = 18, 9
_CONTRIBUTED = "com.microsoft"
_MIDDLE = 128
"""What stands for zero in an unsigned byte."""


class _Graph:
    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: NDArray[Any] | np.generic) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def places(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def add(self, operator: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Any) -> str:
        output = name or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], domain=domain, **attributes))
        return output


class _Encoder:
    def __init__(self, weights: Weights, largest: int) -> None:
        self._weights = weights
        self._largest = largest
        self._graph = _Graph()

    def build(self) -> bytes:
        graph, shape = self._graph, self._weights.shape
        flat, given = graph.places(-1, shape.width), graph.add("Shape", "tokens")
        texts = graph.add("Slice", given, graph.places(0), graph.places(2))
        triple = graph.add("Concat", texts, graph.places(3 * shape.width), axis=0)
        scale, bias = (graph.constant(self._weights.numbers(f"emb.ln.{part}")) for part in "wb")
        start = graph.add("LayerNormalization", "tokens", scale, bias, axis=-1, epsilon=self._weights.epsilon)
        state = graph.add("Reshape", start, flat)
        for layer in range(shape.layers):
            state = self._layer(f"l{layer}.", state, flat, triple)
        whole = graph.add("Reshape", state, given)
        mean = graph.add("MatMul", graph.add("Unsqueeze", "shares", graph.places(1)), whole)
        graph.add("Squeeze", mean, graph.places(1), name="means")
        return self._written()

    def _layer(self, name: str, state: str, flat: str, triple: str) -> str:
        graph, shape = self._graph, self._weights.shape
        product, bias = self._linear(state, [f"{name}{part}" for part in "qkv"], shape.width)
        product = graph.add("Reshape", product, triple)
        parts = [
            graph.add("Slice", product, graph.places(place * shape.width), graph.places((place + 1) * shape.width), graph.places(2))
            for place in range(3)
        ]
        seen = graph.add("MultiHeadAttention", *parts, bias, "present", domain=_CONTRIBUTED, num_heads=shape.heads)
        product, bias = self._linear(graph.add("Reshape", seen, flat), [f"{name}ao"], shape.width)
        state = self._normalized(f"{name}aln", state, product, bias)
        product, bias = self._linear(state, [f"{name}fi"], shape.width)
        inner = graph.add("BiasGelu", product, bias, domain=_CONTRIBUTED)
        product, bias = self._linear(inner, [f"{name}fo"], shape.inner)
        return self._normalized(f"{name}oln", state, product, bias)

    def _linear(self, state: str, names: list[str], columns: int) -> tuple[str, str]:
        """Return the product with these matrices beside each other, and their bias, which is added by what comes next."""
        graph, weights = self._graph, self._weights
        matrix = np.concatenate([weights.matrix(f"{name}.w", columns) for name in names])
        scales = np.abs(matrix).max(axis=1) / self._largest
        whole = np.round(matrix / scales[:, None]).astype(np.int8)
        quantized, step = self._quantized(state)
        product = graph.add(
            "MatMulIntegerToFloat",
            quantized,
            graph.constant(np.ascontiguousarray(whole.T)),
            graph.constant(np.float32(1)),
            graph.constant(scales.astype(np.float32)),
            graph.constant(np.uint8(_MIDDLE)),
            domain=_CONTRIBUTED,
        )
        scaled = graph.add("Mul", product, graph.add("Unsqueeze", step, graph.places(1)))
        return scaled, graph.constant(np.concatenate([weights.numbers(f"{name}.b") for name in names]))

    def _quantized(self, state: str) -> tuple[str, str]:
        graph = self._graph
        greatest = graph.add("ReduceMax", graph.add("Abs", state), graph.places(-1), keepdims=0)
        step = graph.add("Max", graph.add("Mul", greatest, graph.constant(np.float32(1 / 127))), graph.constant(np.float32(1e-12)))
        middle = graph.add("ConstantOfShape", graph.add("Shape", step), value=numpy_helper.from_array(np.array([_MIDDLE], np.uint8)))
        return graph.add("QuantizeLinear", state, step, middle, axis=0), step

    def _normalized(self, name: str, state: str, change: str, bias: str) -> str:
        scale, shift = (self._graph.constant(self._weights.numbers(f"{name}.{part}")) for part in "wb")
        epsilon = self._weights.epsilon
        return self._graph.add("SkipLayerNormalization", state, change, scale, shift, bias, domain=_CONTRIBUTED, epsilon=epsilon)

    def _written(self) -> bytes:
        width = self._weights.shape.width
        inputs = [
            helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["texts", "length", width]),
            helper.make_tensor_value_info("present", TensorProto.INT32, ["texts", "length"]),
            helper.make_tensor_value_info("shares", TensorProto.FLOAT, ["texts", "length"]),
        ]
        output = helper.make_tensor_value_info("means", TensorProto.FLOAT, ["texts", width])
        graph = helper.make_graph(self._graph.nodes, "e5", inputs, [output], self._graph.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_CONTRIBUTED, 1)]
        model: onnx.ModelProto = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        return bytes(model.SerializeToString())


def encoder(weights: Weights, *, largest: int) -> bytes:
    """Return the graph as the bytes of a model; `largest` is the greatest weight, 127 or, where processors saturate, 63."""
    return _Encoder(weights, largest).build()
