"""Tensor constants: small ones inline, large ones as resources that MLIR references without copying.

MLIR's Python bindings make a resource from a buffer but cannot read one back, so the arrays are kept here by
resource name for as long as the process lives, or the :func:`scope` in which they were made lasts. A resource that
came in with parsed IR has no array: :func:`decode` then returns None and the constant is simply not folded.
"""

from __future__ import annotations

import ast
import itertools
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from davit.dialects.types import Tensor, dtype, element_type
from davit.mlir import ir

INLINE_BYTES = 256
"""Constants up to this size are printed in the IR; larger ones become ``dense_resource``."""

_arrays: dict[str, np.ndarray] = {}
_counter = itertools.count()
_lock = threading.Lock()
_scope: ContextVar[list[str] | None] = ContextVar("davit-constants", default=None)


def encode(array: np.ndarray, *, storage: bool = False) -> ir.Attribute:
    """The elements attribute of an array; its type is the array's, or its storage type at the linalg level."""
    dt = dtype(array.dtype)
    tensor = Tensor(dt, array.shape)
    kind = tensor.storage() if storage else tensor.mlir()
    array = np.asarray(array, dtype=dt.numpy)
    if dt.kind == "string":
        return _encode_strings(array, kind)
    # The bindings cannot hold an inline complex constant, so those are resources whatever their size.
    if array.size and (array.nbytes > INLINE_BYTES or dt.kind == "complex"):
        raw = np.asarray(array, order="C")
        with _lock:
            name = f"c{next(_counter)}"
            _arrays[name] = raw
        if (made := _scope.get()) is not None:
            made.append(name)
        return ir.DenseResourceElementsAttr.get_from_buffer(raw.view(np.uint8) if raw.ndim else raw, name, kind)
    if array.size == 0:
        return ir.Attribute.parse(f"dense<> : {kind}")
    return ir.DenseElementsAttr.get([_scalar(v, kind.element_type, storage) for v in array.reshape(-1)], kind)


def _encode_strings(array: np.ndarray, kind: ir.Type) -> ir.Attribute:
    """``dense<["a", "b"]> : tensor<2x!onnx.string>``, which the bindings can only parse."""

    def text(x) -> str:
        if isinstance(x, list):
            return f"[{', '.join(map(text, x))}]"
        return str(ir.StringAttr.get(x if isinstance(x, bytes) else x.encode("utf-8", "surrogateescape")))

    return ir.Attribute.parse(f"dense<{text(array.tolist()) if array.size else ''}> : {kind}")


def _decode_strings(text: str, t: Tensor) -> np.ndarray:
    body = text[len("dense<") : text.rindex("> : ")]
    flat: list[str] = []

    def walk(attr: ir.Attribute) -> None:
        if isinstance(attr, ir.ArrayAttr):
            for a in attr:
                walk(a)
        else:
            flat.append(ir.StringAttr(attr).value_bytes.decode("utf-8", "surrogateescape"))

    if body:
        walk(ir.Attribute.parse(body))
    out = np.empty(len(flat), object)
    out[:] = flat
    return np.broadcast_to(out, (t.size,)).reshape(t.shape).copy() if t.size else out.reshape(t.shape)


def _scalar(value, element: ir.Type, storage: bool) -> ir.Attribute:
    if isinstance(element, ir.IntegerType):
        if storage and np.dtype(value.dtype).kind not in "iub":
            value = value.view(np.uint8)
        number = int(value)
        if not element.is_unsigned and number >= 1 << max(element.width - 1, 1) and element.width > 1:
            number -= 1 << element.width
        return ir.IntegerAttr.get(element, number)
    return ir.FloatAttr.get(element, float(value))


def _typed(attr: ir.Attribute) -> ir.Attribute:
    """Elements attributes come out of an op as plain Attributes; find the class."""
    kind = attr.maybe_downcast()
    if type(kind) is not ir.Attribute:
        return kind
    text = str(attr)[:16]
    return ir.DenseResourceElementsAttr(attr) if text.startswith("dense_resource") else kind


def decode(attr: ir.Attribute) -> np.ndarray | None:
    """The array of an elements attribute that davit made; None when the bytes cannot be reached from Python."""
    attr = _typed(attr)
    if isinstance(attr, ir.DenseResourceElementsAttr):
        array = _arrays.get(_handle(attr))
        if array is None:
            return None
        t = Tensor.of(attr.type)
        return array if array.shape == t.shape and array.dtype == t.dtype.numpy else None
    if isinstance(attr, ir.DenseElementsAttr):
        t = Tensor.of(attr.type)
        if t.size == 0:
            return np.zeros(t.shape, t.dtype.numpy)
        if t.dtype.is_int and t.dtype.bits >= 8 or t.dtype.name in ("f32", "f64"):
            if attr.is_splat:
                return np.full(t.shape, attr.get_splat_value().value, t.dtype.numpy)
            return np.array(list(attr)).astype(t.dtype.numpy).reshape(t.shape)
        return _from_text(str(attr), t)
    text = str(attr)
    if text.startswith("dense<") and "!onnx.string" in text[text.rindex("> : ") :]:
        return _decode_strings(text, Tensor.of(ir.Type.parse(text[text.rindex("> : ") + 4 :])))
    return None


def _from_text(text: str, t: Tensor) -> np.ndarray:
    """Read ``dense<...>`` of the element types that the bindings cannot iterate (16 bits and below, complex, bool).

    A hexadecimal number in a float tensor is its bit pattern: MLIR prints NaN and infinity so. More than 100 elements
    are printed as one hexadecimal string of all their bytes.
    """
    body = text[text.index("<") + 1 : text.rindex("> : ")].replace("true", "True").replace("false", "False")
    if body.startswith('"0x'):
        raw = np.frombuffer(bytes.fromhex(body[3:-1]), t.dtype.numpy)
        return np.broadcast_to(raw, (t.size,)).reshape(t.shape).copy()
    if "0x" in body and t.dtype.is_float:
        unsigned = np.dtype(f"uint{max(t.dtype.bits, 8)}")
        body = re.sub(
            r"0x[0-9A-F]+", lambda m: repr(str(np.array(int(m[0], 16), unsigned).view(t.dtype.numpy)[()])), body
        )
    flat: list = []

    def walk(x) -> None:
        if isinstance(x, list):
            for y in x:
                walk(y)
        else:
            flat.append(complex(*map(float, x)) if isinstance(x, tuple) else float(x) if t.dtype.is_float else x)

    walk(ast.literal_eval(body))
    return np.broadcast_to(np.array(flat).astype(t.dtype.numpy), (t.size,)).reshape(t.shape).copy()


def _handle(attr: ir.DenseResourceElementsAttr) -> str:
    text = str(attr)
    return text[text.index("<") + 1 : text.index(">")]


def restore(attr: ir.Attribute) -> ir.Attribute:
    """The same constant typed for the linalg level (storage element type), sharing its bytes."""
    attr = _typed(attr)
    if isinstance(attr, ir.DenseResourceElementsAttr):
        name = _handle(attr)
        t = Tensor.of(attr.type)
        if t.mlir() == t.storage():
            return attr
        array = _arrays.get(name)
        if array is None:
            raise TypeError(f"resource {name} holds {t.dtype} whose bytes are not known to this process")
        return ir.DenseResourceElementsAttr.get_from_buffer(array.view(np.uint8), f"{name}_s", t.storage())
    array = decode(attr)
    if array is None:
        raise TypeError(f"cannot read the constant {str(attr)[:60]}")
    return encode(array, storage=True)


@contextmanager
def scope() -> Iterator[None]:
    """Forget, at the end, every array that was encoded inside; no IR that is still in use may refer to them."""
    made: list[str] = []
    token = _scope.set(made)
    try:
        yield
    finally:
        _scope.reset(token)
        with _lock:
            for name in made:
                _arrays.pop(name, None)


__all__ = ["INLINE_BYTES", "decode", "element_type", "encode", "restore", "scope"]
