"""Looks at every operator of a model before anything is compiled, and tells all that davit cannot do at once."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from onnx import NodeProto

from davit.compiler.frontends.onnx import structure
from davit.compiler.frontends.onnx.load import LoadedModel
from davit.compiler.frontends.onnx.signature import CHECKED, history
from davit.compiler.lowering.onnx_to_nn import support
from davit.errors import Unsupported

_NAMED = 3
_LISTED = 40


@dataclass
class _Finding:
    """An operator that cannot be compiled."""

    domain: str
    op_type: str
    reason: str
    nodes: list[str] = field(default_factory=list)
    count: int = 0

    def __str__(self) -> str:
        label = f"{self.domain}.{self.op_type}" if self.domain else self.op_type
        names = ", ".join(self.nodes)
        more = ", ..." if self.count > len(self.nodes) else ""
        return f"{label} x{self.count} ({names}{more}): {self.reason}"


def preflight(model: LoadedModel) -> None:
    """Raises Unsupported with every operator of the model that davit cannot compile.

    The model is in newest form, its own functions inlined. Each operator is listed once, with how often it occurs,
    its first nodes, and the reason.
    """
    versions = model.opset
    found: dict[tuple[str, str], _Finding] = {}
    for graph in structure.graphs(model.graph):
        for position, node in enumerate(graph.node):
            key = node.domain, node.op_type
            if key not in found:
                reason = why_not(*key, versions.get(node.domain))
                if reason is None:
                    continue
                found[key] = _Finding(*key, reason)
            finding = found[key]
            finding.count += 1
            if len(finding.nodes) < _NAMED:
                finding.nodes.append(_name(node, position))
    if found:
        items = [str(finding) for finding in found.values()]
        shown = "; ".join(items[:_LISTED]) + (f"; and {len(items) - _LISTED} more" if len(items) > _LISTED else "")
        what = "1 operator is" if len(items) == 1 else f"{len(items)} operators are"
        raise Unsupported(f"{model.path}: {what} not supported: {shown}", items)


def why_not(domain: str, op_type: str, version: int | None) -> str | None:
    """Why nodes of this operator cannot be compiled, in words; None when they can."""
    if support.is_supported(domain, op_type):
        return None
    label = domain or "ai.onnx"
    if domain not in CHECKED:
        home = next((d for d, name in history() if name == op_type), None)
        if home is not None:
            other = home or "ai.onnx"
            return f"davit does not know the domain {label!r}; {other!r} has an operator of that name"
        return f"davit does not know the domain {label!r}, and the model holds no function of that name"
    if (domain, op_type) in history():
        return support.reason(domain, op_type) or f"davit has no lowering for it (opset {version})"
    names = [name for d, name in history() if d == domain]
    return f"{label} has no operator of that name{_meant(op_type, names)}"


def _meant(op_type: str, names: list[str]) -> str:
    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(op_type.lower(), list(by_lower), n=1, cutoff=0.7)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else ""


def _name(node: NodeProto, position: int) -> str:
    if node.name:
        return repr(node.name)
    made = next((name for name in node.output if name), None)
    return f"unnamed, makes {made!r}" if made else f"unnamed node {position}"
