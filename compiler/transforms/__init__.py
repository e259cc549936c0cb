"""Passes, one file each; importing this package registers them all."""

from davit.compiler.transforms import (
    branch_host_loops,
    fold_constants,
    nn_to_linalg,
    onnx_to_nn,
    sequential_to_dispatch,
)

MODULES = (branch_host_loops, fold_constants, nn_to_linalg, onnx_to_nn, sequential_to_dispatch)
