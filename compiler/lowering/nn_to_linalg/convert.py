"""The conversion of whole functions from nn to linalg."""

from __future__ import annotations

from davit.compiler.lowering.nn_to_linalg.base import Converter, convert_type
from davit.mlir import func, ir


def convert_module(module: ir.Module | ir.Operation) -> None:
    """Replace every function of the module by its linalg form, in place.

    Raises:
        CompileError: an op has no lowering, or its lowering failed; the message holds the op's location.
    """
    op = module.operation if isinstance(module, ir.Module) else module
    body = op.regions[0].blocks[0]
    for f in list(body.operations):
        if f.operation.name == "func.func":
            _function(f)


def _function(f: func.FuncOp) -> None:
    old_type = f.type
    with f.location, ir.InsertionPoint(f):
        inputs, results = ([convert_type(t) for t in side] for side in (old_type.inputs, old_type.results))
        new_type = ir.FunctionType.get(inputs, results)
        made = ir.Operation.create(
            "func.func",
            attributes={
                **{a: f.attributes[a] for a in f.attributes if a != "function_type"},
                "function_type": ir.TypeAttr.get(new_type),
            },
            regions=1,
        )
    if not len(f.regions[0].blocks):
        f.operation.erase()
        return
    source = f.regions[0].blocks[0]
    target = made.regions[0].blocks.append(*new_type.inputs)
    converter = Converter()
    for a, b in zip(source.arguments, target.arguments, strict=True):
        converter.map[a] = b
    converter.block(source, target)
    f.operation.erase()
