"""Writes a small model for the lit tests: ``python make_model.py FILE.onnx``."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

w = numpy_helper.from_array(np.arange(6, dtype=np.float32).reshape(3, 2), "w")
b = numpy_helper.from_array(np.ones(2, np.float32), "b")
graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["x", "w", "b"], ["g"], "head/Gemm"),
        helper.make_node("Relu", ["g"], ["y"], "head/Relu"),
    ],
    "small",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 2])],
    [w, b],
)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), sys.argv[1])
