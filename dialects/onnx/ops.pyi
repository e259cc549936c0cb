"""Builders of every ONNX operator at its newest version. Written by davit.dialects.onnx.stub; do not edit."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch_mlir.ir import Type, Value

from davit.dialects.onnx.schema import Schema

Body = tuple[Sequence[Type], Callable[..., Sequence[Value]]]

def function_name(schema: Schema) -> str: ...
def build(schema: Schema, *operands: Value | None, results: Sequence[Type | None], **attributes: Any) -> Any: ...
def abs(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.abs``: Abs, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def acos(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.acos``: Acos, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def acosh(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.acosh``: Acosh, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def add(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.add``: Add, version 14.

    Results: c.

    a: T
    b: T
    c: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def affinegrid(
    theta: Value,
    size: Value,
    *,
    results: Sequence[Type | None],
    align_corners: int = 0,
) -> Value:
    """``onnx.affinegrid``: AffineGrid, version 20.

    Results: grid.

    theta: T1
    size: T2
    grid: T1

    T1: bfloat16, double, float, float16
    T2: int64
    """

def and_(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.and``: And, version 7.

    Results: c.

    a: T
    b: T
    c: T1

    T: bool
    T1: bool
    """

def argmax(
    data: Value,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
    keepdims: int = 1,
    select_last_index: int = 0,
) -> Value:
    """``onnx.argmax``: ArgMax, version 13.

    Results: reduced.

    data: T
    reduced: tensor(int64)

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def argmin(
    data: Value,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
    keepdims: int = 1,
    select_last_index: int = 0,
) -> Value:
    """``onnx.argmin``: ArgMin, version 13.

    Results: reduced.

    data: T
    reduced: tensor(int64)

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def asin(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.asin``: Asin, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def asinh(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.asinh``: Asinh, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def atan(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.atan``: Atan, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def atanh(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.atanh``: Atanh, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def attention(
    q: Value,
    k: Value,
    v: Value,
    attn_mask: Value | None = None,
    past_key: Value | None = None,
    past_value: Value | None = None,
    nonpad_kv_seqlen: Value | None = None,
    *,
    results: Sequence[Type | None],
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
) -> list[Value]:
    """``onnx.attention``: Attention, version 25.

    Results: y, optional present_key, optional present_value, optional qk_matmul_output.

    q: T1
    k: T1
    v: T2
    attn_mask: U
    past_key: T1
    past_value: T2
    nonpad_kv_seqlen: tensor(int64)
    y: T1
    present_key: T1
    present_value: T2
    qk_matmul_output: T1

    T1: bfloat16, double, float, float16
    T2: bfloat16, double, float, float16
    U: bfloat16, bool, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def averagepool(
    x: Value,
    *,
    results: Sequence[Type | None],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.averagepool``: AveragePool, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def batchnormalization(
    x: Value,
    scale: Value,
    b: Value,
    input_mean: Value,
    input_var: Value,
    *,
    results: Sequence[Type | None],
    epsilon: float = 9.999999747378752e-06,
    momentum: float = 0.8999999761581421,
    training_mode: int = 0,
) -> list[Value]:
    """``onnx.batchnormalization``: BatchNormalization, version 15.

    Results: y, optional running_mean, optional running_var.

    x: T
    scale: T1
    b: T1
    input_mean: T2
    input_var: T2
    y: T
    running_mean: T2
    running_var: T2

    T: bfloat16, double, float, float16
    T1: bfloat16, double, float, float16
    T2: bfloat16, double, float, float16
    """

def bernoulli(
    input: Value,
    *,
    results: Sequence[Type | None],
    dtype: int | None = None,
    seed: float | None = None,
) -> Value:
    """``onnx.bernoulli``: Bernoulli, version 22.

    Results: output.

    input: T1
    output: T2

    T1: bfloat16, double, float, float16
    T2: bfloat16, bool, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def bitcast(
    input: Value,
    *,
    results: Sequence[Type | None],
    to: int,
) -> Value:
    """``onnx.bitcast``: BitCast, version 26.

    Results: output.

    input: T1
    output: T2

    T1: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, uint16, uint2, uint32,
        uint4, uint64, uint8
    T2: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, uint16, uint2, uint32,
        uint4, uint64, uint8
    """

def bitshift(
    x: Value,
    y: Value,
    *,
    results: Sequence[Type | None],
    direction: str,
) -> Value:
    """``onnx.bitshift``: BitShift, version 28.

    Results: z.

    x: T
    y: T
    z: T

    T: int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def bitwiseand(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.bitwiseand``: BitwiseAnd, version 18.

    Results: c.

    a: T
    b: T
    c: T

    T: int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def bitwisenot(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.bitwisenot``: BitwiseNot, version 18.

    Results: y.

    x: T
    y: T

    T: int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def bitwiseor(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.bitwiseor``: BitwiseOr, version 18.

    Results: c.

    a: T
    b: T
    c: T

    T: int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def bitwisexor(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.bitwisexor``: BitwiseXor, version 18.

    Results: c.

    a: T
    b: T
    c: T

    T: int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def blackmanwindow(
    size: Value,
    *,
    results: Sequence[Type | None],
    output_datatype: int = 1,
    periodic: int = 1,
) -> Value:
    """``onnx.blackmanwindow``: BlackmanWindow, version 17.

    Results: output.

    size: T1
    output: T2

    T1: int32, int64
    T2: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def cast(
    input: Value,
    *,
    results: Sequence[Type | None],
    round_mode: str = "up",
    saturate: int = 1,
    to: int,
) -> Value:
    """``onnx.cast``: Cast, version 28.

    Results: output.

    input: T1
    output: T2

    T1: bfloat16, bool, double, float, float16, float4e2m1, float6e2m3, float6e3m2, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    T2: bfloat16, bool, double, float, float16, float4e2m1, float6e2m3, float6e3m2, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def castlike(
    input: Value,
    target_type: Value,
    *,
    results: Sequence[Type | None],
    round_mode: str = "up",
    saturate: int = 1,
) -> Value:
    """``onnx.castlike``: CastLike, version 25.

    Results: output.

    input: T1
    target_type: T2
    output: T2

    T1: bfloat16, bool, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz, float8e5m2,
        float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2, uint32, uint4,
        uint64, uint8
    T2: bfloat16, bool, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz, float8e5m2,
        float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2, uint32, uint4,
        uint64, uint8
    """

def causalconvwithstate(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    past_state: Value | None = None,
    *,
    results: Sequence[Type | None],
    activation: str = "none",
) -> list[Value]:
    """``onnx.causalconvwithstate``: CausalConvWithState, version 27.

    Results: output, present_state.

    input: T
    weight: T
    bias: T
    past_state: T
    output: T
    present_state: T

    T: bfloat16, float, float16
    """

def ceil(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.ceil``: Ceil, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def celu(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 1.0,
) -> Value:
    """``onnx.celu``: Celu, version 28.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def centercroppad(
    input_data: Value,
    shape: Value,
    *,
    results: Sequence[Type | None],
    axes: Sequence[int] | None = None,
) -> Value:
    """``onnx.centercroppad``: CenterCropPad, version 18.

    Results: output_data.

    input_data: T
    shape: Tind
    output_data: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    Tind: int32, int64
    """

def clip(
    input: Value,
    min: Value | None = None,
    max: Value | None = None,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.clip``: Clip, version 13.

    Results: output.

    input: T
    min: T
    max: T
    output: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def col2im(
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    results: Sequence[Type | None],
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.col2im``: Col2Im, version 18.

    Results: output.

    input: T
    image_shape: tensor(int64)
    block_shape: tensor(int64)
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def compress(
    input: Value,
    condition: Value,
    *,
    results: Sequence[Type | None],
    axis: int | None = None,
) -> Value:
    """``onnx.compress``: Compress, version 28.

    Results: output.

    input: T
    condition: T1
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    T1: bool
    """

def concat(
    *inputs: Value | None,
    results: Sequence[Type | None],
    axis: int,
) -> Value:
    """``onnx.concat``: Concat, version 13.

    Results: concat_result.

    inputs: T
    concat_result: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def concatfromsequence(
    input_sequence: Value,
    *,
    results: Sequence[Type | None],
    axis: int,
    new_axis: int = 0,
) -> Value:
    """``onnx.concatfromsequence``: ConcatFromSequence, version 11.

    Results: concat_result.

    input_sequence: S
    concat_result: T

    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    T: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16, uint32,
        uint64, uint8
    """

def constant(
    *,
    results: Sequence[Type | None],
    sparse_value: np.ndarray | None = None,
    value: np.ndarray | None = None,
    value_float: float | None = None,
    value_floats: Sequence[float] | None = None,
    value_int: int | None = None,
    value_ints: Sequence[int] | None = None,
    value_string: str | None = None,
    value_strings: Sequence[str] | None = None,
) -> Value:
    """``onnx.constant``: Constant, version 25.

    Results: output.

    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def constantofshape(
    input: Value,
    *,
    results: Sequence[Type | None],
    value: np.ndarray | None = None,
) -> Value:
    """``onnx.constantofshape``: ConstantOfShape, version 25.

    Results: output.

    input: T1
    output: T2

    T1: int64
    T2: bfloat16, bool, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz, float8e5m2,
        float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, uint16, uint2, uint32, uint4, uint64,
        uint8
    """

def conv(
    x: Value,
    w: Value,
    b: Value | None = None,
    *,
    results: Sequence[Type | None],
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.conv``: Conv, version 22.

    Results: y.

    x: T
    w: T
    b: T
    y: T

    T: bfloat16, double, float, float16
    """

def convinteger(
    x: Value,
    w: Value,
    x_zero_point: Value | None = None,
    w_zero_point: Value | None = None,
    *,
    results: Sequence[Type | None],
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.convinteger``: ConvInteger, version 10.

    Results: y.

    x: T1
    w: T2
    x_zero_point: T1
    w_zero_point: T2
    y: T3

    T1: int8, uint8
    T2: int8, uint8
    T3: int32
    """

def convtranspose(
    x: Value,
    w: Value,
    b: Value | None = None,
    *,
    results: Sequence[Type | None],
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.convtranspose``: ConvTranspose, version 22.

    Results: y.

    x: T
    w: T
    b: T
    y: T

    T: bfloat16, double, float, float16
    """

def cos(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.cos``: Cos, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def cosh(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.cosh``: Cosh, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def cumprod(
    x: Value,
    axis: Value,
    *,
    results: Sequence[Type | None],
    exclusive: int = 0,
    reverse: int = 0,
) -> Value:
    """``onnx.cumprod``: CumProd, version 26.

    Results: y.

    x: T
    axis: T2
    y: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    T2: int32, int64
    """

def cumsum(
    x: Value,
    axis: Value,
    *,
    results: Sequence[Type | None],
    exclusive: int = 0,
    reverse: int = 0,
) -> Value:
    """``onnx.cumsum``: CumSum, version 14.

    Results: y.

    x: T
    axis: T2
    y: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    T2: int32, int64
    """

def deformconv(
    x: Value,
    w: Value,
    offset: Value,
    b: Value | None = None,
    mask: Value | None = None,
    *,
    results: Sequence[Type | None],
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    offset_group: int = 1,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.deformconv``: DeformConv, version 22.

    Results: y.

    x: T
    w: T
    offset: T
    b: T
    mask: T
    y: T

    T: bfloat16, double, float, float16
    """

def depthtospace(
    input: Value,
    *,
    results: Sequence[Type | None],
    blocksize: int,
    mode: str = "DCR",
) -> Value:
    """``onnx.depthtospace``: DepthToSpace, version 28.

    Results: output.

    input: T
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def dequantizelinear(
    x: Value,
    x_scale: Value,
    x_zero_point: Value | None = None,
    *,
    results: Sequence[Type | None],
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Value:
    """``onnx.dequantizelinear``: DequantizeLinear, version 28.

    Results: y.

    x: T1
    x_scale: T2
    x_zero_point: T1
    y: T3

    T1: float4e2m1, float6e2m3, float6e3m2, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, int16, int2,
        int32, int4, int8, uint16, uint2, uint4, uint8
    T2: bfloat16, float, float16, float8e8m0
    T3: bfloat16, float, float16
    """

def det(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.det``: Det, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def dft(
    input: Value,
    dft_length: Value | None = None,
    axis: Value | None = None,
    *,
    results: Sequence[Type | None],
    inverse: int = 0,
    onesided: int = 0,
) -> Value:
    """``onnx.dft``: DFT, version 20.

    Results: output.

    input: T1
    dft_length: T2
    axis: tensor(int64)
    output: T1

    T1: bfloat16, double, float, float16
    T2: int32, int64
    """

def div(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.div``: Div, version 14.

    Results: c.

    a: T
    b: T
    c: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def dropout(
    data: Value,
    ratio: Value | None = None,
    training_mode: Value | None = None,
    *,
    results: Sequence[Type | None],
    seed: int | None = None,
) -> list[Value]:
    """``onnx.dropout``: Dropout, version 22.

    Results: output, optional mask.

    data: T
    ratio: T1
    training_mode: T2
    output: T
    mask: T2

    T: bfloat16, double, float, float16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz
    T1: bfloat16, double, float, float16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz
    T2: bool
    """

def dynamicquantizelinear(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> list[Value]:
    """``onnx.dynamicquantizelinear``: DynamicQuantizeLinear, version 11.

    Results: y, y_scale, y_zero_point.

    x: T1
    y: T2
    y_scale: tensor(float)
    y_zero_point: T2

    T1: float
    T2: uint8
    """

def einsum(
    *inputs: Value | None,
    results: Sequence[Type | None],
    equation: str,
) -> Value:
    """``onnx.einsum``: Einsum, version 28.

    Results: output.

    inputs: T
    output: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def elu(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 1.0,
) -> Value:
    """``onnx.elu``: Elu, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def equal(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.equal``: Equal, version 19.

    Results: c.

    a: T
    b: T
    c: T1

    T: bfloat16, bool, double, float, float16, int16, int32, int64, int8, string, uint16, uint32, uint64, uint8
    T1: bool
    """

def erf(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.erf``: Erf, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def exp(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.exp``: Exp, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def expand(
    input: Value,
    shape: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.expand``: Expand, version 13.

    Results: output.

    input: T
    shape: tensor(int64)
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def eyelike(
    input: Value,
    *,
    results: Sequence[Type | None],
    dtype: int | None = None,
    k: int = 0,
) -> Value:
    """``onnx.eyelike``: EyeLike, version 22.

    Results: output.

    input: T1
    output: T2

    T1: bfloat16, bool, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    T2: bfloat16, bool, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def flatten(
    input: Value,
    *,
    results: Sequence[Type | None],
    axis: int = 1,
) -> Value:
    """``onnx.flatten``: Flatten, version 25.

    Results: output.

    input: T
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def floor(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.floor``: Floor, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def gather(
    data: Value,
    indices: Value,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
) -> Value:
    """``onnx.gather``: Gather, version 13.

    Results: output.

    data: T
    indices: Tind
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    Tind: int32, int64
    """

def gatherelements(
    data: Value,
    indices: Value,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
) -> Value:
    """``onnx.gatherelements``: GatherElements, version 13.

    Results: output.

    data: T
    indices: Tind
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    Tind: int32, int64
    """

def gathernd(
    data: Value,
    indices: Value,
    *,
    results: Sequence[Type | None],
    batch_dims: int = 0,
) -> Value:
    """``onnx.gathernd``: GatherND, version 13.

    Results: output.

    data: T
    indices: tensor(int64)
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def gelu(
    x: Value,
    *,
    results: Sequence[Type | None],
    approximate: str = "none",
) -> Value:
    """``onnx.gelu``: Gelu, version 20.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def gemm(
    a: Value,
    b: Value,
    c: Value | None = None,
    *,
    results: Sequence[Type | None],
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Value:
    """``onnx.gemm``: Gemm, version 13.

    Results: y.

    a: T
    b: T
    c: T
    y: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def globalaveragepool(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.globalaveragepool``: GlobalAveragePool, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def globallppool(
    x: Value,
    *,
    results: Sequence[Type | None],
    p: int = 2,
) -> Value:
    """``onnx.globallppool``: GlobalLpPool, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def globalmaxpool(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.globalmaxpool``: GlobalMaxPool, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def greater(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.greater``: Greater, version 13.

    Results: c.

    a: T
    b: T
    c: T1

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    T1: bool
    """

def greaterorequal(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.greaterorequal``: GreaterOrEqual, version 16.

    Results: c.

    a: T
    b: T
    c: T1

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    T1: bool
    """

def gridsample(
    x: Value,
    grid: Value,
    *,
    results: Sequence[Type | None],
    align_corners: int = 0,
    mode: str = "linear",
    padding_mode: str = "zeros",
) -> Value:
    """``onnx.gridsample``: GridSample, version 22.

    Results: y.

    x: T1
    grid: T2
    y: T1

    T1: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    T2: bfloat16, double, float, float16
    """

def groupnormalization(
    x: Value,
    scale: Value,
    bias: Value,
    *,
    results: Sequence[Type | None],
    epsilon: float = 9.999999747378752e-06,
    num_groups: int,
    stash_type: int = 1,
) -> Value:
    """``onnx.groupnormalization``: GroupNormalization, version 21.

    Results: y.

    x: T
    scale: T
    bias: T
    y: T

    T: bfloat16, double, float, float16
    """

def gru(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    results: Sequence[Type | None],
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> list[Value]:
    """``onnx.gru``: GRU, version 22.

    Results: optional y, optional y_h.

    x: T
    w: T
    r: T
    b: T
    sequence_lens: T1
    initial_h: T
    y: T
    y_h: T

    T: bfloat16, double, float, float16
    T1: int32
    """

def hammingwindow(
    size: Value,
    *,
    results: Sequence[Type | None],
    output_datatype: int = 1,
    periodic: int = 1,
) -> Value:
    """``onnx.hammingwindow``: HammingWindow, version 17.

    Results: output.

    size: T1
    output: T2

    T1: int32, int64
    T2: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def hannwindow(
    size: Value,
    *,
    results: Sequence[Type | None],
    output_datatype: int = 1,
    periodic: int = 1,
) -> Value:
    """``onnx.hannwindow``: HannWindow, version 17.

    Results: output.

    size: T1
    output: T2

    T1: int32, int64
    T2: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def hardmax(
    input: Value,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
) -> Value:
    """``onnx.hardmax``: Hardmax, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def hardsigmoid(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 0.20000000298023224,
    beta: float = 0.5,
) -> Value:
    """``onnx.hardsigmoid``: HardSigmoid, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def hardswish(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.hardswish``: HardSwish, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def identity(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.identity``: Identity, version 25.

    Results: output.

    input: V
    output: V

    V: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8,
        optional(seq(tensor(bool))), optional(seq(tensor(complex128))), optional(seq(tensor(complex64))),
        optional(seq(tensor(double))), optional(seq(tensor(float))), optional(seq(tensor(float16))),
        optional(seq(tensor(int16))), optional(seq(tensor(int32))), optional(seq(tensor(int64))),
        optional(seq(tensor(int8))), optional(seq(tensor(string))), optional(seq(tensor(uint16))),
        optional(seq(tensor(uint32))), optional(seq(tensor(uint64))), optional(seq(tensor(uint8))),
        optional(tensor(bool)), optional(tensor(complex128)), optional(tensor(complex64)),
        optional(tensor(double)), optional(tensor(float)), optional(tensor(float16)), optional(tensor(int16)),
        optional(tensor(int32)), optional(tensor(int64)), optional(tensor(int8)), optional(tensor(string)),
        optional(tensor(uint16)), optional(tensor(uint32)), optional(tensor(uint64)), optional(tensor(uint8)),
        seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8)), string, uint16, uint2, uint32, uint4, uint64, uint8
    """

def if_(
    cond: Value,
    *,
    results: Sequence[Type | None],
    else_branch: Body,
    then_branch: Body,
) -> list[Value]:
    """``onnx.if``: If, version 25.

    Results: any number of outputs.

    cond: B
    outputs: V

    V: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8,
        optional(seq(tensor(bfloat16))), optional(seq(tensor(bool))), optional(seq(tensor(complex128))),
        optional(seq(tensor(complex64))), optional(seq(tensor(double))), optional(seq(tensor(float))),
        optional(seq(tensor(float16))), optional(seq(tensor(int16))), optional(seq(tensor(int32))),
        optional(seq(tensor(int64))), optional(seq(tensor(int8))), optional(seq(tensor(string))),
        optional(seq(tensor(uint16))), optional(seq(tensor(uint32))), optional(seq(tensor(uint64))),
        optional(seq(tensor(uint8))), optional(tensor(bfloat16)), optional(tensor(bool)),
        optional(tensor(complex128)), optional(tensor(complex64)), optional(tensor(double)),
        optional(tensor(float)), optional(tensor(float16)), optional(tensor(float4e2m1)),
        optional(tensor(float8e4m3fn)), optional(tensor(float8e4m3fnuz)), optional(tensor(float8e5m2)),
        optional(tensor(float8e5m2fnuz)), optional(tensor(float8e8m0)), optional(tensor(int16)),
        optional(tensor(int2)), optional(tensor(int32)), optional(tensor(int4)), optional(tensor(int64)),
        optional(tensor(int8)), optional(tensor(string)), optional(tensor(uint16)), optional(tensor(uint2)),
        optional(tensor(uint32)), optional(tensor(uint4)), optional(tensor(uint64)), optional(tensor(uint8)),
        seq(tensor(bfloat16)), seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)),
        seq(tensor(double)), seq(tensor(float)), seq(tensor(float16)), seq(tensor(float4e2m1)),
        seq(tensor(float8e4m3fn)), seq(tensor(float8e4m3fnuz)), seq(tensor(float8e5m2)),
        seq(tensor(float8e5m2fnuz)), seq(tensor(float8e8m0)), seq(tensor(int16)), seq(tensor(int2)),
        seq(tensor(int32)), seq(tensor(int4)), seq(tensor(int64)), seq(tensor(int8)), seq(tensor(string)),
        seq(tensor(uint16)), seq(tensor(uint2)), seq(tensor(uint32)), seq(tensor(uint4)), seq(tensor(uint64)),
        seq(tensor(uint8)), string, uint16, uint2, uint32, uint4, uint64, uint8
    B: bool
    """

def imagedecoder(
    encoded_stream: Value,
    *,
    results: Sequence[Type | None],
    pixel_format: str = "RGB",
) -> Value:
    """``onnx.imagedecoder``: ImageDecoder, version 20.

    Results: image.

    encoded_stream: T1
    image: T2

    T1: uint8
    T2: uint8
    """

def instancenormalization(
    input: Value,
    scale: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
    epsilon: float = 9.999999747378752e-06,
) -> Value:
    """``onnx.instancenormalization``: InstanceNormalization, version 22.

    Results: output.

    input: T
    scale: T
    b: T
    output: T

    T: bfloat16, double, float, float16
    """

def isinf(
    x: Value,
    *,
    results: Sequence[Type | None],
    detect_negative: int = 1,
    detect_positive: int = 1,
) -> Value:
    """``onnx.isinf``: IsInf, version 20.

    Results: y.

    x: T1
    y: T2

    T1: bfloat16, double, float, float16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz
    T2: bool
    """

def isnan(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.isnan``: IsNaN, version 20.

    Results: y.

    x: T1
    y: T2

    T1: bfloat16, double, float, float16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz
    T2: bool
    """

def layernormalization(
    x: Value,
    scale: Value,
    b: Value | None = None,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
    epsilon: float = 9.999999747378752e-06,
    stash_type: int = 1,
) -> list[Value]:
    """``onnx.layernormalization``: LayerNormalization, version 17.

    Results: y, optional mean, optional invstddev.

    x: T
    scale: T
    b: T
    y: T
    mean: U
    invstddev: U

    T: bfloat16, double, float, float16
    U: bfloat16, float
    """

def leakyrelu(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 0.009999999776482582,
) -> Value:
    """``onnx.leakyrelu``: LeakyRelu, version 16.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def less(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.less``: Less, version 13.

    Results: c.

    a: T
    b: T
    c: T1

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    T1: bool
    """

def lessorequal(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.lessorequal``: LessOrEqual, version 16.

    Results: c.

    a: T
    b: T
    c: T1

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    T1: bool
    """

def linearattention(
    query: Value,
    key: Value,
    value: Value,
    past_state: Value | None = None,
    decay: Value | None = None,
    beta: Value | None = None,
    *,
    results: Sequence[Type | None],
    chunk_size: int = 64,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = 0.0,
    update_rule: str = "gated_delta",
) -> list[Value]:
    """``onnx.linearattention``: LinearAttention, version 27.

    Results: output, present_state.

    query: T
    key: T
    value: T
    past_state: S
    decay: T
    beta: T
    output: T
    present_state: S

    T: bfloat16, float, float16
    S: bfloat16, float, float16
    """

def log(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.log``: Log, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def logsoftmax(
    input: Value,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
) -> Value:
    """``onnx.logsoftmax``: LogSoftmax, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def loop(
    m: Value | None,
    cond: Value | None,
    *v_initial: Value | None,
    results: Sequence[Type | None],
    body: Body,
) -> list[Value]:
    """``onnx.loop``: Loop, version 25.

    Results: any number of v_final_and_scan_outputs.

    m: I
    cond: B
    v_initial: V
    v_final_and_scan_outputs: V

    V: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8,
        optional(seq(tensor(bfloat16))), optional(seq(tensor(bool))), optional(seq(tensor(complex128))),
        optional(seq(tensor(complex64))), optional(seq(tensor(double))), optional(seq(tensor(float))),
        optional(seq(tensor(float16))), optional(seq(tensor(int16))), optional(seq(tensor(int32))),
        optional(seq(tensor(int64))), optional(seq(tensor(int8))), optional(seq(tensor(string))),
        optional(seq(tensor(uint16))), optional(seq(tensor(uint32))), optional(seq(tensor(uint64))),
        optional(seq(tensor(uint8))), optional(tensor(bfloat16)), optional(tensor(bool)),
        optional(tensor(complex128)), optional(tensor(complex64)), optional(tensor(double)),
        optional(tensor(float)), optional(tensor(float16)), optional(tensor(float4e2m1)),
        optional(tensor(float8e4m3fn)), optional(tensor(float8e4m3fnuz)), optional(tensor(float8e5m2)),
        optional(tensor(float8e5m2fnuz)), optional(tensor(float8e8m0)), optional(tensor(int16)),
        optional(tensor(int2)), optional(tensor(int32)), optional(tensor(int4)), optional(tensor(int64)),
        optional(tensor(int8)), optional(tensor(string)), optional(tensor(uint16)), optional(tensor(uint2)),
        optional(tensor(uint32)), optional(tensor(uint4)), optional(tensor(uint64)), optional(tensor(uint8)),
        seq(tensor(bfloat16)), seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)),
        seq(tensor(double)), seq(tensor(float)), seq(tensor(float16)), seq(tensor(float4e2m1)),
        seq(tensor(float8e4m3fn)), seq(tensor(float8e4m3fnuz)), seq(tensor(float8e5m2)),
        seq(tensor(float8e5m2fnuz)), seq(tensor(float8e8m0)), seq(tensor(int16)), seq(tensor(int2)),
        seq(tensor(int32)), seq(tensor(int4)), seq(tensor(int64)), seq(tensor(int8)), seq(tensor(string)),
        seq(tensor(uint16)), seq(tensor(uint2)), seq(tensor(uint32)), seq(tensor(uint4)), seq(tensor(uint64)),
        seq(tensor(uint8)), string, uint16, uint2, uint32, uint4, uint64, uint8
    I: int64
    B: bool
    """

def lpnormalization(
    input: Value,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
    p: int = 2,
) -> Value:
    """``onnx.lpnormalization``: LpNormalization, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def lppool(
    x: Value,
    *,
    results: Sequence[Type | None],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int],
    p: int = 2,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.lppool``: LpPool, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def lrn(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 9.999999747378752e-05,
    beta: float = 0.75,
    bias: float = 1.0,
    size: int,
) -> Value:
    """``onnx.lrn``: LRN, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def lstm(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    initial_c: Value | None = None,
    p: Value | None = None,
    *,
    results: Sequence[Type | None],
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
    layout: int = 0,
) -> list[Value]:
    """``onnx.lstm``: LSTM, version 22.

    Results: optional y, optional y_h, optional y_c.

    x: T
    w: T
    r: T
    b: T
    sequence_lens: T1
    initial_h: T
    initial_c: T
    p: T
    y: T
    y_h: T
    y_c: T

    T: bfloat16, double, float, float16
    T1: int32
    """

def matmul(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.matmul``: MatMul, version 13.

    Results: y.

    a: T
    b: T
    y: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def matmulinteger(
    a: Value,
    b: Value,
    a_zero_point: Value | None = None,
    b_zero_point: Value | None = None,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.matmulinteger``: MatMulInteger, version 10.

    Results: y.

    a: T1
    b: T2
    a_zero_point: T1
    b_zero_point: T2
    y: T3

    T1: int8, uint8
    T2: int8, uint8
    T3: int32
    """

def max(
    *data_0: Value | None,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.max``: Max, version 13.

    Results: max.

    data_0: T
    max: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def maxpool(
    x: Value,
    *,
    results: Sequence[Type | None],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    storage_order: int = 0,
    strides: Sequence[int] | None = None,
) -> list[Value]:
    """``onnx.maxpool``: MaxPool, version 22.

    Results: y, optional indices.

    x: T
    y: T
    indices: I

    T: bfloat16, double, float, float16, int8, uint8
    I: int64
    """

def maxroipool(
    x: Value,
    rois: Value,
    *,
    results: Sequence[Type | None],
    pooled_shape: Sequence[int],
    spatial_scale: float = 1.0,
) -> Value:
    """``onnx.maxroipool``: MaxRoiPool, version 22.

    Results: y.

    x: T
    rois: T
    y: T

    T: bfloat16, double, float, float16
    """

def maxunpool(
    x: Value,
    i: Value,
    output_shape: Value | None = None,
    *,
    results: Sequence[Type | None],
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.maxunpool``: MaxUnpool, version 22.

    Results: output.

    x: T1
    i: T2
    output_shape: T2
    output: T1

    T1: bfloat16, double, float, float16
    T2: int64
    """

def mean(
    *data_0: Value | None,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.mean``: Mean, version 13.

    Results: mean.

    data_0: T
    mean: T

    T: bfloat16, double, float, float16
    """

def meanvariancenormalization(
    x: Value,
    *,
    results: Sequence[Type | None],
    axes: Sequence[int] = (0, 2, 3),
) -> Value:
    """``onnx.meanvariancenormalization``: MeanVarianceNormalization, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def melweightmatrix(
    num_mel_bins: Value,
    dft_length: Value,
    sample_rate: Value,
    lower_edge_hertz: Value,
    upper_edge_hertz: Value,
    *,
    results: Sequence[Type | None],
    output_datatype: int = 1,
) -> Value:
    """``onnx.melweightmatrix``: MelWeightMatrix, version 17.

    Results: output.

    num_mel_bins: T1
    dft_length: T1
    sample_rate: T1
    lower_edge_hertz: T2
    upper_edge_hertz: T2
    output: T3

    T1: int32, int64
    T2: bfloat16, double, float, float16
    T3: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def min(
    *data_0: Value | None,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.min``: Min, version 13.

    Results: min.

    data_0: T
    min: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def mish(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.mish``: Mish, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def mod(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
    fmod: int = 0,
) -> Value:
    """``onnx.mod``: Mod, version 28.

    Results: c.

    a: T
    b: T
    c: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def mul(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.mul``: Mul, version 14.

    Results: c.

    a: T
    b: T
    c: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def multinomial(
    input: Value,
    *,
    results: Sequence[Type | None],
    dtype: int = 6,
    sample_size: int = 1,
    seed: float | None = None,
) -> Value:
    """``onnx.multinomial``: Multinomial, version 22.

    Results: output.

    input: T1
    output: T2

    T1: bfloat16, double, float, float16
    T2: int32, int64
    """

def neg(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.neg``: Neg, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8
    """

def negativeloglikelihoodloss(
    input: Value,
    target: Value,
    weight: Value | None = None,
    *,
    results: Sequence[Type | None],
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Value:
    """``onnx.negativeloglikelihoodloss``: NegativeLogLikelihoodLoss, version 22.

    Results: loss.

    input: T
    target: Tind
    weight: T
    loss: T

    T: bfloat16, double, float, float16
    Tind: int32, int64
    """

def nonmaxsuppression(
    boxes: Value,
    scores: Value,
    max_output_boxes_per_class: Value | None = None,
    iou_threshold: Value | None = None,
    score_threshold: Value | None = None,
    *,
    results: Sequence[Type | None],
    center_point_box: int = 0,
) -> Value:
    """``onnx.nonmaxsuppression``: NonMaxSuppression, version 11.

    Results: selected_indices.

    boxes: tensor(float)
    scores: tensor(float)
    max_output_boxes_per_class: tensor(int64)
    iou_threshold: tensor(float)
    score_threshold: tensor(float)
    selected_indices: tensor(int64)
    """

def nonzero(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.nonzero``: NonZero, version 13.

    Results: y.

    x: T
    y: tensor(int64)

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def not_(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.not``: Not, version 1.

    Results: y.

    x: T
    y: T

    T: bool
    """

def onehot(
    indices: Value,
    depth: Value,
    values: Value,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
) -> Value:
    """``onnx.onehot``: OneHot, version 28.

    Results: output.

    indices: T1
    depth: T2
    values: T3
    output: T3

    T1: double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    T2: double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    T3: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def onnx_ml_arrayfeatureextractor(
    x: Value,
    y: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx_ml.arrayfeatureextractor``: ArrayFeatureExtractor of ai.onnx.ml, version 1.

    Results: z.

    x: T
    y: tensor(int64)
    z: T

    T: double, float, int32, int64, string
    """

def onnx_ml_binarizer(
    x: Value,
    *,
    results: Sequence[Type | None],
    threshold: float = 0.0,
) -> Value:
    """``onnx_ml.binarizer``: Binarizer of ai.onnx.ml, version 1.

    Results: y.

    x: T
    y: T

    T: double, float, int32, int64
    """

def onnx_ml_castmap(
    x: Value,
    *,
    results: Sequence[Type | None],
    cast_to: str = "TO_FLOAT",
    map_form: str = "DENSE",
    max_map: int = 1,
) -> Value:
    """``onnx_ml.castmap``: CastMap of ai.onnx.ml, version 1.

    Results: y.

    x: T1
    y: T2

    T1: map(int64, float), map(int64, string)
    T2: float, int64, string
    """

def onnx_ml_categorymapper(
    x: Value,
    *,
    results: Sequence[Type | None],
    cats_int64s: Sequence[int] | None = None,
    cats_strings: Sequence[str] | None = None,
    default_int64: int = -1,
    default_string: str = "_Unused",
) -> Value:
    """``onnx_ml.categorymapper``: CategoryMapper of ai.onnx.ml, version 1.

    Results: y.

    x: T1
    y: T2

    T1: int64, string
    T2: int64, string
    """

def onnx_ml_dictvectorizer(
    x: Value,
    *,
    results: Sequence[Type | None],
    int64_vocabulary: Sequence[int] | None = None,
    string_vocabulary: Sequence[str] | None = None,
) -> Value:
    """``onnx_ml.dictvectorizer``: DictVectorizer of ai.onnx.ml, version 1.

    Results: y.

    x: T1
    y: T2

    T1: map(int64, double), map(int64, float), map(int64, string), map(string, double), map(string, float),
        map(string, int64)
    T2: double, float, int64, string
    """

def onnx_ml_featurevectorizer(
    *x: Value | None,
    results: Sequence[Type | None],
    inputdimensions: Sequence[int] | None = None,
) -> Value:
    """``onnx_ml.featurevectorizer``: FeatureVectorizer of ai.onnx.ml, version 1.

    Results: y.

    x: T1
    y: tensor(float)

    T1: double, float, int32, int64
    """

def onnx_ml_imputer(
    x: Value,
    *,
    results: Sequence[Type | None],
    imputed_value_floats: Sequence[float] | None = None,
    imputed_value_int64s: Sequence[int] | None = None,
    replaced_value_float: float = 0.0,
    replaced_value_int64: int = 0,
) -> Value:
    """``onnx_ml.imputer``: Imputer of ai.onnx.ml, version 1.

    Results: y.

    x: T
    y: T

    T: double, float, int32, int64
    """

def onnx_ml_labelencoder(
    x: Value,
    *,
    results: Sequence[Type | None],
    default_float: float = -0.0,
    default_int64: int = -1,
    default_string: str = "_Unused",
    default_tensor: np.ndarray | None = None,
    keys_floats: Sequence[float] | None = None,
    keys_int64s: Sequence[int] | None = None,
    keys_strings: Sequence[str] | None = None,
    keys_tensor: np.ndarray | None = None,
    values_floats: Sequence[float] | None = None,
    values_int64s: Sequence[int] | None = None,
    values_strings: Sequence[str] | None = None,
    values_tensor: np.ndarray | None = None,
) -> Value:
    """``onnx_ml.labelencoder``: LabelEncoder of ai.onnx.ml, version 4.

    Results: y.

    x: T1
    y: T2

    T1: double, float, int16, int32, int64, string
    T2: double, float, int16, int32, int64, string
    """

def onnx_ml_linearclassifier(
    x: Value,
    *,
    results: Sequence[Type | None],
    classlabels_ints: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
    coefficients: Sequence[float],
    intercepts: Sequence[float] | None = None,
    multi_class: int = 0,
    post_transform: str = "NONE",
) -> list[Value]:
    """``onnx_ml.linearclassifier``: LinearClassifier of ai.onnx.ml, version 1.

    Results: y, z.

    x: T1
    y: T2
    z: tensor(float)

    T1: double, float, int32, int64
    T2: int64, string
    """

def onnx_ml_linearregressor(
    x: Value,
    *,
    results: Sequence[Type | None],
    coefficients: Sequence[float] | None = None,
    intercepts: Sequence[float] | None = None,
    post_transform: str = "NONE",
    targets: int = 1,
) -> Value:
    """``onnx_ml.linearregressor``: LinearRegressor of ai.onnx.ml, version 1.

    Results: y.

    x: T
    y: tensor(float)

    T: double, float, int32, int64
    """

def onnx_ml_normalizer(
    x: Value,
    *,
    results: Sequence[Type | None],
    norm: str = "MAX",
) -> Value:
    """``onnx_ml.normalizer``: Normalizer of ai.onnx.ml, version 1.

    Results: y.

    x: T
    y: tensor(float)

    T: double, float, int32, int64
    """

def onnx_ml_onehotencoder(
    x: Value,
    *,
    results: Sequence[Type | None],
    cats_int64s: Sequence[int] | None = None,
    cats_strings: Sequence[str] | None = None,
    zeros: int = 1,
) -> Value:
    """``onnx_ml.onehotencoder``: OneHotEncoder of ai.onnx.ml, version 1.

    Results: y.

    x: T
    y: tensor(float)

    T: double, float, int32, int64, string
    """

def onnx_ml_scaler(
    x: Value,
    *,
    results: Sequence[Type | None],
    offset: Sequence[float] | None = None,
    scale: Sequence[float] | None = None,
) -> Value:
    """``onnx_ml.scaler``: Scaler of ai.onnx.ml, version 1.

    Results: y.

    x: T
    y: tensor(float)

    T: double, float, int32, int64
    """

def onnx_ml_svmclassifier(
    x: Value,
    *,
    results: Sequence[Type | None],
    classlabels_ints: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
    coefficients: Sequence[float] | None = None,
    kernel_params: Sequence[float] | None = None,
    kernel_type: str = "LINEAR",
    post_transform: str = "NONE",
    prob_a: Sequence[float] | None = None,
    prob_b: Sequence[float] | None = None,
    rho: Sequence[float] | None = None,
    support_vectors: Sequence[float] | None = None,
    vectors_per_class: Sequence[int] | None = None,
) -> list[Value]:
    """``onnx_ml.svmclassifier``: SVMClassifier of ai.onnx.ml, version 1.

    Results: y, z.

    x: T1
    y: T2
    z: tensor(float)

    T1: double, float, int32, int64
    T2: int64, string
    """

def onnx_ml_svmregressor(
    x: Value,
    *,
    results: Sequence[Type | None],
    coefficients: Sequence[float] | None = None,
    kernel_params: Sequence[float] | None = None,
    kernel_type: str = "LINEAR",
    n_supports: int = 0,
    one_class: int = 0,
    post_transform: str = "NONE",
    rho: Sequence[float] | None = None,
    support_vectors: Sequence[float] | None = None,
) -> Value:
    """``onnx_ml.svmregressor``: SVMRegressor of ai.onnx.ml, version 1.

    Results: y.

    x: T
    y: tensor(float)

    T: double, float, int32, int64
    """

def onnx_ml_treeensemble(
    x: Value,
    *,
    results: Sequence[Type | None],
    aggregate_function: int = 1,
    leaf_targetids: Sequence[int],
    leaf_weights: np.ndarray,
    membership_values: np.ndarray | None = None,
    n_targets: int | None = None,
    nodes_falseleafs: Sequence[int],
    nodes_falsenodeids: Sequence[int],
    nodes_featureids: Sequence[int],
    nodes_hitrates: np.ndarray | None = None,
    nodes_missing_value_tracks_true: Sequence[int] | None = None,
    nodes_modes: np.ndarray,
    nodes_splits: np.ndarray,
    nodes_trueleafs: Sequence[int],
    nodes_truenodeids: Sequence[int],
    post_transform: int = 0,
    tree_roots: Sequence[int],
) -> Value:
    """``onnx_ml.treeensemble``: TreeEnsemble of ai.onnx.ml, version 5.

    Results: y.

    x: T
    y: T

    T: double, float, float16
    """

def onnx_ml_treeensembleclassifier(
    x: Value,
    *,
    results: Sequence[Type | None],
    base_values: Sequence[float] | None = None,
    base_values_as_tensor: np.ndarray | None = None,
    class_ids: Sequence[int] | None = None,
    class_nodeids: Sequence[int] | None = None,
    class_treeids: Sequence[int] | None = None,
    class_weights: Sequence[float] | None = None,
    class_weights_as_tensor: np.ndarray | None = None,
    classlabels_int64s: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
    nodes_falsenodeids: Sequence[int] | None = None,
    nodes_featureids: Sequence[int] | None = None,
    nodes_hitrates: Sequence[float] | None = None,
    nodes_hitrates_as_tensor: np.ndarray | None = None,
    nodes_missing_value_tracks_true: Sequence[int] | None = None,
    nodes_modes: Sequence[str] | None = None,
    nodes_nodeids: Sequence[int] | None = None,
    nodes_treeids: Sequence[int] | None = None,
    nodes_truenodeids: Sequence[int] | None = None,
    nodes_values: Sequence[float] | None = None,
    nodes_values_as_tensor: np.ndarray | None = None,
    post_transform: str = "NONE",
) -> list[Value]:
    """``onnx_ml.treeensembleclassifier``: TreeEnsembleClassifier of ai.onnx.ml, version 5; deprecated.

    Results: y, z.

    x: T1
    y: T2
    z: tensor(float)

    T1: double, float, int32, int64
    T2: int64, string
    """

def onnx_ml_treeensembleregressor(
    x: Value,
    *,
    results: Sequence[Type | None],
    aggregate_function: str = "SUM",
    base_values: Sequence[float] | None = None,
    base_values_as_tensor: np.ndarray | None = None,
    n_targets: int | None = None,
    nodes_falsenodeids: Sequence[int] | None = None,
    nodes_featureids: Sequence[int] | None = None,
    nodes_hitrates: Sequence[float] | None = None,
    nodes_hitrates_as_tensor: np.ndarray | None = None,
    nodes_missing_value_tracks_true: Sequence[int] | None = None,
    nodes_modes: Sequence[str] | None = None,
    nodes_nodeids: Sequence[int] | None = None,
    nodes_treeids: Sequence[int] | None = None,
    nodes_truenodeids: Sequence[int] | None = None,
    nodes_values: Sequence[float] | None = None,
    nodes_values_as_tensor: np.ndarray | None = None,
    post_transform: str = "NONE",
    target_ids: Sequence[int] | None = None,
    target_nodeids: Sequence[int] | None = None,
    target_treeids: Sequence[int] | None = None,
    target_weights: Sequence[float] | None = None,
    target_weights_as_tensor: np.ndarray | None = None,
) -> Value:
    """``onnx_ml.treeensembleregressor``: TreeEnsembleRegressor of ai.onnx.ml, version 5; deprecated.

    Results: y.

    x: T
    y: tensor(float)

    T: double, float, int32, int64
    """

def onnx_ml_zipmap(
    x: Value,
    *,
    results: Sequence[Type | None],
    classlabels_int64s: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
) -> Value:
    """``onnx_ml.zipmap``: ZipMap of ai.onnx.ml, version 1.

    Results: z.

    x: tensor(float)
    z: T

    T: seq(map(int64, float)), seq(map(string, float))
    """

def onnx_preview_flexattention(
    q: Value,
    k: Value,
    v: Value,
    *,
    results: Sequence[Type | None],
    scale: float | None = None,
    softmax_precision: int | None = None,
    prob_mod: Body | None = None,
    score_mod: Body | None = None,
) -> Value:
    """``onnx_preview.flexattention``: FlexAttention of ai.onnx.preview, version 1.

    Results: y.

    q: T1
    k: T1
    v: T1
    y: T1

    T1: bfloat16, double, float, float16
    """

def onnx_training_adagrad(
    r: Value,
    t: Value,
    *inputs: Value | None,
    results: Sequence[Type | None],
    decay_factor: float = 0.0,
    epsilon: float = 9.999999974752427e-07,
    norm_coefficient: float = 0.0,
) -> list[Value]:
    """``onnx_training.adagrad``: Adagrad of ai.onnx.preview.training, version 1.

    Results: any number of outputs.

    r: T1
    t: T2
    inputs: T3
    outputs: T3

    T1: double, float
    T2: int64
    T3: double, float
    """

def onnx_training_adam(
    r: Value,
    t: Value,
    *inputs: Value | None,
    results: Sequence[Type | None],
    alpha: float = 0.8999999761581421,
    beta: float = 0.9990000128746033,
    epsilon: float = 9.999999974752427e-07,
    norm_coefficient: float = 0.0,
    norm_coefficient_post: float = 0.0,
) -> list[Value]:
    """``onnx_training.adam``: Adam of ai.onnx.preview.training, version 1.

    Results: any number of outputs.

    r: T1
    t: T2
    inputs: T3
    outputs: T3

    T1: double, float
    T2: int64
    T3: double, float
    """

def onnx_training_gradient(
    *inputs: Value | None,
    results: Sequence[Type | None],
    xs: Sequence[str],
    y: str,
    zs: Sequence[str] | None = None,
) -> list[Value]:
    """``onnx_training.gradient``: Gradient of ai.onnx.preview.training, version 1.

    Results: any number of outputs.

    inputs: T1
    outputs: T2

    T1: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16, uint32,
        uint64, uint8
    T2: double, float, float16
    """

def onnx_training_momentum(
    r: Value,
    t: Value,
    *inputs: Value | None,
    results: Sequence[Type | None],
    alpha: float,
    beta: float,
    mode: str,
    norm_coefficient: float,
) -> list[Value]:
    """``onnx_training.momentum``: Momentum of ai.onnx.preview.training, version 1.

    Results: any number of outputs.

    r: T1
    t: T2
    inputs: T3
    outputs: T3

    T1: double, float
    T2: int64
    T3: double, float
    """

def optional(
    input: Value | None = None,
    *,
    results: Sequence[Type | None],
    type: Type | None = None,
) -> Value:
    """``onnx.optional``: Optional, version 28.

    Results: output.

    input: V
    output: O

    V: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float6e2m3, float6e3m2,
        float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64,
        int8, seq(tensor(bfloat16)), seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)),
        seq(tensor(double)), seq(tensor(float)), seq(tensor(float16)), seq(tensor(float4e2m1)),
        seq(tensor(float6e2m3)), seq(tensor(float6e3m2)), seq(tensor(float8e4m3fn)), seq(tensor(float8e4m3fnuz)),
        seq(tensor(float8e5m2)), seq(tensor(float8e5m2fnuz)), seq(tensor(float8e8m0)), seq(tensor(int16)),
        seq(tensor(int2)), seq(tensor(int32)), seq(tensor(int4)), seq(tensor(int64)), seq(tensor(int8)),
        seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint2)), seq(tensor(uint32)), seq(tensor(uint4)),
        seq(tensor(uint64)), seq(tensor(uint8)), string, uint16, uint2, uint32, uint4, uint64, uint8
    O: optional(seq(tensor(bfloat16))), optional(seq(tensor(bool))), optional(seq(tensor(complex128))),
        optional(seq(tensor(complex64))), optional(seq(tensor(double))), optional(seq(tensor(float))),
        optional(seq(tensor(float16))), optional(seq(tensor(float4e2m1))), optional(seq(tensor(float6e2m3))),
        optional(seq(tensor(float6e3m2))), optional(seq(tensor(float8e4m3fn))),
        optional(seq(tensor(float8e4m3fnuz))), optional(seq(tensor(float8e5m2))),
        optional(seq(tensor(float8e5m2fnuz))), optional(seq(tensor(float8e8m0))), optional(seq(tensor(int16))),
        optional(seq(tensor(int2))), optional(seq(tensor(int32))), optional(seq(tensor(int4))),
        optional(seq(tensor(int64))), optional(seq(tensor(int8))), optional(seq(tensor(string))),
        optional(seq(tensor(uint16))), optional(seq(tensor(uint2))), optional(seq(tensor(uint32))),
        optional(seq(tensor(uint4))), optional(seq(tensor(uint64))), optional(seq(tensor(uint8))),
        optional(tensor(bfloat16)), optional(tensor(bool)), optional(tensor(complex128)),
        optional(tensor(complex64)), optional(tensor(double)), optional(tensor(float)), optional(tensor(float16)),
        optional(tensor(float4e2m1)), optional(tensor(float6e2m3)), optional(tensor(float6e3m2)),
        optional(tensor(float8e4m3fn)), optional(tensor(float8e4m3fnuz)), optional(tensor(float8e5m2)),
        optional(tensor(float8e5m2fnuz)), optional(tensor(float8e8m0)), optional(tensor(int16)),
        optional(tensor(int2)), optional(tensor(int32)), optional(tensor(int4)), optional(tensor(int64)),
        optional(tensor(int8)), optional(tensor(string)), optional(tensor(uint16)), optional(tensor(uint2)),
        optional(tensor(uint32)), optional(tensor(uint4)), optional(tensor(uint64)), optional(tensor(uint8))
    """

def optionalgetelement(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.optionalgetelement``: OptionalGetElement, version 28.

    Results: output.

    input: O
    output: V

    O: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float6e2m3, float6e3m2,
        float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64,
        int8, optional(seq(tensor(bfloat16))), optional(seq(tensor(bool))), optional(seq(tensor(complex128))),
        optional(seq(tensor(complex64))), optional(seq(tensor(double))), optional(seq(tensor(float))),
        optional(seq(tensor(float16))), optional(seq(tensor(float4e2m1))), optional(seq(tensor(float6e2m3))),
        optional(seq(tensor(float6e3m2))), optional(seq(tensor(float8e4m3fn))),
        optional(seq(tensor(float8e4m3fnuz))), optional(seq(tensor(float8e5m2))),
        optional(seq(tensor(float8e5m2fnuz))), optional(seq(tensor(float8e8m0))), optional(seq(tensor(int16))),
        optional(seq(tensor(int2))), optional(seq(tensor(int32))), optional(seq(tensor(int4))),
        optional(seq(tensor(int64))), optional(seq(tensor(int8))), optional(seq(tensor(string))),
        optional(seq(tensor(uint16))), optional(seq(tensor(uint2))), optional(seq(tensor(uint32))),
        optional(seq(tensor(uint4))), optional(seq(tensor(uint64))), optional(seq(tensor(uint8))),
        optional(tensor(bfloat16)), optional(tensor(bool)), optional(tensor(complex128)),
        optional(tensor(complex64)), optional(tensor(double)), optional(tensor(float)), optional(tensor(float16)),
        optional(tensor(float4e2m1)), optional(tensor(float6e2m3)), optional(tensor(float6e3m2)),
        optional(tensor(float8e4m3fn)), optional(tensor(float8e4m3fnuz)), optional(tensor(float8e5m2)),
        optional(tensor(float8e5m2fnuz)), optional(tensor(float8e8m0)), optional(tensor(int16)),
        optional(tensor(int2)), optional(tensor(int32)), optional(tensor(int4)), optional(tensor(int64)),
        optional(tensor(int8)), optional(tensor(string)), optional(tensor(uint16)), optional(tensor(uint2)),
        optional(tensor(uint32)), optional(tensor(uint4)), optional(tensor(uint64)), optional(tensor(uint8)),
        seq(tensor(bfloat16)), seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)),
        seq(tensor(double)), seq(tensor(float)), seq(tensor(float16)), seq(tensor(float4e2m1)),
        seq(tensor(float6e2m3)), seq(tensor(float6e3m2)), seq(tensor(float8e4m3fn)), seq(tensor(float8e4m3fnuz)),
        seq(tensor(float8e5m2)), seq(tensor(float8e5m2fnuz)), seq(tensor(float8e8m0)), seq(tensor(int16)),
        seq(tensor(int2)), seq(tensor(int32)), seq(tensor(int4)), seq(tensor(int64)), seq(tensor(int8)),
        seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint2)), seq(tensor(uint32)), seq(tensor(uint4)),
        seq(tensor(uint64)), seq(tensor(uint8)), string, uint16, uint2, uint32, uint4, uint64, uint8
    V: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float6e2m3, float6e3m2,
        float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64,
        int8, seq(tensor(bfloat16)), seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)),
        seq(tensor(double)), seq(tensor(float)), seq(tensor(float16)), seq(tensor(float4e2m1)),
        seq(tensor(float6e2m3)), seq(tensor(float6e3m2)), seq(tensor(float8e4m3fn)), seq(tensor(float8e4m3fnuz)),
        seq(tensor(float8e5m2)), seq(tensor(float8e5m2fnuz)), seq(tensor(float8e8m0)), seq(tensor(int16)),
        seq(tensor(int2)), seq(tensor(int32)), seq(tensor(int4)), seq(tensor(int64)), seq(tensor(int8)),
        seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint2)), seq(tensor(uint32)), seq(tensor(uint4)),
        seq(tensor(uint64)), seq(tensor(uint8)), string, uint16, uint2, uint32, uint4, uint64, uint8
    """

def optionalhaselement(
    input: Value | None = None,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.optionalhaselement``: OptionalHasElement, version 28.

    Results: output.

    input: O
    output: B

    O: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float6e2m3, float6e3m2,
        float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64,
        int8, optional(seq(tensor(bfloat16))), optional(seq(tensor(bool))), optional(seq(tensor(complex128))),
        optional(seq(tensor(complex64))), optional(seq(tensor(double))), optional(seq(tensor(float))),
        optional(seq(tensor(float16))), optional(seq(tensor(float4e2m1))), optional(seq(tensor(float6e2m3))),
        optional(seq(tensor(float6e3m2))), optional(seq(tensor(float8e4m3fn))),
        optional(seq(tensor(float8e4m3fnuz))), optional(seq(tensor(float8e5m2))),
        optional(seq(tensor(float8e5m2fnuz))), optional(seq(tensor(float8e8m0))), optional(seq(tensor(int16))),
        optional(seq(tensor(int2))), optional(seq(tensor(int32))), optional(seq(tensor(int4))),
        optional(seq(tensor(int64))), optional(seq(tensor(int8))), optional(seq(tensor(string))),
        optional(seq(tensor(uint16))), optional(seq(tensor(uint2))), optional(seq(tensor(uint32))),
        optional(seq(tensor(uint4))), optional(seq(tensor(uint64))), optional(seq(tensor(uint8))),
        optional(tensor(bfloat16)), optional(tensor(bool)), optional(tensor(complex128)),
        optional(tensor(complex64)), optional(tensor(double)), optional(tensor(float)), optional(tensor(float16)),
        optional(tensor(float4e2m1)), optional(tensor(float6e2m3)), optional(tensor(float6e3m2)),
        optional(tensor(float8e4m3fn)), optional(tensor(float8e4m3fnuz)), optional(tensor(float8e5m2)),
        optional(tensor(float8e5m2fnuz)), optional(tensor(float8e8m0)), optional(tensor(int16)),
        optional(tensor(int2)), optional(tensor(int32)), optional(tensor(int4)), optional(tensor(int64)),
        optional(tensor(int8)), optional(tensor(string)), optional(tensor(uint16)), optional(tensor(uint2)),
        optional(tensor(uint32)), optional(tensor(uint4)), optional(tensor(uint64)), optional(tensor(uint8)),
        seq(tensor(bfloat16)), seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)),
        seq(tensor(double)), seq(tensor(float)), seq(tensor(float16)), seq(tensor(float4e2m1)),
        seq(tensor(float6e2m3)), seq(tensor(float6e3m2)), seq(tensor(float8e4m3fn)), seq(tensor(float8e4m3fnuz)),
        seq(tensor(float8e5m2)), seq(tensor(float8e5m2fnuz)), seq(tensor(float8e8m0)), seq(tensor(int16)),
        seq(tensor(int2)), seq(tensor(int32)), seq(tensor(int4)), seq(tensor(int64)), seq(tensor(int8)),
        seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint2)), seq(tensor(uint32)), seq(tensor(uint4)),
        seq(tensor(uint64)), seq(tensor(uint8)), string, uint16, uint2, uint32, uint4, uint64, uint8
    B: bool
    """

def or_(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.or``: Or, version 7.

    Results: c.

    a: T
    b: T
    c: T1

    T: bool
    T1: bool
    """

def pad(
    data: Value,
    pads: Value,
    constant_value: Value | None = None,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    mode: str = "constant",
) -> Value:
    """``onnx.pad``: Pad, version 25.

    Results: output.

    data: T
    pads: tensor(int64)
    constant_value: T
    axes: Tind
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    Tind: int32, int64
    """

def pow(
    x: Value,
    y: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.pow``: Pow, version 15.

    Results: z.

    x: T
    y: T1
    z: T

    T: bfloat16, double, float, float16, int32, int64
    T1: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def prelu(
    x: Value,
    slope: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.prelu``: PRelu, version 16.

    Results: y.

    x: T
    slope: T
    y: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def qlinearconv(
    x: Value,
    x_scale: Value,
    x_zero_point: Value,
    w: Value,
    w_scale: Value,
    w_zero_point: Value,
    y_scale: Value,
    y_zero_point: Value,
    b: Value | None = None,
    *,
    results: Sequence[Type | None],
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Value:
    """``onnx.qlinearconv``: QLinearConv, version 10.

    Results: y.

    x: T1
    x_scale: tensor(float)
    x_zero_point: T1
    w: T2
    w_scale: tensor(float)
    w_zero_point: T2
    y_scale: tensor(float)
    y_zero_point: T3
    b: T4
    y: T3

    T1: int8, uint8
    T2: int8, uint8
    T3: int8, uint8
    T4: int32
    """

def qlinearmatmul(
    a: Value,
    a_scale: Value,
    a_zero_point: Value,
    b: Value,
    b_scale: Value,
    b_zero_point: Value,
    y_scale: Value,
    y_zero_point: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.qlinearmatmul``: QLinearMatMul, version 21.

    Results: y.

    a: T1
    a_scale: TS
    a_zero_point: T1
    b: T2
    b_scale: TS
    b_zero_point: T2
    y_scale: TS
    y_zero_point: T3
    y: T3

    TS: bfloat16, float, float16
    T1: float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, int8, uint8
    T2: float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, int8, uint8
    T3: float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, int8, uint8
    """

def quantizelinear(
    x: Value,
    y_scale: Value,
    y_zero_point: Value | None = None,
    *,
    results: Sequence[Type | None],
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> Value:
    """``onnx.quantizelinear``: QuantizeLinear, version 28.

    Results: y.

    x: T1
    y_scale: T2
    y_zero_point: T3
    y: T3

    T1: bfloat16, float, float16, int32
    T2: bfloat16, float, float16, float8e8m0, int32
    T3: float4e2m1, float6e2m3, float6e3m2, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, int16, int2,
        int4, int8, uint16, uint2, uint4, uint8
    """

def randomnormal(
    *,
    results: Sequence[Type | None],
    dtype: int = 1,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
    shape: Sequence[int],
) -> Value:
    """``onnx.randomnormal``: RandomNormal, version 22.

    Results: output.

    output: T

    T: bfloat16, double, float, float16
    """

def randomnormallike(
    input: Value,
    *,
    results: Sequence[Type | None],
    dtype: int | None = None,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Value:
    """``onnx.randomnormallike``: RandomNormalLike, version 22.

    Results: output.

    input: T1
    output: T2

    T1: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    T2: bfloat16, double, float, float16
    """

def randomuniform(
    *,
    results: Sequence[Type | None],
    dtype: int = 1,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
    shape: Sequence[int],
) -> Value:
    """``onnx.randomuniform``: RandomUniform, version 22.

    Results: output.

    output: T

    T: bfloat16, double, float, float16
    """

def randomuniformlike(
    input: Value,
    *,
    results: Sequence[Type | None],
    dtype: int | None = None,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
) -> Value:
    """``onnx.randomuniformlike``: RandomUniformLike, version 22.

    Results: output.

    input: T1
    output: T2

    T1: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    T2: bfloat16, double, float, float16
    """

def range(
    start: Value,
    limit: Value,
    delta: Value,
    *,
    results: Sequence[Type | None],
    stash_type: int = 1,
) -> Value:
    """``onnx.range``: Range, version 27.

    Results: output.

    start: T
    limit: T
    delta: T
    output: T

    T: bfloat16, double, float, float16, int16, int32, int64
    """

def reciprocal(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.reciprocal``: Reciprocal, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def reducel1(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducel1``: ReduceL1, version 18.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def reducel2(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducel2``: ReduceL2, version 18.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def reducelogsum(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducelogsum``: ReduceLogSum, version 28.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16
    """

def reducelogsumexp(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducelogsumexp``: ReduceLogSumExp, version 28.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16
    """

def reducemax(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducemax``: ReduceMax, version 20.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, bool, double, float, float16, int32, int64, int8, uint32, uint64, uint8
    """

def reducemean(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducemean``: ReduceMean, version 18.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def reducemin(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducemin``: ReduceMin, version 20.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, bool, double, float, float16, int32, int64, int8, uint32, uint64, uint8
    """

def reduceprod(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reduceprod``: ReduceProd, version 18.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def reducesum(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducesum``: ReduceSum, version 13.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def reducesumsquare(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Value:
    """``onnx.reducesumsquare``: ReduceSumSquare, version 18.

    Results: reduced.

    data: T
    axes: tensor(int64)
    reduced: T

    T: bfloat16, double, float, float16, int32, int64, uint32, uint64
    """

def regexfullmatch(
    x: Value,
    *,
    results: Sequence[Type | None],
    pattern: str | None = None,
) -> Value:
    """``onnx.regexfullmatch``: RegexFullMatch, version 20.

    Results: y.

    x: T1
    y: T2

    T1: string
    T2: bool
    """

def relu(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.relu``: Relu, version 14.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8
    """

def reshape(
    data: Value,
    shape: Value,
    *,
    results: Sequence[Type | None],
    allowzero: int = 0,
) -> Value:
    """``onnx.reshape``: Reshape, version 25.

    Results: reshaped.

    data: T
    shape: tensor(int64)
    reshaped: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def resize(
    x: Value,
    roi: Value | None = None,
    scales: Value | None = None,
    sizes: Value | None = None,
    *,
    results: Sequence[Type | None],
    antialias: int = 0,
    axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Value:
    """``onnx.resize``: Resize, version 19.

    Results: y.

    x: T1
    roi: T2
    scales: tensor(float)
    sizes: tensor(int64)
    y: T1

    T1: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    T2: double, float, float16
    """

def reversesequence(
    input: Value,
    sequence_lens: Value,
    *,
    results: Sequence[Type | None],
    batch_axis: int = 1,
    time_axis: int = 0,
) -> Value:
    """``onnx.reversesequence``: ReverseSequence, version 28.

    Results: y.

    input: T
    sequence_lens: tensor(int64)
    y: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def rmsnormalization(
    x: Value,
    scale: Value,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
    epsilon: float = 9.999999747378752e-06,
    stash_type: int = 1,
) -> Value:
    """``onnx.rmsnormalization``: RMSNormalization, version 23.

    Results: y.

    x: T
    scale: V
    y: V

    T: bfloat16, double, float, float16
    V: bfloat16, double, float, float16
    """

def rnn(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    results: Sequence[Type | None],
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] = ("Tanh", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> list[Value]:
    """``onnx.rnn``: RNN, version 22.

    Results: optional y, optional y_h.

    x: T
    w: T
    r: T
    b: T
    sequence_lens: T1
    initial_h: T
    y: T
    y_h: T

    T: bfloat16, double, float, float16
    T1: int32
    """

def roialign(
    x: Value,
    rois: Value,
    batch_indices: Value,
    *,
    results: Sequence[Type | None],
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Value:
    """``onnx.roialign``: RoiAlign, version 22.

    Results: y.

    x: T1
    rois: T1
    batch_indices: T2
    y: T1

    T1: bfloat16, double, float, float16
    T2: int64
    """

def rotaryembedding(
    x: Value,
    cos_cache: Value,
    sin_cache: Value,
    position_ids: Value | None = None,
    *,
    results: Sequence[Type | None],
    interleaved: int = 0,
    num_heads: int | None = None,
    rotary_embedding_dim: int = 0,
) -> Value:
    """``onnx.rotaryembedding``: RotaryEmbedding, version 23.

    Results: y.

    x: T
    cos_cache: T
    sin_cache: T
    position_ids: M
    y: T

    T: bfloat16, float, float16
    M: int64
    """

def round(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.round``: Round, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def scan(
    *initial_state_and_scan_inputs: Value | None,
    results: Sequence[Type | None],
    num_scan_inputs: int,
    scan_input_axes: Sequence[int] | None = None,
    scan_input_directions: Sequence[int] | None = None,
    scan_output_axes: Sequence[int] | None = None,
    scan_output_directions: Sequence[int] | None = None,
    body: Body,
) -> list[Value]:
    """``onnx.scan``: Scan, version 25.

    Results: any number of final_state_and_scan_outputs.

    initial_state_and_scan_inputs: V
    final_state_and_scan_outputs: V

    V: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def scatter(
    data: Value,
    indices: Value,
    updates: Value,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
) -> Value:
    """``onnx.scatter``: Scatter, version 11; deprecated.

    Results: output.

    data: T
    indices: Tind
    updates: T
    output: T

    T: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16, uint32,
        uint64, uint8
    Tind: int32, int64
    """

def scatterelements(
    data: Value,
    indices: Value,
    updates: Value,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
    reduction: str = "none",
) -> Value:
    """``onnx.scatterelements``: ScatterElements, version 18.

    Results: output.

    data: T
    indices: Tind
    updates: T
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    Tind: int32, int64
    """

def scatternd(
    data: Value,
    indices: Value,
    updates: Value,
    *,
    results: Sequence[Type | None],
    reduction: str = "none",
) -> Value:
    """``onnx.scatternd``: ScatterND, version 18.

    Results: output.

    data: T
    indices: tensor(int64)
    updates: T
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def selu(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 1.6732631921768188,
    gamma: float = 1.0507010221481323,
) -> Value:
    """``onnx.selu``: Selu, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def sequenceat(
    input_sequence: Value,
    position: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sequenceat``: SequenceAt, version 11.

    Results: tensor.

    input_sequence: S
    position: I
    tensor: T

    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    T: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16, uint32,
        uint64, uint8
    I: int32, int64
    """

def sequenceconstruct(
    *inputs: Value | None,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sequenceconstruct``: SequenceConstruct, version 11.

    Results: output_sequence.

    inputs: T
    output_sequence: S

    T: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16, uint32,
        uint64, uint8
    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    """

def sequenceempty(
    *,
    results: Sequence[Type | None],
    dtype: int | None = None,
) -> Value:
    """``onnx.sequenceempty``: SequenceEmpty, version 11.

    Results: output.

    output: S

    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    """

def sequenceerase(
    input_sequence: Value,
    position: Value | None = None,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sequenceerase``: SequenceErase, version 11.

    Results: output_sequence.

    input_sequence: S
    position: I
    output_sequence: S

    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    I: int32, int64
    """

def sequenceinsert(
    input_sequence: Value,
    tensor: Value,
    position: Value | None = None,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sequenceinsert``: SequenceInsert, version 11.

    Results: output_sequence.

    input_sequence: S
    tensor: T
    position: I
    output_sequence: S

    T: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16, uint32,
        uint64, uint8
    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    I: int32, int64
    """

def sequencelength(
    input_sequence: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sequencelength``: SequenceLength, version 11.

    Results: length.

    input_sequence: S
    length: I

    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    I: int64
    """

def sequencemap(
    input_sequence: Value,
    *additional_inputs: Value | None,
    results: Sequence[Type | None],
    body: Body,
) -> list[Value]:
    """``onnx.sequencemap``: SequenceMap, version 17.

    Results: any number of out_sequence.

    input_sequence: S
    additional_inputs: V
    out_sequence: S

    S: seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)),
        seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)),
        seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)),
        seq(tensor(uint8))
    V: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, seq(tensor(bool)),
        seq(tensor(complex128)), seq(tensor(complex64)), seq(tensor(double)), seq(tensor(float)),
        seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)), seq(tensor(int64)), seq(tensor(int8)),
        seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)), seq(tensor(uint64)), seq(tensor(uint8)),
        string, uint16, uint32, uint64, uint8
    """

def shape(
    data: Value,
    *,
    results: Sequence[Type | None],
    end: int | None = None,
    start: int = 0,
) -> Value:
    """``onnx.shape``: Shape, version 25.

    Results: shape.

    data: T
    shape: T1

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    T1: int64
    """

def shrink(
    input: Value,
    *,
    results: Sequence[Type | None],
    bias: float = 0.0,
    lambd: float = 0.5,
) -> Value:
    """``onnx.shrink``: Shrink, version 9.

    Results: output.

    input: T
    output: T

    T: double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def sigmoid(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sigmoid``: Sigmoid, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def sign(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sign``: Sign, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def sin(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sin``: Sin, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def sinh(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sinh``: Sinh, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def size(
    data: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.size``: Size, version 25.

    Results: size.

    data: T
    size: T1

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    T1: int64
    """

def slice(
    data: Value,
    starts: Value,
    ends: Value,
    axes: Value | None = None,
    steps: Value | None = None,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.slice``: Slice, version 13.

    Results: output.

    data: T
    starts: Tind
    ends: Tind
    axes: Tind
    steps: Tind
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    Tind: int32, int64
    """

def softmax(
    input: Value,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
) -> Value:
    """``onnx.softmax``: Softmax, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def softmaxcrossentropyloss(
    scores: Value,
    labels: Value,
    weights: Value | None = None,
    *,
    results: Sequence[Type | None],
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> list[Value]:
    """``onnx.softmaxcrossentropyloss``: SoftmaxCrossEntropyLoss, version 13.

    Results: output, optional log_prob.

    scores: T
    labels: Tind
    weights: T
    output: T
    log_prob: T

    T: bfloat16, double, float, float16
    Tind: int32, int64
    """

def softplus(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.softplus``: Softplus, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def softsign(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.softsign``: Softsign, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def spacetodepth(
    input: Value,
    *,
    results: Sequence[Type | None],
    blocksize: int,
    mode: str = "DCR",
) -> Value:
    """``onnx.spacetodepth``: SpaceToDepth, version 28.

    Results: output.

    input: T
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def split(
    input: Value,
    split: Value | None = None,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
    num_outputs: int | None = None,
) -> list[Value]:
    """``onnx.split``: Split, version 18.

    Results: any number of outputs.

    input: T
    split: tensor(int64)
    outputs: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def splittosequence(
    input: Value,
    split: Value | None = None,
    *,
    results: Sequence[Type | None],
    axis: int = 0,
    keepdims: int = 1,
) -> Value:
    """``onnx.splittosequence``: SplitToSequence, version 24.

    Results: output_sequence.

    input: T
    split: I
    output_sequence: S

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    I: int32, int64
    S: seq(tensor(bfloat16)), seq(tensor(bool)), seq(tensor(complex128)), seq(tensor(complex64)),
        seq(tensor(double)), seq(tensor(float)), seq(tensor(float16)), seq(tensor(int16)), seq(tensor(int32)),
        seq(tensor(int64)), seq(tensor(int8)), seq(tensor(string)), seq(tensor(uint16)), seq(tensor(uint32)),
        seq(tensor(uint64)), seq(tensor(uint8))
    """

def sqrt(
    x: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sqrt``: Sqrt, version 13.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def squeeze(
    data: Value,
    axes: Value | None = None,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.squeeze``: Squeeze, version 25.

    Results: squeezed.

    data: T
    axes: tensor(int64)
    squeezed: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def stft(
    signal: Value,
    frame_step: Value,
    window: Value | None = None,
    frame_length: Value | None = None,
    *,
    results: Sequence[Type | None],
    onesided: int = 1,
) -> Value:
    """``onnx.stft``: STFT, version 17.

    Results: output.

    signal: T1
    frame_step: T2
    window: T1
    frame_length: T2
    output: T1

    T1: bfloat16, double, float, float16
    T2: int32, int64
    """

def stringconcat(
    x: Value,
    y: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.stringconcat``: StringConcat, version 20.

    Results: z.

    x: T
    y: T
    z: T

    T: string
    """

def stringnormalizer(
    x: Value,
    *,
    results: Sequence[Type | None],
    case_change_action: str = "NONE",
    is_case_sensitive: int = 0,
    locale: str | None = None,
    stopwords: Sequence[str] | None = None,
) -> Value:
    """``onnx.stringnormalizer``: StringNormalizer, version 10.

    Results: y.

    x: tensor(string)
    y: tensor(string)
    """

def stringsplit(
    x: Value,
    *,
    results: Sequence[Type | None],
    delimiter: str | None = None,
    maxsplit: int | None = None,
) -> list[Value]:
    """``onnx.stringsplit``: StringSplit, version 20.

    Results: y, z.

    x: T1
    y: T2
    z: T3

    T1: string
    T2: string
    T3: int64
    """

def sub(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sub``: Sub, version 14.

    Results: c.

    a: T
    b: T
    c: T

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    """

def sum(
    *data_0: Value | None,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.sum``: Sum, version 13.

    Results: sum.

    data_0: T
    sum: T

    T: bfloat16, double, float, float16
    """

def swiglu(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 1.0,
) -> Value:
    """``onnx.swiglu``: SwiGLU, version 28.

    Results: y.

    a: T
    b: T
    y: T

    T: bfloat16, double, float, float16
    """

def swish(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 1.0,
) -> Value:
    """``onnx.swish``: Swish, version 24.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def tan(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.tan``: Tan, version 22.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def tanh(
    input: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.tanh``: Tanh, version 13.

    Results: output.

    input: T
    output: T

    T: bfloat16, double, float, float16
    """

def tensorscatter(
    past_cache: Value,
    update: Value,
    write_indices: Value | None = None,
    *,
    results: Sequence[Type | None],
    axis: int = -2,
    mode: str = "linear",
) -> Value:
    """``onnx.tensorscatter``: TensorScatter, version 24.

    Results: present_cache.

    past_cache: T
    update: T
    write_indices: tensor(int64)
    present_cache: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int32, int4, int64, int8, string, uint16, uint32, uint4,
        uint64, uint8
    """

def tfidfvectorizer(
    x: Value,
    *,
    results: Sequence[Type | None],
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] | None = None,
    pool_strings: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
) -> Value:
    """``onnx.tfidfvectorizer``: TfIdfVectorizer, version 9.

    Results: y.

    x: T
    y: T1

    T: int32, int64, string
    T1: float
    """

def thresholdedrelu(
    x: Value,
    *,
    results: Sequence[Type | None],
    alpha: float = 1.0,
) -> Value:
    """``onnx.thresholdedrelu``: ThresholdedRelu, version 22.

    Results: y.

    x: T
    y: T

    T: bfloat16, double, float, float16
    """

def tile(
    input: Value,
    repeats: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.tile``: Tile, version 13.

    Results: output.

    input: T
    repeats: T1
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    T1: int64
    """

def topk(
    x: Value,
    k: Value,
    *,
    results: Sequence[Type | None],
    axis: int = -1,
    largest: int = 1,
    sorted: int = 1,
) -> list[Value]:
    """``onnx.topk``: TopK, version 24.

    Results: values, indices.

    x: T
    k: tensor(int64)
    values: T
    indices: I

    T: bfloat16, double, float, float16, int16, int32, int64, int8, uint16, uint32, uint64, uint8
    I: int64
    """

def transpose(
    data: Value,
    *,
    results: Sequence[Type | None],
    perm: Sequence[int] | None = None,
) -> Value:
    """``onnx.transpose``: Transpose, version 25.

    Results: transposed.

    data: T
    transposed: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def trilu(
    input: Value,
    k: Value | None = None,
    *,
    results: Sequence[Type | None],
    upper: int = 1,
) -> Value:
    """``onnx.trilu``: Trilu, version 14.

    Results: output.

    input: T
    k: tensor(int64)
    output: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def unique(
    x: Value,
    *,
    results: Sequence[Type | None],
    axis: int | None = None,
    sorted: int = 1,
) -> list[Value]:
    """``onnx.unique``: Unique, version 28.

    Results: y, optional indices, optional inverse_indices, optional counts.

    x: T
    y: T
    indices: tensor(int64)
    inverse_indices: tensor(int64)
    counts: tensor(int64)

    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def unsqueeze(
    data: Value,
    axes: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.unsqueeze``: Unsqueeze, version 25.

    Results: expanded.

    data: T
    axes: tensor(int64)
    expanded: T

    T: bfloat16, bool, complex128, complex64, double, float, float16, float4e2m1, float8e4m3fn, float8e4m3fnuz,
        float8e5m2, float8e5m2fnuz, float8e8m0, int16, int2, int32, int4, int64, int8, string, uint16, uint2,
        uint32, uint4, uint64, uint8
    """

def upsample(
    x: Value,
    scales: Value,
    *,
    results: Sequence[Type | None],
    mode: str = "nearest",
) -> Value:
    """``onnx.upsample``: Upsample, version 10; deprecated.

    Results: y.

    x: T
    scales: tensor(float)
    y: T

    T: bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16, uint32,
        uint64, uint8
    """

def where(
    condition: Value,
    x: Value,
    y: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.where``: Where, version 16.

    Results: output.

    condition: B
    x: T
    y: T
    output: T

    B: bool
    T: bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, string, uint16,
        uint32, uint64, uint8
    """

def xor(
    a: Value,
    b: Value,
    *,
    results: Sequence[Type | None],
) -> Value:
    """``onnx.xor``: Xor, version 7.

    Results: c.

    a: T
    b: T
    c: T1

    T: bool
    T1: bool
    """
