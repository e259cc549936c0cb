"""ai.onnx.ml, compiled, against ONNX Runtime: drawn models, one compilation for many nodes.

The e2e tests have ONNX's own cases; here every kernel, mode, aggregate and transform is met, with NaN and with a
number of rows that is not known when compiling.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

import davit
from davit.errors import CompileError

ML = "ai.onnx.ml"
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


class Sheet:
    """A model of many nodes that all read X."""

    def __init__(self, x: np.ndarray, seed: int = 0) -> None:
        self.x, self.rng = x, np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []

    def add(self, op: str, outputs: int = 1, **attrs: Any) -> None:
        number = len(self.nodes)
        names = [f"y{number}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, ["X"], names, name=f"n{number}", domain=ML, **attrs))

    def floats(self, *shape: int) -> list[float]:
        return self.rng.standard_normal(shape).astype(np.float32).reshape(-1).tolist()

    def model(self, dynamic: bool) -> onnx.ModelProto:
        shape = ["N", *self.x.shape[1:]] if dynamic else self.x.shape
        x = helper.make_tensor_value_info("X", helper.np_dtype_to_tensor_dtype(self.x.dtype), shape)
        outputs = [onnx.ValueInfoProto(name=name) for node in self.nodes for name in node.output]
        graph = helper.make_graph(self.nodes, "g", [x], outputs)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid(ML, 3), helper.make_opsetid("", 17)], ir_version=8
        )

    def check(self, dynamic: bool = False) -> None:
        model = self.model(dynamic)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        wanted = session.run(None, {"X": self.x})
        got = davit.compile(model).run({"X": self.x})
        for (name, have), want in zip(got.items(), wanted, strict=True):
            node = self.nodes[int(name[1:].split("_")[0])]
            what = f"{name} of {node.op_type}"
            assert (have.shape, have.dtype) == (want.shape, want.dtype), what
            np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-5, err_msg=what)


def data(rows: int = 9, columns: int = 4, seed: int = 3) -> np.ndarray:
    """Numbers on a coarse grid, so that comparisons meet their own thresholds."""
    return (np.random.default_rng(seed).integers(-4, 5, (rows, columns)) / 2).astype(np.float32)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_features(kind):
    sheet = Sheet((data() * (1 if np.dtype(kind).kind == "f" else 2)).astype(kind))
    for norm in ("MAX", "L1", "L2"):
        sheet.add("Normalizer", norm=norm)
    sheet.add("Scaler", offset=[1.0, 2.0, 3.0, 4.0], scale=[0.5, 1.0, 2.0, -1.0])
    sheet.add("Scaler", offset=[1.0], scale=[0.5])
    sheet.add("OneHotEncoder", cats_int64s=[-1, 0, 2], zeros=1)
    sheet.add("FeatureVectorizer", inputdimensions=[6])
    sheet.add("FeatureVectorizer", inputdimensions=[2])
    if kind == np.float32:
        sheet.add("Binarizer", threshold=0.5)
        sheet.add("Imputer", imputed_value_floats=[9.0], replaced_value_float=-1.0)
        sheet.add("LabelEncoder", keys_floats=[0.5, -1.0, 2.0], values_floats=[7.0, 8.0, 9.0], default_float=-3.5)
    if kind == np.int64:
        sheet.add("Imputer", imputed_value_int64s=[7, 8, 9, 10], replaced_value_int64=2)
        sheet.add("LabelEncoder", keys_int64s=[1, -2, 4], values_floats=[0.5, 0.25, 9.0], default_float=-5.0)
        keys = list(range(-30, 30, 3))
        sheet.add("LabelEncoder", keys_int64s=keys, values_int64s=[k * k for k in keys], default_int64=-5)
        sheet.add("LabelEncoder", keys_int64s=keys[::-1], values_floats=[k / 7 for k in keys], default_float=0.5)
    sheet.check(dynamic=kind == np.float64)


def test_missing_values_are_filled_in():
    x = data()
    x[::2, 1] = np.nan
    sheet = Sheet(x)
    sheet.add("Imputer", imputed_value_floats=[1.0, 2.0, 3.0, 4.0], replaced_value_float=float("nan"))
    sheet.check(dynamic=True)


def test_columns_are_picked():
    x, y = data(), np.int64([[2, 0, 3]])
    node = helper.make_node("ArrayFeatureExtractor", ["X", "Y"], ["Z"], domain=ML)
    for array in (x, x[0]):
        graph = helper.make_graph(
            [node], "g",
            [helper.make_tensor_value_info("X", 1, array.shape), helper.make_tensor_value_info("Y", 7, y.shape)],
            [onnx.ValueInfoProto(name="Z")],
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid(ML, 1)], ir_version=8)
        (got,) = davit.compile(model).run([array, y]).values()
        np.testing.assert_array_equal(got, np.atleast_2d(array)[:, [2, 0, 3]])


def test_linear_models():
    sheet = Sheet(data() / 8)
    for post in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
        sheet.add(
            "LinearClassifier", 2, coefficients=sheet.floats(3, 4), intercepts=[0.1, 0.0, -0.1],
            classlabels_ints=[4, 5, 6], post_transform=post,
        )  # fmt: skip
        sheet.add(
            "LinearClassifier", 2, coefficients=sheet.floats(4), intercepts=[0.1], classlabels_ints=[4, 9],
            post_transform=post,
        )  # fmt: skip
        sheet.add(
            "LinearRegressor", coefficients=sheet.floats(2, 4), intercepts=[1.0, 2.0], targets=2, post_transform=post
        )
    small = [float(c) for c in np.float32(sheet.floats(3, 4)) / 20]
    sheet.add(
        "LinearClassifier", 2, coefficients=small, intercepts=[0.4, 0.5, 0.6], classlabels_ints=[4, 5, 6],
        post_transform="PROBIT",
    )  # fmt: skip
    sheet.add("LinearClassifier", 2, coefficients=sheet.floats(4), intercepts=[0.1])
    sheet.add("LinearRegressor", coefficients=sheet.floats(4))
    sheet.check(dynamic=True)


def draw_forest(
    rng: np.random.Generator, trees: int, depth: int, targets: list[int], share: float = 1.0, positive: bool = False,
    modes: tuple[str, ...] = ("BRANCH_LEQ",), missing: bool = False,
) -> tuple[dict[str, Any], list[tuple[int, int, int, float]]]:  # fmt: skip
    """Node attributes and (tree, node, target, weight) rows."""
    nodes: list[list[Any]] = []
    weights: list[tuple[int, int, int, float]] = []

    def grow(tree: int, left: int, start: int) -> int:
        number = len(nodes) - start
        row = [tree, number, 0, "LEAF", 0.0, 0, 0, 0]
        nodes.append(row)
        if left == 0 or rng.random() < 0.15:
            for target in targets:
                if rng.random() < share:
                    weight = float(np.float32(rng.standard_normal()))
                    weights.append((tree, number, target, abs(weight) if positive else weight))
            return number
        row[2], row[3] = int(rng.integers(4)), str(rng.choice(modes))
        row[4], row[7] = float(rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0])), int(missing and rng.random() < 0.5)
        row[5], row[6] = grow(tree, left - 1, start), grow(tree, left - 1, start)
        return number

    for tree in range(trees):
        grow(tree, depth, len(nodes))
    names = (
        "treeids",
        "nodeids",
        "featureids",
        "modes",
        "values",
        "truenodeids",
        "falsenodeids",
        "missing_value_tracks_true",
    )
    columns = list(zip(*nodes, strict=True))
    return {f"nodes_{name}": list(column) for name, column in zip(names, columns, strict=True)}, weights


def leaves(kind: str, rows: list[tuple[int, int, int, float]]) -> dict[str, Any]:
    names = ("treeids", "nodeids", "ids", "weights")
    return {f"{kind}_{name}": list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def test_tree_regressors():
    x = data(30)
    x[np.random.default_rng(0).random(x.shape) < 0.2] = np.nan
    sheet = Sheet(x)
    for how in ("SUM", "AVERAGE", "MIN", "MAX"):
        nodes, rows = draw_forest(sheet.rng, 5, 4, [0], modes=MODES, missing=True)
        sheet.add(
            "TreeEnsembleRegressor",
            n_targets=1,
            aggregate_function=how,
            base_values=[0.5],
            **nodes,
            **leaves("target", rows),
        )
        nodes, rows = draw_forest(sheet.rng, 3, 3, [0, 1, 2], share=0.5)
        sheet.add("TreeEnsembleRegressor", n_targets=3, aggregate_function=how, **nodes, **leaves("target", rows))
    nodes, rows = draw_forest(sheet.rng, 2, 14, [0])  # deep enough for a loop
    sheet.add("TreeEnsembleRegressor", n_targets=1, **nodes, **leaves("target", rows))
    nodes, rows = draw_forest(sheet.rng, 3, 0, [0, 1])  # nothing but leaves
    sheet.add("TreeEnsembleRegressor", n_targets=2, post_transform="SOFTMAX", **nodes, **leaves("target", rows))
    sheet.check(dynamic=True)


def test_trees_of_doubles():
    sheet = Sheet(data(20).astype(np.float64) + 1e-12)
    nodes, rows = draw_forest(sheet.rng, 5, 4, [0])
    sheet.add("TreeEnsembleRegressor", n_targets=1, **nodes, **leaves("target", rows))
    sheet.check()


@pytest.mark.parametrize("positive", [False, True])
def test_tree_classifiers(positive):
    sheet = Sheet(data(30), seed=int(positive))
    for post in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
        for targets, labels, base in (([0, 1, 2], [4, 5, 6], None), ([0], [4, 5], [-0.5]), ([1], [4, 5], None)):
            nodes, rows = draw_forest(sheet.rng, 4, 3, targets, positive=positive)
            more = {} if base is None else {"base_values": base}
            sheet.add(
                "TreeEnsembleClassifier", 2, classlabels_int64s=labels, post_transform=post, **more, **nodes,
                **leaves("class", rows),
            )  # fmt: skip
    for targets, share in (([0, 1, 2, 3], 0.4), ([0, 1, 2], 1.0)):  # classes that some rows, or all, say nothing of
        nodes, rows = draw_forest(sheet.rng, 3, 3, targets, share, positive)
        sheet.add("TreeEnsembleClassifier", 2, classlabels_int64s=[4, 5, 6, 9], **nodes, **leaves("class", rows))
    nodes, rows = draw_forest(sheet.rng, 3, 3, [0, 1, 2], 0.4, positive)
    sheet.add(
        "TreeEnsembleClassifier", 2, classlabels_int64s=[4, 5, 6], base_values=[0.1, 0.2, 0.3], **nodes,
        **leaves("class", rows),
    )  # fmt: skip
    sheet.check()


def test_two_classes_with_weights_each_are_chosen_by_the_larger():
    """As the text has it; ONNX Runtime gives 1 there whenever the second score is positive, whatever the labels."""
    stump = {
        "nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0] * 3,
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_values": [0.0] * 3, "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0],
    }  # fmt: skip
    rows = [(0, 1, 0, 0.8), (0, 1, 1, 0.2), (0, 2, 0, 0.3), (0, 2, 1, 0.7)]
    sheet = Sheet(np.float32([[-1], [1]]))
    sheet.add("TreeEnsembleClassifier", 2, classlabels_int64s=[5, 7], **stump, **leaves("class", rows))
    got = davit.compile(sheet.model(False)).run([sheet.x])
    assert got["y0_0"].tolist() == [5, 7]
    np.testing.assert_allclose(got["y0_1"], [[0.8, 0.2], [0.3, 0.7]], rtol=1e-6)


def test_support_vector_machines():
    sheet = Sheet(np.random.default_rng(1).standard_normal((7, 3)).astype(np.float32))
    f = sheet.floats
    for kernel in ("LINEAR", "RBF", "POLY", "SIGMOID"):
        more = {"kernel_type": kernel, "kernel_params": [0.4, 0.5, 3.0]}
        sheet.add("SVMRegressor", n_supports=4, support_vectors=f(4, 3), coefficients=f(4), rho=[0.3], **more)
        sheet.add(
            "SVMClassifier", 2, classlabels_ints=[3, 7, 8], vectors_per_class=[2, 3, 2], support_vectors=f(7, 3),
            coefficients=f(7, 2), rho=f(3), **more,
        )  # fmt: skip
    more = {"kernel_type": "RBF", "kernel_params": [0.4, 0.5, 3.0]}
    sheet.add("SVMRegressor", n_supports=4, support_vectors=f(4, 3), coefficients=f(4), rho=[0.1], one_class=1, **more)
    for post in ("NONE", "LOGISTIC", "SOFTMAX"):
        sheet.add(
            "SVMClassifier", 2, classlabels_ints=[3, 7], vectors_per_class=[2, 3], support_vectors=f(5, 3),
            coefficients=f(5), rho=[0.3], post_transform=post, **more,
        )  # fmt: skip
        sheet.add(
            "SVMClassifier", 2, classlabels_ints=[1, 2, 3], coefficients=f(3, 3), rho=[0.3], post_transform=post,
            kernel_type="LINEAR", kernel_params=[0.0, 0.0, 0.0],
        )  # fmt: skip
    for classes in (2, 4):
        pairs = classes * (classes - 1) // 2
        sheet.add(
            "SVMClassifier", 2, classlabels_ints=list(range(classes)), vectors_per_class=[2] * classes,
            support_vectors=f(2 * classes, 3), coefficients=f(2 * classes, classes - 1), rho=f(pairs),
            prob_a=[-abs(v) for v in f(pairs)], prob_b=f(pairs), **more,
        )  # fmt: skip
    sheet.check(dynamic=True)


CIRCLE = {
    "nodes_treeids": [0, 0], "nodes_nodeids": [0, 1], "nodes_featureids": [0, 0], "nodes_modes": ["BRANCH_LEQ"] * 2,
    "nodes_values": [0.0, 0.0], "nodes_truenodeids": [1, 0], "nodes_falsenodeids": [1, 0],
}  # fmt: skip


@pytest.mark.parametrize(
    ("op", "outputs", "attrs", "message"),
    [
        ("TreeEnsembleRegressor", 1, {"n_targets": 1, **CIRCLE}, "lead in a circle"),
        ("TreeEnsembleRegressor", 1, {"n_targets": 1, **CIRCLE, "nodes_truenodeids": [5, 0]}, "not there"),
        ("TreeEnsembleRegressor", 1, {"n_targets": 1, **CIRCLE, "nodes_values": [0.0]}, "1 of nodes_values"),
        ("TreeEnsembleRegressor", 1, {"n_targets": 1, **CIRCLE, "nodes_modes": ["LEAF", "X"]}, "'X', which is not"),
        ("TreeEnsembleRegressor", 1, {"n_targets": 1}, "has no nodes"),
        ("LinearRegressor", 1, {"coefficients": [1.0, 2.0, 3.0], "targets": 2}, "cannot be divided among 2"),
        ("LinearRegressor", 1, {"coefficients": [1.0, 2.0, 3.0]}, "3 features, but its input has 4"),
        ("Normalizer", 1, {"norm": "L3"}, "'L3' is not one of MAX, L1, L2"),
        ("Scaler", 1, {"scale": [1.0, 2.0]}, "2 values of scale for 4 features"),
        ("Imputer", 1, {}, "needs imputed_value_floats"),
        ("OneHotEncoder", 1, {"cats_strings": ["a"]}, "strings"),
        ("SVMRegressor", 1, {"coefficients": [1.0]}, "has no rho"),
        (
            "LinearClassifier", 2,
            {"coefficients": [1.0] * 8, "intercepts": [0.0] * 2, "classlabels_strings": ["a", "b"]},
            "labels are strings",
        ),
    ],
)  # fmt: skip
def test_broken_models_are_told(op, outputs, attrs, message):
    sheet = Sheet(data())
    sheet.add(op, outputs, **attrs)
    with pytest.raises(CompileError, match=rf"node 'n0' \({op}\).*{message}"):
        davit.compile(sheet.model(False))


def as_branches(nodes: dict[str, Any], rows: list[tuple[int, int, int, float]]) -> dict[str, Any]:
    """A drawn forest in the form of TreeEnsemble-5: branches and leaves in lists of their own."""
    keys = list(zip(nodes["nodes_treeids"], nodes["nodes_nodeids"], strict=True))
    is_leaf = [mode == "LEAF" for mode in nodes["nodes_modes"]]
    branches = {key: i for i, key in enumerate(k for k, leaf in zip(keys, is_leaf, strict=True) if not leaf)}
    leaf_numbers = {key: i for i, key in enumerate(k for k, leaf in zip(keys, is_leaf, strict=True) if leaf)}
    weight = {(tree, node): (target, value) for tree, node, target, value in rows}
    picked = [i for i, leaf in enumerate(is_leaf) if not leaf]
    ways: dict[str, list[int]] = {}
    for way in ("true", "false"):
        ends = [(keys[i][0], nodes[f"nodes_{way}nodeids"][i]) for i in picked]
        ways[f"nodes_{way}nodeids"] = [leaf_numbers.get(end, branches.get(end, 0)) for end in ends]
        ways[f"nodes_{way}leafs"] = [int(end in leaf_numbers) for end in ends]
    modes = np.uint8([MODES.index(nodes["nodes_modes"][i]) for i in picked])
    return {
        **ways,
        "nodes_splits": onnx.numpy_helper.from_array(np.float32([nodes["nodes_values"][i] for i in picked])),
        "nodes_modes": onnx.numpy_helper.from_array(modes),
        "nodes_featureids": [nodes["nodes_featureids"][i] for i in picked],
        "nodes_missing_value_tracks_true": [nodes["nodes_missing_value_tracks_true"][i] for i in picked],
        "leaf_targetids": [weight[key][0] for key in leaf_numbers],
        "leaf_weights": onnx.numpy_helper.from_array(np.float32([weight[key][1] for key in leaf_numbers])),
        "tree_roots": [branches[tree, 0] for tree in sorted({tree for tree, _ in keys})],
    }


def test_both_ways_to_write_a_forest_compute_the_same():
    x = data(30)
    x[::5, 1] = np.nan
    sheet = Sheet(x)
    for number, how in enumerate(("AVERAGE", "SUM", "MIN", "MAX")):
        while True:
            nodes, rows = draw_forest(sheet.rng, 4, 4, [0], modes=MODES, missing=True)
            roots = [m for m, i in zip(nodes["nodes_modes"], nodes["nodes_nodeids"], strict=True) if i == 0]
            if "LEAF" not in roots:
                break
        sheet.add("TreeEnsembleRegressor", n_targets=1, aggregate_function=how, **nodes, **leaves("target", rows))
        sheet.add("TreeEnsemble", n_targets=1, aggregate_function=number, **as_branches(nodes, rows))
    model = sheet.model(False)
    model.opset_import[0].version = 5
    got = davit.compile(model).run({"X": x})
    for number in range(0, len(sheet.nodes), 2):
        np.testing.assert_allclose(got[f"y{number + 1}_0"], got[f"y{number}_0"], rtol=1e-6)
