"""Tree ensembles as arrays, from either form ONNX writes them in, and the walk down all trees at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from davit.compiler.lowering.onnx_to_nn.base import LoweringError, Node
from davit.compiler.lowering.onnx_to_nn.loops import Iteration, iterate
from davit.compiler.nn_builder import NnBuilder
from davit.mlir import ir

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
"""In the order in which TreeEnsemble numbers them."""

MEMBER = MODES.index("BRANCH_MEMBER")
EQUAL = MODES.index("BRANCH_EQ")

_STEP_OPS = 6


@dataclass
class Forest:
    """Branches numbered from 0, then leaves.

    Attributes:
        feature, split, mode, missing: of each branch; ``missing`` is whether NaN goes the way of "true".
        yes, no: where each branch leads to.
        roots: the node each tree begins with.
        weights: [leaves, targets]; 0 where a leaf says nothing of a target.
        stated: whether a leaf says something of a target.
        depth: branches on the longest way.
    """

    feature: np.ndarray
    split: np.ndarray
    mode: np.ndarray
    missing: np.ndarray
    yes: np.ndarray
    no: np.ndarray
    roots: np.ndarray
    weights: np.ndarray
    stated: np.ndarray
    depth: int = 0

    def __post_init__(self) -> None:
        self.depth = self._measure()

    @property
    def branches(self) -> int:
        return len(self.feature)

    def _measure(self) -> int:
        """The depth; raises LoweringError when a way leads in a circle or out of the arrays."""
        count, leaves = self.branches, len(self.weights)
        for targets in (self.yes, self.no, self.roots):
            if targets.size and (targets.min() < 0 or targets.max() >= count + leaves):
                raise LoweringError("a node of a tree leads to one that is not there")
        here = np.unique(self.roots)
        depth = 0
        while (here := here[here < count]).size:
            depth += 1
            if depth > count:
                raise LoweringError("the nodes of a tree lead in a circle")
            here = np.unique(np.concatenate((self.yes[here], self.no[here])))
        return depth

    def leaves(self, op: Node, b: NnBuilder, x: ir.Value) -> ir.Value:
        """[N, trees] number of the leaf that each row of ``x`` [N, features] comes to in each tree."""
        width, trees = b.shape(x)[1], len(self.roots)
        if isinstance(width, int) and self.branches and self.feature.max() >= width:
            raise LoweringError(f"looks at feature {self.feature.max()}, but its input has {width} features")
        shape = b.concat(b.take(b.shape_of(x), 0), np.array([trees]), axis=0)
        at = b.broadcast_to(b.constant(self.roots.astype(np.int32)), shape)
        if not self.branches:
            return at
        tables = self._tables(b)

        def step(_: ir.Value, states: Sequence[Any]) -> Iteration:
            return Iteration(None, [self._step(b, x, states[0], tables)], [])

        (at,), _ = iterate(op, b, self.depth, None, [at], step, [], size=_STEP_OPS)
        return b.sub(at, self.branches)

    def _tables(self, b: NnBuilder) -> dict[str, ir.Value]:
        """The arrays with the leaves put to the end, each leading to itself."""
        leaves = len(self.weights)
        stay = np.arange(self.branches, self.branches + leaves)

        def table(values: np.ndarray, tail: Any) -> ir.Value:
            return b.constant(np.concatenate((values, np.full(leaves, tail, values.dtype))))

        return {
            "feature": table(self.feature.astype(np.int32), 0),
            "split": table(self.split, 0),
            "mode": table(self.mode.astype(np.int32), 0),
            "missing": table(self.missing, False),
            "yes": b.constant(np.concatenate((self.yes, stay)).astype(np.int32)),
            "no": b.constant(np.concatenate((self.no, stay)).astype(np.int32)),
        }

    def _step(self, b: NnBuilder, x: ir.Value, at: ir.Value, tables: dict[str, ir.Value]) -> ir.Value:
        """One branch further down."""

        def of(name: str) -> ir.Value:
            return b.gather(tables[name], at, axis=0)

        value = b.gather_elements(x, of("feature"), axis=1)
        present = sorted(set(self.mode.tolist()))
        go = _COMPARE[present[0]](b, value, of("split"))
        for mode in present[1:]:
            go = b.select(b.eq(of("mode"), mode), _COMPARE[mode](b, value, of("split")), go)
        if self.missing.any():
            go = b.or_(go, b.and_(b.is_nan(value), of("missing")))
        return b.select(go, of("yes"), of("no"))


_COMPARE: tuple[Callable[[NnBuilder, ir.Value, ir.Value], ir.Value], ...] = (
    lambda b, x, split: b.le(x, split),
    lambda b, x, split: b.lt(x, split),
    lambda b, x, split: b.ge(x, split),
    lambda b, x, split: b.gt(x, split),
    lambda b, x, split: b.eq(x, split),
    lambda b, x, split: b.ne(x, split),
)


def mode_numbers(names: Sequence[str]) -> np.ndarray:
    """Modes by name as numbers; -1 for a leaf."""
    numbers = {name: number for number, name in enumerate(MODES)} | {"LEAF": -1}
    unknown = sorted(set(names) - numbers.keys())
    if unknown:
        raise LoweringError(f"nodes_modes has {unknown[0]!r}, which is not one of LEAF, {', '.join(MODES)}")
    return np.array([numbers[name] for name in names], np.int64)


def same_length(**lists: Any) -> int:
    """The length of parallel lists; an error that names two that differ."""
    lengths = {name: len(values) for name, values in lists.items()}
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise LoweringError(f"has {lengths[first]} entries of {first}, but {length} of {name}")
    return lengths[first]


def from_nodes(op: Node, kind: str, targets: int, dt: np.dtype) -> Forest:
    """The forest of TreeEnsembleRegressor (``kind="target"``) or -Classifier (``"class"``).

    Nodes are named by tree and number; a tree begins with the first of its nodes.
    """
    attr = op.attr
    modes = mode_numbers(attr.nodes_modes or [])
    values = _numbers(attr, "nodes_values", dt)
    trees, ids = np.array(attr.nodes_treeids or [], np.int64), np.array(attr.nodes_nodeids or [], np.int64)
    features = np.array(attr.nodes_featureids or [], np.int64)
    true, false = (np.array(getattr(attr, f"nodes_{way}nodeids") or [], np.int64) for way in ("true", "false"))
    count = same_length(
        nodes_treeids=trees, nodes_nodeids=ids, nodes_modes=modes, nodes_values=values, nodes_featureids=features,
        nodes_truenodeids=true, nodes_falsenodeids=false,
    )  # fmt: skip
    if not count:
        raise LoweringError("has no nodes")
    missing = np.array(attr.nodes_missing_value_tracks_true or [0] * count, bool)
    same_length(nodes_treeids=trees, nodes_missing_value_tracks_true=missing)
    index = {key: place for place, key in enumerate(zip(trees.tolist(), ids.tolist(), strict=True))}
    if len(index) != count:
        raise LoweringError("two of its nodes have the same tree and number")
    leaf = modes < 0
    number = np.empty(count, np.int64)  # of each node, branches first
    number[~leaf] = np.arange((~leaf).sum())
    number[leaf] = np.arange((~leaf).sum(), count)

    def follow(next_ids: np.ndarray) -> np.ndarray:
        keys = zip(trees[~leaf].tolist(), next_ids[~leaf].tolist(), strict=True)
        places = np.array([index.get(key, -1) for key in keys], np.int64)
        return np.where(places < 0, -1, number[places])

    first: dict[int, int] = {}
    for place, tree in enumerate(trees.tolist()):
        first.setdefault(tree, place)
    weights, stated = _leaf_weights(op, kind, index, number - (~leaf).sum(), int(leaf.sum()), targets, dt)
    return Forest(
        features[~leaf], values[~leaf], modes[~leaf], missing[~leaf], follow(true), follow(false),
        number[np.array(list(first.values()), np.int64)], weights, stated,
    )  # fmt: skip


def _leaf_weights(
    op: Node, kind: str, index: dict[tuple[int, int], int], number: np.ndarray, leaves: int, targets: int, dt: np.dtype
) -> tuple[np.ndarray, np.ndarray]:
    """[leaves, targets] sums of the weights that are listed for each leaf, and which are listed."""
    attr = op.attr
    trees, nodes, ids = (getattr(attr, f"{kind}_{what}") or [] for what in ("treeids", "nodeids", "ids"))
    values = _numbers(attr, f"{kind}_weights", dt)
    same_length(**{f"{kind}_treeids": trees, f"{kind}_nodeids": nodes, f"{kind}_ids": ids, f"{kind}_weights": values})
    weights, stated = np.zeros((leaves, targets), dt), np.zeros((leaves, targets), bool)
    for tree, node, target, value in zip(trees, nodes, ids, values.tolist(), strict=True):
        place = index.get((tree, node))
        if place is None:
            raise LoweringError(f"has a weight for node {node} of tree {tree}, which is not there")
        if not 0 <= target < targets:
            raise LoweringError(f"has a weight for {kind} {target}, but there are {targets}")
        if number[place] >= 0:  # weights of branches are never looked at
            weights[number[place], target] += value
            stated[number[place], target] = True
    return weights, stated


def _numbers(attr: Any, name: str, dt: np.dtype) -> np.ndarray:
    """A list of floats, or the tensor that may stand for it in doubles."""
    tensor = getattr(attr, f"{name}_as_tensor")
    return (
        np.array(getattr(attr, name) or [], np.float32).astype(dt) if tensor is None else tensor.reshape(-1).astype(dt)
    )


def from_branches(op: Node, targets: int) -> Forest:
    """The forest of TreeEnsemble-5: branches and leaves in lists of their own."""
    attr = op.attr
    dt = attr.nodes_splits.dtype
    modes = attr.nodes_modes.reshape(-1).astype(np.int64)
    if modes.size and (modes.min() < 0 or modes.max() >= len(MODES)):
        raise LoweringError(f"nodes_modes holds {modes.min()} to {modes.max()}; modes go from 0 to {len(MODES) - 1}")
    splits = attr.nodes_splits.reshape(-1)
    lists = {
        name: np.array(getattr(attr, name), np.int64)
        for name in (
            "nodes_featureids",
            "nodes_truenodeids",
            "nodes_falsenodeids",
            "nodes_trueleafs",
            "nodes_falseleafs",
        )
    }
    count = same_length(nodes_splits=splits, nodes_modes=modes, **lists)
    missing = np.array(attr.nodes_missing_value_tracks_true or [0] * count, bool)
    same_length(nodes_splits=splits, nodes_missing_value_tracks_true=missing)
    ids, given = attr.leaf_targetids, attr.leaf_weights.reshape(-1)
    leaves = same_length(leaf_targetids=ids, leaf_weights=given)
    weights, stated = np.zeros((leaves, targets), dt), np.zeros((leaves, targets), bool)
    for leaf, (target, value) in enumerate(zip(ids, given.tolist(), strict=True)):
        if not 0 <= target < targets:
            raise LoweringError(f"leaf {leaf} is of target {target}, but there are {targets}")
        weights[leaf, target], stated[leaf, target] = value, True
    arrays = {"feature": lists["nodes_featureids"], "split": splits, "mode": modes, "missing": missing}
    ways = {
        way: (lists[f"nodes_{name}nodeids"], lists[f"nodes_{name}leafs"] != 0)
        for way, name in (("yes", "true"), ("no", "false"))
    }
    roots = np.array(attr.tree_roots, np.int64)
    if roots.size and (roots.min() < 0 or roots.max() >= count):
        raise LoweringError("a root is not among the nodes")
    # A tree that is a leaf is written as a node whose two ways are the same leaf, which needs nothing of its own.
    arrays, ways = _without_members(arrays, ways, attr.membership_values)
    total = len(arrays["feature"])
    yes, no = (np.where(is_leaf, total + target, target) for target, is_leaf in (ways["yes"], ways["no"]))
    return Forest(**arrays, yes=yes, no=no, roots=roots, weights=weights, stated=stated)


def _without_members(
    arrays: dict[str, np.ndarray], ways: dict[str, tuple[np.ndarray, np.ndarray]], members: np.ndarray | None
) -> tuple[dict[str, np.ndarray], dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Each "is one of these" becomes a chain of "is this"; ``members`` holds the sets, each ended by a NaN."""
    places = np.flatnonzero(arrays["mode"] == MEMBER)
    if not places.size:
        return arrays, ways
    values = np.zeros(0) if members is None else members.reshape(-1)
    ends = np.flatnonzero(np.isnan(values))
    if ends.size != places.size:
        raise LoweringError(f"has {places.size} branches by membership, but {ends.size} sets in membership_values")
    lists = {name: array.tolist() for name, array in arrays.items()}
    paths = {way: [part.tolist() for part in parts] for way, parts in ways.items()}
    start = 0
    for place, end in zip(places.tolist(), ends.tolist(), strict=True):
        group = values[start:end].tolist() or [np.nan]  # nothing equals NaN: an empty set leads to "no"
        start = end + 1
        lists["mode"][place], lists["split"][place] = EQUAL, group[0]
        here = place
        for value in group[1:]:
            new = len(lists["mode"])
            for name in lists:
                lists[name].append(lists[name][here])
            lists["split"][new] = value
            for way in paths.values():
                for part in way:
                    part.append(part[here])
            paths["no"][0][here], paths["no"][1][here] = new, False
            here = new
    made = {name: np.array(lists[name], arrays[name].dtype) for name in arrays}
    return made, {way: (np.array(a, np.int64), np.array(f, bool)) for way, (a, f) in paths.items()}
