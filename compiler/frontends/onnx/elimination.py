"""Settles each If of which one branch cannot be meant, because with it the model contradicts itself.

PyTorch writes ``x.squeeze(-1)`` of a dimension it does not know as an If: squeezed when the dimension is 1, else as it
is. The branches differ in rank, so that nothing after it has a known rank, and no compiled program can hold its
result. But often one of them makes a node further on invalid (an LSTM of four dimensions) or contradicts the stated
rank of an output. For inputs that would take that branch the model has no result at all: the other one is meant.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto

from davit.compiler.frontends.onnx import folding, inference, structure
from davit.compiler.frontends.onnx.load import LoadedModel

_MAX_TRIALS = 32
"""Each trial folds and infers the model anew."""

_Path = tuple[str, ...]
"""Where a graph lies: the first outputs of the nodes around it, outermost first, each with the attribute's name."""


def rule_out(model: LoadedModel) -> None:
    """Replaces, in place, Ifs whose branches differ in rank and of which only one fits the rest of the model."""
    trials = 0
    progress = True
    while progress:
        progress = False
        for node, path in _candidates(model):
            if trials >= _MAX_TRIALS:
                return
            trials += 1
            condition = node.input[0]
            failing = [value for value in (True, False) if _fails(model, condition, value, path)]
            if len(failing) == 1:
                folding.fold(model, {condition: np.array(not failing[0])})
                progress = True
                break


def _candidates(model: LoadedModel) -> list[tuple[NodeProto, _Path]]:
    """The Ifs whose branches make values of different known ranks."""
    ifs = [
        (node, path)
        for graph, path in _graphs(model.graph)
        for node in graph.node
        if node.op_type == "If" and not node.domain
    ]
    if not ifs:
        return []
    known = inference.infer_types(model)

    def ranks(graph: GraphProto) -> list[int | None]:
        types = (known.get(value.name) for value in graph.output)
        return [None if t is None or t.kind != "tensor" else t.rank for t in types]

    found = []
    for node, path in ifs:
        branches = [ranks(graph) for graph in structure.subgraphs(node)]
        if len(branches) == 2 and any(
            a is not None and b is not None and a != b for a, b in zip(*branches, strict=False)
        ):
            found.append((node, path))
    return found


def _fails(model: LoadedModel, condition: str, value: bool, path: _Path) -> bool:
    """True when the model contradicts itself with the condition so, in a node that runs whenever the If does."""
    copy = ModelProto()
    copy.CopyFrom(model.proto)
    trial = replace(model, proto=copy, value_types={})
    trial.changed()
    folding.fold(trial, {condition: np.array(value)})
    problem = inference.contradiction(trial)
    if problem is None:
        return False
    _, node = problem
    if node is None:
        return True  # what the model states of its outputs
    where = next((p for graph, p in _graphs(trial.graph) if any(n is node for n in graph.node)), None)
    if where is None:
        where = next((p for graph, p in _graphs(trial.graph) if any(n == node for n in graph.node)), None)
    return where is not None and path[: len(where)] == where


def _graphs(main: GraphProto) -> list[tuple[GraphProto, _Path]]:
    """The graph and those inside it, with where they lie."""
    found: list[tuple[GraphProto, _Path]] = []
    stack: list[tuple[GraphProto, _Path]] = [(main, ())]
    while stack:
        graph, path = stack.pop()
        found.append((graph, path))
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    stack.append((attribute.g, (*path, f"{node.output[0]}:{attribute.name}")))
    return found
