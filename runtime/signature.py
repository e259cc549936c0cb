"""What a program takes and gives, and the check of what it is called with."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from davit.errors import ExecutionError
from davit.runtime.dtypes import TYPES

Dim = int | str | None


@dataclass(frozen=True)
class TensorSpec:
    """One input or output.

    Attributes:
        dtype: numpy's or ml_dtypes' name of the element type.
        shape: per dimension its size, the name of a symbol (equal names are equal sizes), or None for any.
    """

    name: str
    dtype: str
    shape: tuple[Dim, ...]

    def __str__(self) -> str:
        dims = ", ".join("?" if d is None else str(d) for d in self.shape)
        return f"{self.name}: {self.dtype}[{dims}]"


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a program, in order."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    _index: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._index.update({s.name: i for i, s in enumerate(self.inputs)})

    @staticmethod
    def make(
        inputs: Sequence[tuple[str, str, Sequence[Dim]]], outputs: Sequence[tuple[str, str, Sequence[Dim]]]
    ) -> Signature:
        """From (name, dtype, shape) rows."""
        rows = [tuple(TensorSpec(n, d, tuple(s)) for n, d, s in side) for side in (inputs, outputs)]
        return Signature(rows[0], rows[1])

    def to_json(self) -> dict[str, Any]:
        return {
            side: [{"name": s.name, "dtype": s.dtype, "shape": list(s.shape)} for s in specs]
            for side, specs in (("inputs", self.inputs), ("outputs", self.outputs))
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Signature:
        """The inverse of :meth:`to_json`.

        Raises:
            KeyError, TypeError, ValueError: it is not such data.
        """
        sides = []
        for side in ("inputs", "outputs"):
            specs = []
            for row in data[side]:
                if row["dtype"] not in TYPES or not all(d is None or isinstance(d, (int, str)) for d in row["shape"]):
                    raise ValueError(f"a tensor of type {row['dtype']!r} and shape {row['shape']!r}")
                specs.append(TensorSpec(str(row["name"]), row["dtype"], tuple(row["shape"])))
            sides.append(tuple(specs))
        return Signature(*sides)

    def arrange(self, inputs: Sequence[Any] | Mapping[str, Any]) -> list[np.ndarray]:
        """The inputs in order, checked.

        Raises:
            ExecutionError: one is missing, unknown, or of the wrong type, rank or size; the message names it and
                says what the program takes.
        """
        if isinstance(inputs, Mapping):
            values = self._by_name(inputs)
        elif isinstance(inputs, (np.ndarray, str, bytes)):
            raise ExecutionError(
                f"run() takes a list of {len(self.inputs)} arrays or a dict by name, not one {type(inputs).__name__}; "
                "write run([x])"
            )
        else:
            values = list(inputs)
            if len(values) != len(self.inputs):
                listed = ", ".join(map(str, self.inputs))
                raise ExecutionError(f"the program takes {len(self.inputs)} inputs, not {len(values)}: {listed}")
        arrays = [_array(spec, v) for spec, v in zip(self.inputs, values, strict=True)]
        self._check_shapes(arrays)
        return arrays

    def _by_name(self, inputs: Mapping[str, Any]) -> list[Any]:
        for name in inputs:
            if name not in self._index:
                near = difflib.get_close_matches(str(name), self._index, 1)
                hint = f"; did you mean {near[0]!r}?" if near else "."
                listed = ", ".join(map(str, self.inputs)) or "none"
                raise ExecutionError(f"there is no input {name!r}{hint} The inputs: {listed}")
        missing = [str(s) for s in self.inputs if s.name not in inputs]
        if missing:
            raise ExecutionError(f"missing input{'s' if len(missing) > 1 else ''}: {', '.join(missing)}")
        return [inputs[s.name] for s in self.inputs]

    def _check_shapes(self, arrays: list[np.ndarray]) -> None:
        sizes: dict[str, tuple[int, str]] = {}
        for spec, a in zip(self.inputs, arrays, strict=True):
            shape = a.shape
            if len(shape) != len(spec.shape):
                raise ExecutionError(
                    f"input {spec.name!r} has shape {shape}, of rank {len(shape)}; the program takes rank "
                    f"{len(spec.shape)}: {spec}"
                )
            for i, (have, want) in enumerate(zip(shape, spec.shape, strict=True)):
                if want is None:
                    continue
                if isinstance(want, int):
                    if have != want:
                        raise ExecutionError(
                            f"input {spec.name!r} has size {have} in dimension {i} (shape {shape}); the program takes "
                            f"{want}: {spec}"
                        )
                    continue
                size, first = sizes.setdefault(want, (have, spec.name))
                if size != have:
                    raise ExecutionError(
                        f"dimension {i} of input {spec.name!r} is {have}, but {want!r} is {size} in input {first!r}; "
                        f"equal names must have equal sizes: {spec}"
                    )


def _array(spec: TensorSpec, value: Any) -> np.ndarray:
    want = TYPES[spec.dtype].numpy
    if not isinstance(value, (np.ndarray, np.generic)) and not hasattr(value, "__array__"):
        try:
            return np.asarray(value, dtype=want)  # Python numbers and lists have no type of their own
        except (TypeError, ValueError, OverflowError) as e:
            raise ExecutionError(f"input {spec.name!r}: cannot make a {spec.dtype} array of it: {e}") from None
    array = np.asarray(value)
    if array.dtype == want:
        return array
    if array.dtype.newbyteorder("=") == want:
        return array.astype(want)
    raise ExecutionError(
        f"input {spec.name!r} is {array.dtype.name}, the program takes {spec.dtype}; convert it with "
        f".astype({spec.dtype!r})"
    )


__all__ = ["Dim", "Signature", "TensorSpec"]
