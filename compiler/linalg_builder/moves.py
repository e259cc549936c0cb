"""Elements in other places: transposes, reshapes, slices, padding."""

from __future__ import annotations

from collections.abc import Sequence

from davit.compiler.linalg_builder.array import Array, Size, one
from davit.compiler.linalg_builder.core import Core
from davit.compiler.linalg_builder.scalar import Scalar
from davit.dialects.types import Dim, Tensor
from davit.mlir import ir, linalg, tensor


class Moves(Core):
    """Transposes, reshapes, slices and padding."""

    def transpose(self, x: Array, perm: Sequence[int]) -> Array:
        if list(perm) == list(range(x.rank)):
            return x
        dims = self.dims(x)
        out = self.empty(x.dtype, [dims[p] for p in perm])
        value = one(linalg.transpose(x.value, outs=[out.value], permutation=list(perm)))
        return Array(value, Tensor(x.dtype, tuple(x.shape[p] for p in perm)))

    def expand_dims(self, x: Array, axes: Sequence[int]) -> Array:
        """Insert dimensions of size 1 at ``axes`` of the result."""
        rank = x.rank + len(axes)
        keep = [i for i in range(rank) if i not in axes]
        shape: list[Dim] = [1] * rank
        sizes: list[Size] = [1] * rank
        for j, i in enumerate(keep):
            shape[i] = x.shape[j]
            sizes[i] = self.dim(x, j)
        return self._regroup(x, shape, sizes)

    def squeeze(self, x: Array, axes: Sequence[int]) -> Array:
        """Drop dimensions of size 1."""
        keep = [i for i in range(x.rank) if i not in axes]
        return self._regroup(x, [x.shape[i] for i in keep], [self.dim(x, i) for i in keep])

    def reshape(self, x: Array, sizes: Sequence[Size], shape: Sequence[Dim] | None = None) -> Array:
        """Row-major reshape; the element counts must agree."""
        sizes = [self.known_size(s) for s in sizes]
        names = list(shape) if shape is not None else [s if isinstance(s, int) else None for s in sizes]
        names = [s if isinstance(s, int) else n for s, n in zip(sizes, names, strict=True)]
        return self._regroup(x, names, sizes)

    def _regroup(self, x: Array, shape: Sequence[Dim], sizes: Sequence[Size]) -> Array:
        shape = list(shape)
        out_t = Tensor(x.dtype, tuple(shape))
        if list(x.shape) == shape and None not in shape:
            return x
        if x.t.is_static and out_t.is_static and 0 in (*x.shape, *shape):
            return self.empty(x.dtype, list(sizes))
        groups = reassociation(list(x.shape), shape)
        if groups is None and x.t.is_static and out_t.is_static:
            flat = self._regroup(x, [x.t.size], [x.t.size])
            return self._regroup(flat, shape, sizes)
        if groups is None:
            return self._through_flat(x, out_t, sizes)
        collapse, expand = groups
        value = x.value
        mid = x.t
        if collapse is not None:
            from davit.dialects.dims import product

            mid = Tensor(x.dtype, tuple(product([x.shape[i] for i in g]) for g in collapse))
            value = tensor.CollapseShapeOp(mid.storage(), value, collapse).result
        if expand is not None:
            static = [s if isinstance(s, int) else ir.ShapedType.get_dynamic_size() for s in sizes]
            dyn = [s.value for s in sizes if isinstance(s, Scalar)]
            value = tensor.ExpandShapeOp(out_t.storage(), value, expand, dyn, static).result
        return Array(value, out_t)

    def _through_flat(self, x: Array, out_t: Tensor, sizes: Sequence[Size]) -> Array:
        """Collapse to one dimension of run-time length, then expand to whatever the sizes say."""
        value, line = x.value, Tensor(x.dtype, (None,))
        if x.rank > 1:
            whole = Tensor(x.dtype, (x.t.size if x.t.is_static else None,))
            value = tensor.CollapseShapeOp(whole.storage(), value, [list(range(x.rank))]).result
            line = whole
        target = Tensor(x.dtype, (out_t.size if out_t.is_static else None,))
        if x.rank == 0:  # one element: its sizes are all 1 at run time
            value = tensor.ExpandShapeOp(Tensor(x.dtype, (1,)).storage(), value, [], [], [1]).result
        if line.shape != target.shape or x.rank <= 1:
            value = self.fit(Array(value, line), target).value
        if out_t.rank == 0:
            value = tensor.CollapseShapeOp(out_t.storage(), value, []).result
        elif out_t.rank > 1:
            dyn = ir.ShapedType.get_dynamic_size()
            static = [s if isinstance(s, int) else dyn for s in sizes]
            moving = [s.value for s in sizes if isinstance(s, Scalar)]
            value = tensor.ExpandShapeOp(out_t.storage(), value, [list(range(out_t.rank))], moving, static).result
        return Array(value, out_t)

    def slice(
        self, x: Array, offsets: Sequence[Size], sizes: Sequence[Size], strides: Sequence[int] | None = None
    ) -> Array:
        """A box of ``x`` with positive static strides; the box must be inside."""
        strides = [1] * x.rank if strides is None else strides
        dyn = ir.ShapedType.get_dynamic_size()
        offsets, sizes = [[self.known_size(s) for s in seq] for seq in (offsets, sizes)]
        static = [[s if isinstance(s, int) else dyn for s in seq] for seq in (offsets, sizes)]
        values = [[s.value for s in seq if isinstance(s, Scalar)] for seq in (offsets, sizes)]
        t, _ = self._shape_type(x.dtype, sizes)
        op = tensor.ExtractSliceOp(t, x.value, values[0], values[1], [], static[0], static[1], list(strides))
        return Array(op.result, self._as_tensor(x.dtype, sizes))

    def insert_slice(self, part: Array, into: Array, offsets: Sequence[Size]) -> Array:
        """``into`` with a box replaced by ``part`` (same rank)."""
        dyn = ir.ShapedType.get_dynamic_size()
        sizes = self.dims(part)
        offsets = [self.known_size(s) for s in offsets]
        static = [[s if isinstance(s, int) else dyn for s in seq] for seq in (offsets, sizes)]
        values = [[s.value for s in seq if isinstance(s, Scalar)] for seq in (offsets, sizes)]
        op = tensor.InsertSliceOp(
            part.value, into.value, values[0], values[1], [], static[0], static[1], [1] * into.rank
        )
        return Array(op.result, into.t)

    def pad(self, x: Array, low: Sequence[Size], high: Sequence[Size], value: Scalar) -> Array:
        """Pad with a constant; amounts must not be negative."""
        low, high = [[self.known_size(s) for s in seq] for seq in (low, high)]
        if all(s == 0 for s in (*low, *high)):
            return x
        dyn = ir.ShapedType.get_dynamic_size()
        sizes: list[Size] = []
        for d, lo, hi in zip(self.dims(x), low, high, strict=True):
            total: Size = d
            for p in (lo, hi):
                total = total + p if isinstance(total, Scalar) or isinstance(p, int) else p + total
            sizes.append(total)
        t, _ = self._shape_type(x.dtype, sizes)
        static = [[s if isinstance(s, int) else dyn for s in seq] for seq in (low, high)]
        values = [[s.value for s in seq if isinstance(s, Scalar)] for seq in (low, high)]
        op = tensor.PadOp(t, x.value, values[0], values[1], static[0], static[1])
        block = op.regions[0].blocks.append(*[ir.IndexType.get()] * x.rank)
        with ir.InsertionPoint(block):
            tensor.YieldOp(value.value)
        return Array(op.result, self._as_tensor(x.dtype, sizes))


def reassociation(src: list[Dim], dst: list[Dim]) -> tuple[list[list[int]] | None, list[list[int]] | None] | None:
    """Groups that turn ``src`` into ``dst`` by one collapse and/or one expand, or None when there are none.

    Sizes must be numbers or names; a group matches when the products of its two sides are equal. At most one
    dimension of an expanding group may be dynamic.
    """
    if None in src or None in dst:
        return None
    i = j = 0
    left: list[list[int]] = []
    right: list[list[int]] = []
    while i < len(src) or j < len(dst):
        gi: list[int] = []
        gj: list[int] = []
        pi: tuple[int, list[str]] = (1, [])
        pj: tuple[int, list[str]] = (1, [])

        def take(p: tuple[int, list[str]], d: Dim) -> tuple[int, list[str]]:
            return (p[0] * d, p[1]) if isinstance(d, int) else (p[0], sorted([*p[1], str(d)]))

        if i < len(src):
            pi = take(pi, src[i])
            gi.append(i)
            i += 1
        if j < len(dst):
            pj = take(pj, dst[j])
            gj.append(j)
            j += 1
        while pi != pj:
            # Take from the side that is behind: fewer names, or a smaller number.
            behind_left = (len(pi[1]), pi[0]) < (len(pj[1]), pj[0]) if len(pi[1]) != len(pj[1]) else pi[0] < pj[0]
            if behind_left and i < len(src):
                pi = take(pi, src[i])
                gi.append(i)
                i += 1
            elif not behind_left and j < len(dst):
                pj = take(pj, dst[j])
                gj.append(j)
                j += 1
            else:
                return None
        left.append(gi)
        right.append(gj)
    # Trailing ones join the last group; a side without any dimension is a rank-0 tensor.
    merged_left: list[list[int]] = []
    merged_right: list[list[int]] = []
    for gi, gj in zip(left, right, strict=True):
        if merged_left and (not gi or not gj):
            merged_left[-1] += gi
            merged_right[-1] += gj
        else:
            merged_left.append(gi)
            merged_right.append(gj)
    if merged_left and (not merged_left[0] or not merged_right[0]):
        if len(merged_left) > 1:
            merged_left[1] = merged_left[0] + merged_left[1]
            merged_right[1] = merged_right[0] + merged_right[1]
            merged_left, merged_right = merged_left[1:], merged_right[1:]
        else:  # one side is rank 0
            return ([], None) if not dst else (None, []) if not src else None
    need_collapse = any(len(g) > 1 for g in merged_left)
    need_expand = any(len(g) > 1 for g in merged_right)
    if (
        need_collapse
        and need_expand
        and any(
            len(a) > 1 and len(b) > 1 and sum(isinstance(dst[k], str) for k in b) > 1
            for a, b in zip(merged_left, merged_right, strict=True)
        )
    ):
        return None
    return (merged_left if need_collapse else None, merged_right if need_expand else None)
