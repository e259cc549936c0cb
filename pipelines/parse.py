"""MLIR's pipeline syntax over davit's passes, named pipelines, and everything that the bindings carry.

``builtin.module(onnx-to-nn,canonicalize,func.func(cse),fold-constants{growth=4},nn-to-linalg)``: davit's passes are
taken from their registry, a named pipeline stands for its stages' passes, ``iree-...`` passes run in IREE's compiler,
and the rest is MLIR's own business.
Grammar: https://mlir.llvm.org/docs/PassManagement/#textual-pass-pipeline-specification
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, fields
from typing import Any, get_args

from davit.compiler.iree import Phase
from davit.compiler.passes import PASSES, Pass, Step
from davit.dialects import make_context
from davit.errors import Error
from davit.mlir import ir, passmanager
from davit.pipelines import named

_NAME = re.compile(r"[A-Za-z_][\w.-]*")

UPSTREAM: tuple[str, ...] = (
    "canonicalize", "cse", "inline", "symbol-dce", "sccp", "loop-invariant-code-motion", "strip-debuginfo",
    "print-op-stats", "print-ir", "topological-sort", "remove-dead-values", "control-flow-sink",
    "snapshot-op-locations", "linalg-generalize-named-ops", "linalg-specialize-generic-ops",
    "linalg-fold-unit-extent-dims", "linalg-fuse-elementwise-ops", "linalg-inline-scalar-operands",
    "linalg-block-pack-matmul", "convert-elementwise-to-linalg", "convert-tensor-to-linalg", "one-shot-bufferize",
    "empty-tensor-to-alloc-tensor", "eliminate-empty-tensors", "convert-linalg-to-loops",
    "convert-linalg-to-affine-loops", "convert-linalg-to-parallel-loops", "lower-affine", "convert-scf-to-cf",
    "lift-cf-to-scf", "scf-for-to-while", "scf-for-loop-canonicalization", "scf-for-loop-peeling", "arith-expand",
    "int-range-optimizations", "math-uplift-to-fma", "fold-tensor-subset-ops", "resolve-shaped-type-result-dims",
    "resolve-ranked-shaped-type-result-dims", "convert-math-to-libm", "reconcile-unrealized-casts",
    "stablehlo-legalize-to-linalg", "stablehlo-legalize-to-vhlo", "vhlo-legalize-to-stablehlo", "vhlo-to-version",
    "chlo-legalize-to-stablehlo", "shape-legalize-to-stablehlo", "stablehlo-canonicalize-dynamism",
    "stablehlo-refine-shapes", "stablehlo-refine-arguments", "stablehlo-convert-to-signless",
    "stablehlo-complex-math-expander", "stablehlo-legalize-composite-to-call", "stablehlo-legalize-deprecated-ops",
    "stablehlo-legalize-qdq-to-quantized-op", "stablehlo-legalize-quantized-op-to-qdq",
    "stablehlo-legalize-quant-to-math", "stablehlo-compatibility-expander", "stablehlo-check-shape-assertions",
    "duplicate-function-elimination",
)  # fmt: skip
"""Upstream and StableHLO passes that are of use here, for listings and for "did you mean". MLIR knows more, and the
parser takes those too: the bindings have no list of them."""


IREE = "iree-"
"""Passes whose names begin so are IREE's; they run in IREE's compiler."""

IREE_TO = "iree-to-"
"""``iree-to-flow`` and so on: IREE's whole pipeline up to a phase."""

IREE_PHASES = get_args(Phase)


@dataclass(frozen=True)
class IreePasses:
    """The end of a pipeline that IREE's compiler runs: passes as text, or everything up to a phase."""

    passes: str
    phase: Phase | None

    def __str__(self) -> str:
        return self.passes if self.phase is None else f"{IREE_TO}{self.phase}"


class PipelineError(Error):
    """A pipeline text that cannot be read: the message points at the place."""


@dataclass(frozen=True)
class _Item:
    """One element of a pipeline text."""

    name: str
    options: str
    inner: tuple[_Item, ...] | None
    at: int

    def text(self) -> str:
        options = f"{{{self.options}}}" if self.options else ""
        inner = "" if self.inner is None else f"({','.join(i.text() for i in self.inner)})"
        return self.name + options + inner


def parse_pipeline(text: str) -> tuple[Step | IreePasses, ...]:
    """The steps of a pipeline text: passes of davit's, upstream passes as text, and last of all those of IREE.

    Raises:
        PipelineError: a syntax error, an unknown pass or option; the message shows where.
    """
    reader = _Reader(text)
    items = reader.items()
    reader.end()
    if len(items) == 1 and items[0].name in ("builtin.module", "any") and items[0].inner is not None:
        items = items[0].inner
    steps: list[Step | IreePasses] = []
    for i, item in enumerate(items):
        if item.name.startswith(IREE):
            steps.append(_iree(text, items[i:]))
            break
        if item.inner is None and (item.name in PASSES or item.name in named.PIPELINES):
            steps += _ours(text, item)
        else:
            _refuse_ours_inside(text, item)
            _check_upstream(text, item)
            steps.append(item.text())
    return tuple(steps)


def _iree(text: str, items: tuple[_Item, ...]) -> IreePasses:
    """From the first of IREE's passes on, all are IREE's to run."""
    for item in items:
        if item.name in PASSES or item.name in named.PIPELINES:
            raise _error(text, item.at, f"{item.name} cannot follow IREE's passes: their dialects are IREE's own")
    phases = [i for i in items if i.name.startswith(IREE_TO)]
    if not phases:
        return IreePasses(",".join(i.text() for i in items), None)
    phase = phases[0].name.removeprefix(IREE_TO)
    if phase not in IREE_PHASES:
        known = [IREE_TO + p for p in IREE_PHASES]
        raise _error(text, phases[0].at, f"IREE has no phase {phase!r}{_hint(phases[0].name, known)}")
    if len(items) > 1:
        raise _error(text, items[1].at, f"{phases[0].name} stands alone: it is IREE's whole pipeline up to there")
    return IreePasses("", phase)


def _ours(text: str, item: _Item) -> list[Step]:
    if item.name in PASSES:
        return [make_pass(item.name, item.options, text, item.at)]
    if item.options:
        raise _error(text, item.at, f"the pipeline {item.name} takes no options")
    return [p for stage in named.PIPELINES[item.name].stages for p in stage.passes]


def _refuse_ours_inside(text: str, item: _Item) -> None:
    for inner in item.inner or ():
        if inner.name in PASSES or inner.name in named.PIPELINES:
            raise _error(text, inner.at, f"{inner.name} runs on the whole module, not inside {item.name}(...)")
        _refuse_ours_inside(text, inner)


def make_pass(name: str, options: str, text: str = "", at: int = 0) -> Pass:
    """An instance of a pass from its options, ``key=value`` separated by blanks.

    Raises:
        PipelineError: an option is unknown or its value does not read.
    """
    cls = PASSES[name]
    known = {f.name.replace("_", "-"): f for f in fields(cls)}
    values: dict[str, Any] = {}
    for part in options.split():
        key, _, value = part.partition("=")
        if key not in known:
            listed = ", ".join(known) or "none"
            raise _error(text or name, at, f"{name} has no option {key!r}{_hint(key, known)} (its options: {listed})")
        values[known[key].name] = _value(name, key, value, known[key].default, text or name, at)
    return cls(**values)


def _value(name: str, key: str, value: str, default: Any, text: str, at: int) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "1": True, "": True, "false": False, "0": False}[value.lower()]
        return type(default)(value)
    except (KeyError, ValueError):
        kind = type(default).__name__
        raise _error(text, at, f"option {key} of {name} takes a value of type {kind}, not {value!r}") from None


def _check_upstream(text: str, item: _Item) -> None:
    """Let MLIR parse the item, so that a mistake is told with its place."""
    context = make_context()
    try:
        passmanager.PassManager.parse(f"builtin.module({item.text()})", context)
    except ValueError as e:
        culprit = _culprit(item, context)
        if culprit is None:
            raise _error(text, item.at, _first_line(e)) from None
        candidates = (*PASSES, *named.PIPELINES, *UPSTREAM)
        hint = _hint(culprit.name, candidates)
        raise _error(text, culprit.at, f"there is no pass {culprit.name!r}{hint}") from None


def _culprit(item: _Item, context: ir.Context) -> _Item | None:
    if item.inner is not None:
        return next((c for i in item.inner if (c := _culprit(i, context)) is not None), None)
    for anchor in ("builtin.module", "func.func"):
        try:
            passmanager.PassManager.parse(f"{anchor}({item.text()})", context)
            return None
        except ValueError as e:
            if "does not refer to a registered pass" not in str(e):
                return None
    return item


def _first_line(e: Exception) -> str:
    lines = [line.strip() for line in str(e).splitlines() if "error:" in line]
    return lines[0].partition("error:")[2].strip() if lines else str(e).strip().splitlines()[-1]


def _hint(name: str, candidates: Any) -> str:
    near = difflib.get_close_matches(name, list(candidates), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _error(text: str, at: int, message: str) -> PipelineError:
    return PipelineError(f"{message}\n  {text}\n  {' ' * at}^")


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def items(self) -> tuple[_Item, ...]:
        found = [self.item()]
        while self.take(","):
            found.append(self.item())
        return tuple(found)

    def item(self) -> _Item:
        self.blanks()
        at = self.at
        match = _NAME.match(self.text, at)
        if match is None:
            raise _error(self.text, at, "a pass name is expected here")
        self.at = match.end()
        options, inner = "", None
        if self.take("{"):
            options = self.braces()
        elif self.take("("):
            inner = self.items()
            if not self.take(")"):
                raise _error(self.text, self.at, f"',' or the ')' of {match[0]}( is expected here")
        return _Item(match[0], options, inner, at)

    def braces(self) -> str:
        start, depth = self.at, 1
        while self.at < len(self.text):
            c = self.text[self.at]
            depth += (c == "{") - (c == "}")
            self.at += 1
            if depth == 0:
                return self.text[start : self.at - 1].strip()
        raise _error(self.text, start - 1, "this brace is not closed")

    def take(self, c: str) -> bool:
        self.blanks()
        if self.text[self.at : self.at + 1] == c:
            self.at += 1
            return True
        return False

    def blanks(self) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1

    def end(self) -> None:
        self.blanks()
        if self.at != len(self.text):
            raise _error(self.text, self.at, "this is left over")


__all__ = ["IREE_PHASES", "IREE_TO", "UPSTREAM", "IreePasses", "PipelineError", "make_pass", "parse_pipeline"]
