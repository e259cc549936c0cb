"""``davit.compile``: reads a model, runs its pipeline, hands the result to IREE, and returns something that runs."""

from __future__ import annotations

import gc
import io
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from davit.dialects import constants, make_context
from davit.dialects.types import Tensor
from davit.errors import CompileError, InvalidModel
from davit.mlir import ir
from davit.pipelines.named import pipeline_for
from davit.pipelines.runner import RunOptions, Trace, op_counts, run_pipeline
from davit.pipelines.source import Source, detect
from davit.pipelines.stage import Pipeline
from davit.pipelines.targets import Target, resolve

if TYPE_CHECKING:
    from davit.runtime import Executable

ENTRY = "main"
"""The function that ``run`` calls."""


@dataclass(frozen=True)
class Port:
    """One input or output of a model: its name and type."""

    name: str
    type: Tensor


@dataclass
class Lowered:
    """A module on its way down.

    Attributes:
        name: what error messages call the model.
        inputs, outputs: the entry's ports; known from the ``nn`` stage on, when the results' shapes are inferred.
        trace: seconds per pass, and op counts per level when they were asked for.
        notes: what was done otherwise than asked, for the executable's ``meta``.
    """

    name: str
    module: ir.Module
    pipeline: Pipeline
    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)
    notes: list[str] = field(default_factory=list)

    def bytecode(self) -> bytes:
        """The module as MLIR bytecode; weights are written once, as bytes."""
        buffer = io.BytesIO()
        self.module.operation.write_bytecode(buffer)
        return buffer.getvalue()


def compile(
    model: Any,
    target: str = "cpu",
    *,
    opt_level: int = 2,
    dims: Mapping[str, int] | None = None,
    device: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    reproducer_dir: str | None = None,
    base_dir: str | os.PathLike[str] | None = None,
    flags: Sequence[str] = (),
    on_stage: Callable[[str, ir.Operation], None] | None = None,
) -> Executable:
    """Compile a model for a target and load it.

    Args:
        model: path, bytes or ``onnx.ModelProto`` of an ONNX model; MLIR text or bytecode (StableHLO, linalg and the
            levels between), a StableHLO portable artifact, or a ``jax.export.Exported``.
        target: ``cpu``, ``vulkan``, ``cuda``, ``hip`` or ``metal``.
        opt_level: 0 to 3; what each changes stands in :mod:`davit.pipelines.targets`.
        dims: sizes for symbolic input dimensions, by name: ``{"batch": 4}``.
        device: where to run, by default the target's (``local-task`` for ``cpu``).
        threads: worker threads of ``local-task``; default: one per physical core.
        timeout: seconds that IREE's compiler may take before it is stopped.
        reproducer_dir: where a failure leaves its reproducer; default: a fresh temporary directory.
        base_dir: where an ONNX model's external data lies, when it is not a file's own folder.
        flags: more flags for IREE's compiler.
        on_stage: called with (level, module) as each level is reached.

    Raises:
        InvalidModel: the model is not what it claims to be.
        Unsupported: it asks for what davit cannot do; every such thing is listed.
        CompileError: a stage failed; the error holds the path of a reproducer.
    """
    from davit.compiler import iree
    from davit.runtime import Executable

    options = resolve(target, opt_level)
    _check_options(dims, timeout, flags)
    with constants.scope():
        options_run = RunOptions(on_stage=on_stage, reproducer_dir=reproducer_dir, verify=False)
        lowered = lower(model, dims=dims, base_dir=base_dir, options=options_run)
        start = time.perf_counter()
        bytecode = lowered.bytecode()
        lowered.module = None  # type: ignore[assignment]  # its weights live on in the bytecode only
        gc.collect()
        vmfb = iree.compile_to_vmfb(
            bytecode,
            [*options.flags, *flags],
            what=lowered.name,
            reproducer_dir=reproducer_dir,
            on_retry=lowered.notes.append,
            **({} if timeout is None else {"timeout": timeout}),
        )
        del bytecode
        lowered.trace.add("iree", "iree-compile", time.perf_counter() - start)
    return Executable.from_parts(
        vmfb,
        runtime_signature(lowered),
        target=options.name,
        meta=_meta(lowered, options),
        device=device,
        threads=threads,
    )


def _check_options(dims: Any, timeout: Any, flags: Any) -> None:
    """Raise a sentence for an option of the wrong kind; what the options mean is checked where they are used."""
    if dims is not None and not isinstance(dims, Mapping):
        raise InvalidModel(f"dims is a {type(dims).__name__}; it must map names to sizes: dims={{'batch': 4}}")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or timeout <= 0):
        raise CompileError(f"timeout is {timeout!r}; it must be a number of seconds above 0")
    if isinstance(flags, str) or not all(isinstance(f, str) for f in flags):
        raise CompileError(f"flags is {flags!r}; it must be a list of strings")


def lower(
    model: Any,
    *,
    dims: Mapping[str, int] | None = None,
    until: str | None = None,
    base_dir: str | os.PathLike[str] | None = None,
    options: RunOptions | None = None,
) -> Lowered:
    """Read a model and lower it to the hand-over, or until a level.

    Args:
        until: ``onnx`` (nothing is lowered), or the name of a stage: ``nn``, ``linalg``, ``hand-over``.
        options: callbacks and checks, see :class:`davit.pipelines.runner.RunOptions`.

    Raises:
        as :func:`compile`; KeyError: the pipeline has no level ``until``.
    """
    options = options or RunOptions()
    source = detect(model)
    context = make_context()
    start = time.perf_counter()
    with context, ir.Location.unknown():
        module, level = read(source, context, dims=dims, base_dir=base_dir)
        pipeline = pipeline_for(level)
        lowered = Lowered(source.name, module, pipeline)
        lowered.trace.add(level, "import", time.perf_counter() - start)
        if options.count_ops:
            lowered.trace.op_counts[level] = op_counts(module.operation)
        if options.on_stage is not None:
            options.on_stage(level, module.operation)
        if level != "onnx" and level != "stablehlo":
            read_ports(lowered)
        if until == level:
            return lowered
        if until is not None:
            pipeline = pipeline.until(until)

        def on_stage(stage: str, op: ir.Operation) -> None:
            if stage == "nn":
                read_ports(lowered)
            if options.on_stage is not None:
                options.on_stage(stage, op)

        run_pipeline(module, pipeline, replace(options, on_stage=on_stage), lowered.trace)
    return lowered


def read(
    source: Source,
    context: ir.Context,
    *,
    dims: Mapping[str, int] | None = None,
    base_dir: str | os.PathLike[str] | None = None,
) -> tuple[ir.Module, str]:
    """Bring a model into the context; returns the module and its level: onnx, stablehlo, nn or linalg."""
    if source.kind == "onnx":
        from davit.compiler.frontends.onnx.read import read_onnx

        return read_onnx(source.model, context, dims=dims, base_dir=base_dir), "onnx"
    from davit.compiler.frontends.mlir import read_mlir

    if dims:
        raise InvalidModel(
            f"{source.name}: dims= fixes the named dimensions of ONNX models; MLIR carries its own types"
        )
    return read_mlir(source.model, source.name, context)


def read_ports(lowered: Lowered) -> None:
    """Read the entry function's names and types.

    Raises:
        InvalidModel: there is no entry function.
    """
    entry = entry_function(lowered.module, lowered.name)
    kind = ir.FunctionType(ir.TypeAttr(entry.attributes["function_type"]).value)
    lowered.inputs = _ports(lowered.name, entry, "arg_attrs", kind.inputs, "input")
    lowered.outputs = _ports(lowered.name, entry, "res_attrs", kind.results, "output")


def entry_function(module: ir.Module, name: str) -> ir.Operation:
    """The function called ``main``, or the only public one.

    Raises:
        InvalidModel: neither is there.
    """
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    by_name = {ir.StringAttr(f.attributes["sym_name"]).value: f for f in functions}
    if ENTRY in by_name:
        return by_name[ENTRY]
    public = [f for f in functions if "sym_visibility" not in f.attributes]
    if len(public) == 1:
        public[0].attributes["sym_name"] = ir.StringAttr.get(ENTRY, module.context)
        return public[0]
    found = ", ".join(f"@{n}" for n in by_name) or "none"
    raise InvalidModel(f"{name}: the module needs a function @main, or a single public one; its functions: {found}")


def _ports(model: str, entry: ir.Operation, attrs: str, types: Sequence[ir.Type], default: str) -> list[Port]:
    names: list[str] = []
    if attrs in entry.attributes:
        for d in ir.ArrayAttr(entry.attributes[attrs]):
            d = ir.DictAttr(d)
            names.append(ir.StringAttr(d["davit.name"]).value if "davit.name" in d else "")
    ports = []
    for i, t in enumerate(types):
        name = (names[i] if i < len(names) else "") or f"{default}{i}"
        if isinstance(t, ir.RankedTensorType):
            ports.append(Port(name, Tensor.of(t)))
        else:
            what = "has no known rank" if isinstance(t, ir.UnrankedTensorType) else f"is a {t}"
            raise CompileError(
                f"{model}: {default} {name!r} {what}; only ranked tensors can enter or leave a compiled program"
            )
    return ports


def runtime_signature(lowered: Lowered) -> Any:
    """The runtime's view of the ports."""
    from davit.runtime import Signature

    def rows(ports: list[Port]) -> list[tuple[str, str, tuple]]:
        return [(p.name, p.type.dtype.numpy.name, p.type.shape) for p in ports]

    return Signature.make(rows(lowered.inputs), rows(lowered.outputs))


def _meta(lowered: Lowered, target: Target) -> dict[str, Any]:
    return {
        "model": os.path.basename(lowered.name),
        "pipeline": lowered.pipeline.name,
        "flags": list(target.flags),
        "notes": lowered.notes,
        "seconds": {f"{stage}/{name}": round(s, 4) for (stage, name), s in lowered.trace.seconds.items()},
    }


__all__ = ["ENTRY", "Lowered", "Port", "compile", "lower", "read"]
