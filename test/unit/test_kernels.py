"""The C kernels: their numbers through ctypes, and one of them inside an IREE program."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import numpy as np
import pytest

from davit.runtime import kernels

VARIANTS = [v for v in kernels.variants() if v.cpu_features <= kernels.host_cpu_features()]

SHAPES = [(1, 1, 1), (14, 32, 16), (15, 33, 7), (3, 31, 5), (29, 64, 64), (197, 70, 48), (5, 128, 1)]
"""M, N, K: exact blocks, every kind of rest, a last panel that is not full."""

needs_kernels = pytest.mark.skipif(
    kernels.notice() is not None and not shutil.which("cc") and not shutil.which("gcc"),
    reason=f"no C compiler on this machine: {kernels.notice()}",
)


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def tolerance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What summing K products in float32 in any order may lose: K x eps x sum of the magnitudes."""
    magnitude = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    return (a.shape[1] + 1) * np.finfo(np.float32).eps * magnitude


@needs_kernels
def test_kernels_were_built_where_a_compiler_is() -> None:
    assert kernels.notice() is None, f"a C compiler is here, and yet: {kernels.notice()}"
    assert VARIANTS, "no built variant runs on this CPU"


@needs_kernels
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("rows", [1, 14, 64])
def test_sgemm_panel(variant: kernels.Variant, shape: tuple[int, int, int], rows: int) -> None:
    m, n, k = shape
    a, b = random(m, k), random(k, n, seed=1)
    packed = kernels.pack_panels(b)
    c = np.full((m, n), np.nan, np.float32)
    function = getattr(ctypes.CDLL(str(kernels.library_path(variant.name))), kernels.symbol("sgemm_panel"))
    for panel in range(packed.shape[0]):
        for block in range(-(-m // rows)):
            function(
                *(x for array in (a, packed, c) for x in (array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(0))),
                *map(ctypes.c_size_t, (m, n, k, panel, rows, block)),
            )
    assert (np.abs(c - a.astype(np.float64) @ b) <= tolerance(a, b)).all()


def test_best_variant_prefers_the_first_that_fits() -> None:
    names = [v.name for v in kernels.variants()]
    everything = frozenset().union(*(v.cpu_features for v in kernels.variants()))
    best = kernels.best_variant(everything)
    assert (best.name if best else None) == (names[0] if names else None)
    plain = kernels.best_variant(())
    assert plain is None or not plain.cpu_features


def test_a_variant_that_was_not_built_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="sgemm_panel for pentium"):
        kernels.object_path("sgemm_panel", "pentium")


PROGRAM = """
#target = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {{
  cpu = "generic", cpu_features = "{features}",
  data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
  native_vector_size = 64 : i64, target_triple = "x86_64-unknown-unknown-eabi-elf"}}>
#device = #hal.device.target<"local", [#target]> : !hal.device
#objects = #hal.executable.objects<{{ #target = [#hal.executable.object<{{path = "{object}"}}>] }}>
module attributes {{hal.device.targets = [#device]}} {{
  stream.executable private @kernels attributes {{hal.executable.objects = #objects}} {{
    stream.executable.export public @product workgroups() -> (index, index, index) {{
      %x = arith.constant {panels} : index
      %y = arith.constant {blocks} : index
      %z = arith.constant 1 : index
      stream.return %x, %y, %z : index, index, index
    }}
    builtin.module {{
      func.func private @{symbol}(memref<f32>, index, memref<f32>, index, memref<f32>, index,
                                  index, index, index, index, index, index)
        attributes {{hal.import.static, llvm.bareptr = true}}
      func.func @product(%a: !stream.binding, %b: !stream.binding, %c: !stream.binding) {{
        %c0 = arith.constant 0 : index
        %M = arith.constant {m} : index
        %N = arith.constant {n} : index
        %K = arith.constant {k} : index
        %rows = arith.constant {rows} : index
        %panel = stream.dispatch.workgroup.id[0] : index
        %block = stream.dispatch.workgroup.id[1] : index
        %a1 = stream.binding.subspan %a[%c0] : !stream.binding -> memref<{a_size}xf32>
        %b1 = stream.binding.subspan %b[%c0] : !stream.binding -> memref<{b_size}xf32>
        %c1 = stream.binding.subspan %c[%c0] : !stream.binding -> memref<{c_size}xf32>
        %a2, %ao, %a3, %a4 = iree_codegen.extract_strided_metadata %a1
          : memref<{a_size}xf32> -> memref<f32>, index, index, index
        %b2, %bo, %b3, %b4 = iree_codegen.extract_strided_metadata %b1
          : memref<{b_size}xf32> -> memref<f32>, index, index, index
        %c2, %co, %c3, %c4 = iree_codegen.extract_strided_metadata %c1
          : memref<{c_size}xf32> -> memref<f32>, index, index, index
        func.call @{symbol}(%a2, %ao, %b2, %bo, %c2, %co, %M, %N, %K, %panel, %rows, %block)
          : (memref<f32>, index, memref<f32>, index, memref<f32>, index,
             index, index, index, index, index, index) -> ()
        return
      }}
    }}
  }}
  func.func @main(%a: tensor<{m}x{k}xf32>, %b: tensor<{b_size}xf32>) -> tensor<{m}x{n}xf32> {{
    %0 = flow.dispatch @kernels::@product(%a, %b) : (tensor<{m}x{k}xf32>, tensor<{b_size}xf32>) -> tensor<{m}x{n}xf32>
    return %0 : tensor<{m}x{n}xf32>
  }}
}}
"""


@needs_kernels
@pytest.mark.skipif("x86_64" not in {v.processor for v in VARIANTS}, reason="the program below is for x86-64")
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_a_kernel_inside_an_iree_program(variant: kernels.Variant, tmp_path: Path) -> None:
    """The object is linked into the artifact: it still runs when the object file is gone."""
    from iree.compiler.tools import compile_str
    from iree.runtime import SystemContext, VmModule
    from iree.runtime.system_api import Config

    m, n, k, rows = 37, 70, 24, 16
    a, b = random(m, k), random(k, n, seed=1)
    packed = kernels.pack_panels(b)
    source = kernels.object_path("sgemm_panel", variant.name)
    copied = Path(shutil.copy(source, tmp_path))
    text = PROGRAM.format(
        features=",".join(f"+{f}" for f in sorted(variant.cpu_features)),
        object=copied.name,
        symbol=kernels.symbol("sgemm_panel"),
        panels=packed.shape[0],
        blocks=-(-m // rows),
        a_size=a.size,
        b_size=packed.size,
        c_size=m * n,
        **{"m": m, "n": n, "k": k, "rows": rows},
    )
    binary = compile_str(text, extra_args=[f"--iree-hal-executable-object-search-path={tmp_path}"])
    copied.unlink()
    config = Config("local-task")
    context = SystemContext(config=config)
    context.add_vm_module(VmModule.copy_buffer(config.vm_instance, binary))
    c = context.modules.module["main"](a, packed.reshape(-1)).to_host()
    assert (np.abs(c - a.astype(np.float64) @ b) <= tolerance(a, b)).all()
