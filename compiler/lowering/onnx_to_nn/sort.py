"""TopK and NonMaxSuppression. (ArgMax and ArgMin are reductions: see ``reduce``.)"""

from __future__ import annotations

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import Node, lowers
from davit.compiler.nn_builder import NnBuilder
from davit.dialects.dims import axis_of


@lowers("topk")
def top_k(op: Node, b: NnBuilder):
    """TopK-24. The order is always sorted, which ``sorted=0`` leaves open."""
    k = b.reshape_to(b.cast_to(op.k, "i64"), (1,))
    return b.top_k(op.x, k, axis=axis_of(op.attr.axis, b.rank(op.x)), largest=bool(op.attr.largest))


@lowers("nonmaxsuppression")
def non_max_suppression(op: Node, b: NnBuilder):
    """NonMaxSuppression-11: without a limit nothing is selected; without a score threshold all boxes compete."""

    def scalar(v, default):
        return b.constant(default) if v is None else b.reshape_to(v, ())

    limit = scalar(op.max_output_boxes_per_class, np.zeros((), np.int64))
    iou = scalar(op.iou_threshold, np.zeros((), np.float32))
    score = scalar(op.score_threshold, np.full((), -np.inf, np.float32))
    return b.nms(op.boxes, op.scores, limit, iou, score, center=bool(op.attr.center_point_box))
