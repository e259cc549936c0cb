"""The names of values: one name, one value, in all graphs of a model together."""

from __future__ import annotations

from onnx import GraphProto

from davit.compiler.frontends.onnx.structure import graphs, subgraphs


def value_names(main: GraphProto) -> set[str]:
    """Every value name of a graph and those inside it."""
    names: set[str] = set()
    for graph in graphs(main):
        names.update(value.name for value in graph.input)
        names.update(tensor.name for tensor in graph.initializer)
        for node in graph.node:
            names.update(node.output)
    return names


def unique_names(graph: GraphProto) -> None:
    """Renames values of inner graphs until each name stands for one value of the whole model.

    The two branches of an If often use the same names, which is allowed; a table of types by name needs more.
    """
    taken = {value.name for value in graph.input}
    taken.update(tensor.name for tensor in graph.initializer)
    _rename_inside(graph, {}, taken)


def _rename_inside(graph: GraphProto, renamed: dict[str, str], taken: set[str]) -> None:
    """Names what the graph's nodes define; ``renamed`` says what names used here stand for."""
    for node in graph.node:
        for position, name in enumerate(node.input):
            if name in renamed:
                node.input[position] = renamed[name]
        for position, name in enumerate(node.output):
            if name:
                node.output[position] = _claim(name, renamed, taken)
    # Only now the inner graphs: they may not use what comes after them, but must not take its name either.
    for node in graph.node:
        if not node.attribute:
            continue
        for inner in subgraphs(node):
            names = dict(renamed)
            for value in inner.input:
                value.name = _claim(value.name, names, taken)
            for tensor in inner.initializer:
                if tensor.name in (value.name for value in inner.input):
                    continue
                tensor.name = _claim(tensor.name, names, taken)
            _rename_inside(inner, names, taken)
    for value in (*graph.output, *graph.value_info):
        value.name = renamed.get(value.name, value.name)


def _claim(name: str, renamed: dict[str, str], taken: set[str]) -> str:
    """A free name for a value called ``name``, remembered in ``renamed``."""
    renamed.pop(name, None)
    free, count = name, 1
    while free in taken:
        free = f"{name}.{count}"
        count += 1
    taken.add(free)
    if free != name:
        renamed[name] = free
    return free
