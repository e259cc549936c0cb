"""Random bits, from which all random operators are composed."""

from __future__ import annotations

import numpy as np

from davit.dialects.dims import InferError
from davit.dialects.nn.base import define
from davit.dialects.types import Tensor, dtype

PHILOX_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
PHILOX_WEYL = (0x9E3779B9, 0xBB67AE85)
PHILOX_ROUNDS = 10


@define(
    "random_bits",
    "shape",
    {"generator": ("philox", "twister"), "seed": int, "stream": int},
    foldable=False,
)
class RandomBits:
    """64 random bits (ui64) for each element of a tensor of the given ``shape`` (1-D i64).

    A program draws the same bits in every run. ``philox`` is Philox4x32-10 (Salmon et al., SC 2011): element i is the
    first two words of the block with counter (i, stream) under the key ``seed``, so all elements are independent
    of each other. ``twister`` is the 32-bit Mersenne Twister as numpy's RandomState seeds it, two words an element in
    row-major order, one after the other; it has no streams.
    """

    @staticmethod
    def infer(shape: Tensor, *, generator: str, seed: int, stream: int = 0) -> Tensor:
        if shape.rank != 1 or not isinstance(shape.shape[0], int):
            raise InferError(f"the shape must be a 1-D tensor of static length, got {shape}")
        if generator == "twister" and not 0 <= seed < 2**32:
            raise InferError(f"the twister takes seeds of 32 bits, got {seed}")
        return Tensor(dtype("ui64"), shape.value if shape.value is not None else (None,) * shape.shape[0])

    @staticmethod
    def reference(shape: np.ndarray, *, generator: str, seed: int, stream: int) -> np.ndarray:
        n = int(np.prod(shape))
        if generator == "twister":
            bits = np.random.MT19937()
            bits._legacy_seeding(seed)
            words = bits.random_raw(2 * n).astype(np.uint64)
            return ((words[0::2] << np.uint64(32)) | words[1::2]).reshape(shape)
        index = np.arange(n, dtype=np.uint64)
        low = np.uint64(0xFFFFFFFF)
        c = [index & low, index >> np.uint64(32), np.full(n, stream & 0xFFFFFFFF, np.uint64), np.zeros(n, np.uint64)]
        key = [seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF]
        for _ in range(PHILOX_ROUNDS):
            p0, p1 = c[0] * np.uint64(PHILOX_MULTIPLIERS[0]), c[2] * np.uint64(PHILOX_MULTIPLIERS[1])
            c = [
                (p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), p1 & low,
                (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), p0 & low,
            ]  # fmt: skip
            key = [(k + w) & 0xFFFFFFFF for k, w in zip(key, PHILOX_WEYL, strict=True)]
        return ((c[0] << np.uint64(32)) | c[1]).reshape(shape)
