"""The pipelines, declared. Variants are tuples of their own; nothing here branches."""

from __future__ import annotations

from davit.compiler.transforms.branch_host_loops import BranchHostLoops
from davit.compiler.transforms.fold_constants import FoldConstants
from davit.compiler.transforms.nn_to_linalg import NnToLinalg
from davit.compiler.transforms.onnx_to_nn import OnnxToNn
from davit.compiler.transforms.sequential_to_dispatch import SequentialToDispatch
from davit.errors import Unsupported
from davit.pipelines.stage import Pipeline, Stage

LINALG_LEVEL = {"linalg", "tensor", "arith", "math", "scf", "cf", "func", "complex"}

TO_NN = Stage(
    "nn",
    (OnnxToNn(), FoldConstants(), "canonicalize", "cse"),
    leaves={"nn", "func", "scf", "cf", "arith", "tensor"},
    why="one small algebra for every frontend; what is constant is evaluated on the way (arith and tensor: the host "
    "scalars that loops and conditions need)",
)
TO_LINALG = Stage(
    "linalg",
    (NnToLinalg(), "canonicalize", "cse"),
    leaves=LINALG_LEVEL | {"kernel"},
    why="loops over tensors in upstream dialects, storage element types",
)
HAND_OVER = Stage(
    "hand-over",
    (BranchHostLoops(), SequentialToDispatch()),
    leaves=LINALG_LEVEL | {"flow", "util"},
    why="what IREE's compiler reads",
)

ONNX_TO_LINALG = Pipeline(
    "onnx-to-linalg", "the whole way of an ONNX model to the hand-over", TO_NN, TO_LINALG, HAND_OVER
)
NN_TO_LINALG = Pipeline("nn-to-linalg", "from nn to the hand-over", TO_LINALG, HAND_OVER)

LINALG_TO_HAND_OVER = Pipeline("linalg-to-hand-over", "a program that comes in as linalg", HAND_OVER)

PIPELINES: dict[str, Pipeline] = {p.name: p for p in (ONNX_TO_LINALG, NN_TO_LINALG, LINALG_TO_HAND_OVER)}

_FROM: dict[str, Pipeline] = {"onnx": ONNX_TO_LINALG, "nn": NN_TO_LINALG, "linalg": LINALG_TO_HAND_OVER}


def pipeline_for(level: str) -> Pipeline:
    """The pipeline that takes a module of a level to the hand-over.

    Raises:
        Unsupported: no pipeline begins there.
    """
    if level not in _FROM:
        raise Unsupported(
            f"no pipeline begins at the level {level!r} yet: such a module can be read and run through passes "
            f"(davit-opt), but not compiled. Pipelines begin at {', '.join(_FROM)}",
            [level],
        )
    return _FROM[level]
