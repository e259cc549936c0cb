"""Random bits: Philox as a function of the element's index, the Mersenne Twister as one sequential dispatch."""

from __future__ import annotations

from davit.compiler.linalg_builder.builder import Array, LinalgBuilder, Size
from davit.compiler.linalg_builder.scalar import INDEX, Scalar, const, index
from davit.compiler.lowering.nn_to_linalg.base import lowers
from davit.dialects.nn import View
from davit.dialects.nn.random import PHILOX_MULTIPLIERS, PHILOX_ROUNDS, PHILOX_WEYL
from davit.dialects.types import DTYPES, Tensor

UI32 = DTYPES["ui32"]
UI64 = DTYPES["ui64"]
LOW = 0xFFFFFFFF

STATE = 624
MIDDLE = 397


@lowers("random_bits")
def random_bits(op: View, b: LinalgBuilder) -> Array:
    known = op.result.shape
    asked = b.index_list(op.shape)
    sizes: list[Size] = [d if isinstance(d, int) else s for d, s in zip(known, asked, strict=True)]
    if op.attr.generator == "twister":
        return _twister(b, sizes, op.result, op.attr.seed)

    def element(*at: Scalar) -> Scalar:
        return philox(_position(at, sizes), op.attr.seed, op.attr.stream)

    return b.tabulate(UI64, sizes, element)


def _position(at: tuple[Scalar, ...], sizes: list[Size]) -> Scalar:
    """The row-major position of an element, as ui64."""
    place = const(0, INDEX)
    for i, n in zip(at, sizes, strict=True):
        place = place * index(n) + i
    return place.to(UI64)


def philox(counter: Scalar, seed: int, stream: int) -> Scalar:
    """The first 64 bits of a Philox4x32-10 block. All words are ui64 below 2^32."""
    half = lambda v: v.shr(32)  # noqa: E731
    c = [counter & LOW, half(counter), counter.like(stream & LOW), counter.like(0)]
    key = [seed & LOW, (seed >> 32) & LOW]
    for _ in range(PHILOX_ROUNDS):
        p0, p1 = c[0] * PHILOX_MULTIPLIERS[0], c[2] * PHILOX_MULTIPLIERS[1]
        c = [half(p1) ^ c[1] ^ key[0], p1 & LOW, half(p0) ^ c[3] ^ key[1], p0 & LOW]
        key = [(k + w) & LOW for k, w in zip(key, PHILOX_WEYL, strict=True)]
    return c[0].shl(32) | c[1]


def _twister(b: LinalgBuilder, sizes: list[Size], result: Tensor, seed: int) -> Array:
    """MT19937, one word at a time in place; two words make an element."""
    total = b.size_product(sizes)
    start: list[Array] = [b.empty(UI32, [STATE]), b.empty(UI64, [total])]

    def body(state: Array, out: Array) -> list[Array]:
        def fill(i: Scalar, state: Array, last: Scalar) -> list[Array | Scalar]:
            value = (last ^ last.shr(30)) * 1812433253 + i.to(UI32)
            return [b.insert(state, value, [i]), value]

        first = const(seed, UI32)
        state, _ = b.loop(1, STATE, [b.insert(state, first, [0]), first], fill)

        def word(state: Array, at: Scalar) -> tuple[Array, Scalar]:
            wrap = lambda p: (p >= STATE).select(p - STATE, p)  # noqa: E731
            near, far = b.extract(state, [wrap(at + 1)]), b.extract(state, [wrap(at + MIDDLE)])
            mixed = (b.extract(state, [at]) & 0x80000000) | (near & 0x7FFFFFFF)
            value = far ^ mixed.shr(1) ^ (mixed & 1).eq(0).select(mixed.like(0), 0x9908B0DF)
            state = b.insert(state, value, [at])
            value = value ^ value.shr(11)
            value = value ^ (value.shl(7) & 0x9D2C5680)
            value = value ^ (value.shl(15) & 0xEFC60000)
            return state, value ^ value.shr(18)

        def draw(i: Scalar, state: Array, out: Array, at: Scalar) -> list[Array | Scalar]:
            state, high = word(state, at)
            state, low = word(state, at + 1)  # the state's length is even: at + 1 is inside
            at = (at + 2).eq(STATE).select(at.like(0), at + 2)
            return [state, b.insert(out, high.to(UI64).shl(32) | low.to(UI64), [i]), at]

        state, out, _ = b.loop(0, total, [state, out, const(0, INDEX)], draw)
        return [state, out]

    flat = b.sequential(start, body)[1]
    flat = Array(flat.value, Tensor(UI64, (b.known_size(total) if isinstance(b.known_size(total), int) else None,)))
    return b.reshape(flat, sizes, result.shape)
