"""Ifs of which only one branch fits the rest of the model."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

from davit.compiler.frontends.onnx import prepare, structure

MODEL = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[N,4,T] x, bool flag) => (float[N,M] y)
<int64 two = {2}, int64[1] last = {-1}, int64 one = {1}, float[4,5] w>
{
  s = Shape (x)
  t = Gather (s, two)
  is_one = Equal (t, one)
  [squeeze] z = If (is_one) <
    then_branch = a () => (r) { r = Squeeze (x, last) },
    else_branch = b () => (r) { r = Identity (x) }>
  TAIL
}
"""

WEIGHTS = "{" + ", ".join(["0.5"] * 20) + "}"


def ifs(tail: str) -> list[str]:
    text = MODEL.replace("TAIL", tail).replace("float[4,5] w", f"float[4,5] w = {WEIGHTS}")
    prepared = prepare(parser.parse_model(text), check_support=False)
    return [n.name for g in structure.graphs(prepared.graph) for n in g.node if n.op_type == "If"]


@pytest.mark.parametrize(
    ("tail", "left"),
    [
        ("y = Gemm (z, w)", []),  # Gemm takes matrices only
        ("y = Relu (z)", []),  # the output is stated to have two dimensions
        ("[here] y = If (flag) <then_branch = c () => (q) { q = Gemm (z, w) },"
         " else_branch = d () => (q) { k = Flatten (z)  q = MatMul (k, w) }>", ["squeeze", "here"]),
        ("k = Flatten (z)  y = Relu (k)", ["squeeze"]),  # both fit
    ],
    ids=["a node", "an output", "a node that may not run", "neither"],
)  # fmt: skip
def test_the_branch_that_contradicts_the_rest_is_ruled_out(tail, left):
    assert ifs(tail) == left


def test_what_is_left_computes_the_same():
    text = MODEL.replace("TAIL", "y = Gemm (z, w)").replace("float[4,5] w", f"float[4,5] w = {WEIGHTS}")
    proto = parser.parse_model(text)
    prepared = prepare(proto, check_support=False)
    assert str(prepared.value_types["y"]) == "float[N, 5]"
    x = np.random.default_rng(0).standard_normal((3, 4, 1)).astype(np.float32)
    feeds = {"x": x, "flag": np.array(True)}
    np.testing.assert_allclose(
        ReferenceEvaluator(prepared.proto).run(None, feeds)[0], ReferenceEvaluator(proto).run(None, feeds)[0], rtol=1e-6
    )
