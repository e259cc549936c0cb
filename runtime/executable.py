"""A compiled program that runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import iree.runtime as rt
import numpy as np

from davit.errors import ExecutionError, InvalidModel
from davit.runtime import package
from davit.runtime.devices import DRIVERS, instance, open_device, status_message
from davit.runtime.dtypes import TYPES
from davit.runtime.signature import Signature, TensorSpec

_MEMORY = int(rt.MemoryType.DEVICE_LOCAL)
_USAGE = int(rt.BufferUsage.DEFAULT) | int(rt.BufferUsage.MAPPING)

DEFAULT_DEVICE = {target: name for name, (target, _) in reversed(DRIVERS.items())}


class Executable:
    """A program, loaded on a device. Calls from several threads are taken one after the other."""

    def __init__(
        self,
        program: Any,
        signature: Signature,
        *,
        target: str,
        meta: Mapping[str, Any] | None = None,
        device: str | None = None,
        threads: int | None = None,
    ) -> None:
        name = device or DEFAULT_DEVICE[target]
        kind = name.partition(":")[0]
        if kind in DRIVERS and DRIVERS[kind][0] != target:
            raise ExecutionError(
                f"the program was compiled for {target!r} and cannot run on {name!r}; compile it with "
                f"target={DRIVERS[kind][0]!r}"
            )
        self.signature = signature
        self.target = target
        self.device = name
        self.meta = dict(meta or {})
        self._program = program
        self._in = [TYPES[s.dtype] for s in signature.inputs]
        self._out = [TYPES[s.dtype] for s in signature.outputs]
        self._lock = threading.Lock()
        self._missing: ExecutionError | None = None
        try:
            self._load(threads)
        except ExecutionError as e:
            if device is not None or target == "cpu":
                raise
            self._missing = e  # compiled here for a machine elsewhere: it can be saved, and run says why it cannot run

    def _load(self, threads: int | None) -> None:
        self._process = os.getpid()
        self._device = open_device(self.device, threads)
        self._allocator = self._device.allocator
        try:
            module = rt.VmModule.wrap_buffer(instance(), self._program)
            hal = rt.create_hal_module(instance(), self._device)
            self._context = rt.VmContext(instance(), modules=[hal, module])
            function = module.lookup_function("main")
        except (RuntimeError, ValueError) as e:
            raise ExecutionError(f"the program cannot be loaded on {self.device!r}: {status_message(str(e))}") from None
        if function is None:
            raise InvalidModel("the program has no function 'main'")
        self._function = function

    @classmethod
    def from_parts(
        cls,
        program: bytes,
        signature: Signature,
        *,
        target: str,
        meta: Mapping[str, Any] | None = None,
        device: str | None = None,
        threads: int | None = None,
    ) -> Executable:
        """An executable of a VM FlatBuffer that was just compiled."""
        return cls(_aligned(program), signature, target=target, meta=meta, device=device, threads=threads)

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """What :meth:`run` takes, in order."""
        return self.signature.inputs

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """What :meth:`run` gives, in order."""
        return self.signature.outputs

    @property
    def host_segments(self) -> tuple[str, ...]:
        """Parts of the model that run on the host instead of the device; none so far."""
        return ()

    def run(self, inputs: Sequence[Any] | Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Run the program once.

        Args:
            inputs: arrays in input order, or by name. Element types must match exactly; Python numbers and lists
                take the input's type.

        Returns:
            Arrays by output name, in output order. They own their memory.

        Raises:
            ExecutionError: an input does not fit (the message names it), or the program failed.
        """
        values = self._invoke(self.signature.arrange(inputs))
        return {spec.name: v for spec, v in zip(self.signature.outputs, values, strict=True)}

    def __call__(self, *arrays: Any) -> Any:
        """Run on arrays in input order; returns one array, or a tuple when the program has several outputs."""
        values = self._invoke(self.signature.arrange(arrays))
        return values[0] if len(values) == 1 else tuple(values)

    def _invoke(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        if self._missing is not None:
            raise self._missing
        if self._process != os.getpid():
            raise ExecutionError("the program was loaded before this process was forked; load it again in the child")
        given = rt.VmVariantList(len(arrays))
        results = rt.VmVariantList(len(self._out))
        copy = self._allocator.allocate_buffer_copy
        for a, t in zip(arrays, self._in, strict=True):
            if not a.flags.c_contiguous:
                a = np.ascontiguousarray(a)
            if t.storage is not t.numpy:
                a = a.view(t.storage) if a.ndim else a.reshape(1).view(t.storage).reshape(())
            given.push_ref(copy(_MEMORY, _USAGE, self._device, a, int(t.hal)))
        try:
            with self._lock:
                self._context.invoke(self._function, given, results)
        except (RuntimeError, ValueError) as e:
            raise ExecutionError(f"{self.meta.get('model', 'the program')}: {status_message(str(e))}") from None
        out = []
        for i, t in enumerate(self._out):
            view = results.get_as_object(i, rt.HalBufferView)
            shape = tuple(view.shape)
            if 0 in shape:
                out.append(np.empty(shape, t.numpy))
                continue
            array = view.map().asarray(shape, t.storage).copy()
            out.append(array if t.storage is t.numpy else array.reshape(shape or 1).view(t.numpy).reshape(shape))
        return out

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.davit`` file, which :func:`davit.load` reads without a compiler.

        Raises:
            ExecutionError: it cannot be written.
        """
        manifest = {"target": self.target, "signature": self.signature.to_json(), "meta": self.meta}
        package.write(path, manifest, self._program)

    def __repr__(self) -> str:
        ins, outs = (", ".join(map(str, side)) for side in (self.inputs, self.outputs))
        return f"<davit.Executable on {self.device}: ({ins}) -> ({outs})>"


def load(path: str | os.PathLike[str], device: str | None = None, threads: int | None = None) -> Executable:
    """Load what :meth:`Executable.save` wrote.

    Args:
        device: where to run, by default what the program was compiled for: ``local-task`` for ``cpu``.
        threads: worker threads of ``local-task``.

    Raises:
        InvalidModel: the file is not a .davit file, or is damaged.
        ExecutionError: the device is not here, or cannot run the program.
    """
    manifest, program = package.read(path)
    try:
        signature = Signature.from_json(manifest["signature"])
        target = manifest["target"]
        if target not in DEFAULT_DEVICE:
            raise ValueError(f"target {target!r}")
        meta = dict(manifest["meta"])
    except (KeyError, TypeError, ValueError) as e:
        raise InvalidModel(f"{os.fspath(path)}: its manifest is not one that davit writes: {e}") from None
    return Executable(program, signature, target=target, meta=meta, device=device, threads=threads)


def _aligned(program: bytes) -> memoryview:
    """The same bytes at an address that IREE can run from."""
    space = np.empty(len(program) + package.ALIGNMENT, np.uint8)
    start = -space.ctypes.data % package.ALIGNMENT
    view = space[start : start + len(program)]
    view[:] = np.frombuffer(program, np.uint8)
    return memoryview(view)


__all__ = ["Executable", "load"]
