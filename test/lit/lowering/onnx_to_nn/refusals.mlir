// RUN: davit-opt %s --onnx-to-nn --split-input-file --verify-diagnostics

// expected-error {{kernel_shape=[5, 5], but the weight's kernel is [3, 3]}}
func.func @kernel(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.conv"(%x, %w, %none) {auto_pad = "NOTSET", group = 1 : i64, kernel_shape = array<i64: 5, 5>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x6x6xf32>
  return %y : tensor<1x4x6x6xf32>
}

// -----

// expected-error {{inner sizes of [2, 3] and [4, 5] differ}}
func.func @inner(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %y = "onnx.matmul"(%a, %b) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}
