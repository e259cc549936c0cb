"""Arrays go into elements attributes and come back the same, whatever their type and size."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from davit.dialects import constants, make_context
from davit.mlir import ir

TYPES = (
    np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64,
    ml_dtypes.bfloat16, ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2, ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn,
)  # fmt: skip


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: np.dtype(kind).name)
def test_round_trip(kind):
    """MLIR prints up to 100 elements one by one, more as one number; above 256 bytes they are a resource."""
    rng = np.random.default_rng(0)
    with make_context(), ir.Location.unknown(), constants.scope():
        for shape in ((), (1,), (5,), (10, 10), (101,), (3, 43), (150,), (256,), (257,), (600,), (0, 3)):
            array = rng.integers(0, 2, shape).astype(np.float32).astype(kind)
            back = constants.decode(constants.encode(array))
            assert back is not None and back.dtype == array.dtype and back.shape == array.shape, shape
            np.testing.assert_array_equal(back.astype(np.float32), array.astype(np.float32), err_msg=str(shape))
