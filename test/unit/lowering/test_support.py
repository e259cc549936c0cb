"""Each operator of ONNX stands in exactly one place: lowered, expanded, or refused with a reason."""

from __future__ import annotations

from davit.compiler.lowering.onnx_to_nn import support
from davit.dialects.onnx.schema import schemas


def test_every_operator_stands_somewhere_and_only_there():
    wrong = {}
    for schema in schemas().values():
        key = schema.domain, schema.op_type
        places = [
            place
            for place, holds in (
                ("lowered", support.is_lowered(*key)),
                ("expanded", key in support.EXPANDED),
                ("refused", key in support.REFUSED),
            )
            if holds
        ]
        # A deprecated operator is lifted to the one that took its place, unless it is lowered as it is.
        if len(places) != 1 and not (schema.deprecated and not places):
            wrong[key] = places
    assert not wrong


def test_the_tables_hold_operators_only():
    known = {(schema.domain, schema.op_type) for schema in schemas().values()}
    assert known.issuperset(support.EXPANDED)
    assert known.issuperset(support.REFUSED)
    assert all(len(reason.split()) > 3 for reason in support.REFUSED.values())
