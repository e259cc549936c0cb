"""The conversion of whole modules from onnx to nn."""

from __future__ import annotations

from davit.compiler.lowering.onnx_to_nn.base import Converter
from davit.compiler.lowering.onnx_to_nn.values import describe
from davit.errors import Unsupported
from davit.mlir import func, ir


def convert_module(module: ir.Module | ir.Operation, path: str = "<module>") -> None:
    """Replace every function by its nn form, in place.

    Raises:
        Unsupported: an operator has no lowering (the frontend's preflight reports all of them before).
        CompileError: a lowering refused; the message names file, node and op.
    """
    op = module.operation if isinstance(module, ir.Module) else module
    for f in list(op.regions[0].blocks[0].operations):
        if f.operation.name == "func.func" and len(f.regions[0].blocks):
            _function(f, path)


def _function(f: func.FuncOp, path: str) -> None:
    inputs = list(f.type.inputs)
    with f.location, ir.InsertionPoint(f):
        made = ir.Operation.create("func.func", attributes={a: f.attributes[a] for a in f.attributes}, regions=1)
    source = f.regions[0].blocks[0]
    target = made.regions[0].blocks.append(*inputs)
    converter = Converter(path)
    converter.inputs = list(target.arguments)
    for a, b in zip(source.arguments, target.arguments, strict=True):
        converter.map[a] = b
    with ir.InsertionPoint(target), f.location:
        results = converter.block(source)
        for i, v in enumerate(results):
            if not isinstance(v, ir.Value):
                raise Unsupported(f"{path}: output {i} is {describe(v)}; only tensors can leave a compiled program")
        func.ReturnOp(results)
    made.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, [v.type for v in results]))
    f.operation.erase()
