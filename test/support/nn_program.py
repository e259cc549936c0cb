"""Many small nn functions, compiled as one module, each compared with the numpy references of its ops.

A program is filled with :meth:`NnProgram.add`, compiled on the first :meth:`NnProgram.run`, and then called with
arrays: compiling one module with a hundred functions takes a fraction of a hundred modules.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from typing import Any

import numpy as np
from iree import runtime as rt
from iree.compiler import api

from davit.compiler.nn_builder import NnBuilder
from davit.dialects.definition import is_pack, operands_of, results_of
from davit.dialects.kernel import KERNEL
from davit.dialects.nn import NN, OPS
from davit.dialects.nn.base import read_attrs
from davit.dialects.types import Tensor, dtype
from davit.mlir import func, ir
from davit.pipelines.named import NN_TO_LINALG
from davit.pipelines.runner import run_pipeline

FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O2",
    "--iree-opt-strip-assertions=false",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
)


class NnProgram:
    """A module of nn functions."""

    def __init__(self) -> None:
        self.context = ir.Context()
        self.context.allow_unregistered_dialects = True
        NN.load(self.context)
        KERNEL.load(self.context)
        with self.context, ir.Location.unknown():
            self.module = ir.Module.create()
        self.results: dict[str, list[Tensor]] = {}

    def add(self, name: str, inputs: list[Tensor], body: Callable[..., Any]) -> str:
        """Define a function; ``body(b, *values)`` returns a value or a tuple."""
        with self.context, ir.Location.unknown(), ir.InsertionPoint(self.module.body):
            types = [t.mlir() for t in inputs]
            f = func.FuncOp(name, (types, []))
            block = f.add_entry_block()
            with ir.InsertionPoint(block):
                b = NnBuilder()
                out = body(b, *block.arguments)
                values = list(out) if isinstance(out, (tuple, list)) else [out]
                func.ReturnOp(values)
            f.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, [v.type for v in values]))
            self.results[name] = [Tensor.of(v) for v in values]
        return name

    @functools.cached_property
    def _loaded(self) -> Any:
        with self.context, ir.Location.unknown():
            self.module.operation.verify()
            self._kept = self.module.operation.clone()  # the references run on what was there before lowering
            run_pipeline(self.module, NN_TO_LINALG)
            buffer = io.BytesIO()
            self.module.operation.write_bytecode(buffer)
        session = api.Session()
        session.set_flags(*FLAGS)
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        source = api.Source.wrap_buffer(session, buffer.getvalue())
        assert invocation.parse_source(source) and invocation.execute(), "IREE refused the module, see stderr"
        output = api.Output.open_membuffer()
        invocation.output_vm_bytecode(output)
        context = rt.SystemContext(config=rt.Config("local-sync"))
        context.add_vm_module(rt.VmModule.copy_buffer(context.instance, bytes(output.map_memory())))
        return context.modules.module

    def run(self, name: str, *arrays: np.ndarray) -> list[np.ndarray]:
        """Call the compiled function."""
        out = self._loaded[name](*(_to_device(a) for a in arrays))
        outs = out if isinstance(out, (tuple, list)) else [out]
        return [_from_device(o.to_host().copy(), t) for o, t in zip(outs, self.results[name], strict=True)]

    def reference(self, name: str, *arrays: np.ndarray) -> list[np.ndarray]:
        """Evaluate the function by the numpy references of its ops."""
        _ = self._loaded
        functions = {
            ir.StringAttr(f.attributes["sym_name"]).value: f for f in self._kept.regions[0].blocks[0].operations
        }
        block = functions[name].regions[0].blocks[0]
        env: dict[ir.Value, np.ndarray] = dict(zip(block.arguments, arrays, strict=True))
        with self.context:
            for op in block.operations:
                if is_pack(op):
                    continue
                if op.operation.name == "func.return":
                    return [env[v] for v in op.operands]
                definition = OPS[op.operation.name.removeprefix("nn.")]
                attrs = read_attrs(definition, op)
                outs = definition.evaluate([env[v] for v in operands_of(op)], attrs)
                env.update(zip(results_of(op), map(np.asarray, outs), strict=True))
        raise AssertionError("no return")

    def check(self, name: str, *arrays: np.ndarray, rtol: float = 1e-6, atol: float = 1e-6) -> None:
        """Compiled and reference results agree: types, shapes, values, NaN included."""
        for i, (got, want) in enumerate(zip(self.run(name, *arrays), self.reference(name, *arrays), strict=True)):
            same(got, want, f"{name}: output {i}", rtol=rtol, atol=atol)


def same(got: np.ndarray, want: np.ndarray, what: str, *, rtol: float = 1e-6, atol: float = 1e-6) -> None:
    """Two arrays agree: type, shape, values, NaN included."""
    assert got.dtype == want.dtype, f"{what} is {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{what} has shape {got.shape}, not {want.shape}"
    if dtype(got.dtype).is_float:
        np.testing.assert_allclose(_flushed(got), _flushed(want), rtol=rtol, atol=atol, err_msg=what)
    else:
        np.testing.assert_array_equal(got, want, err_msg=what)


def _flushed(array: np.ndarray) -> np.ndarray:
    """As float64, subnormals of the 8-bit-exponent types and of float64 as zeros: IREE's CPU code flushes them."""
    wide = array.astype(np.float32).astype(np.float64) if array.dtype.itemsize < 4 else array.astype(np.float64)
    smallest = 0 if array.dtype == np.float16 else 2.0**-1022 if array.dtype == np.float64 else 2.0**-126
    return np.where(np.abs(wide) < smallest, wide * 0, wide)


def _to_device(array: np.ndarray) -> np.ndarray:
    array = np.asarray(array, order="C")
    return array.view(np.int8) if dtype(array.dtype).is_tiny else array


def _from_device(array: np.ndarray, t: Tensor) -> np.ndarray:
    want = t.dtype.numpy
    return array if array.dtype == want else array.view(want)
