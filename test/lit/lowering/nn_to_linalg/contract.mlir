// RUN: davit-opt %s --nn-to-linalg --canonicalize | filecheck %s

// CHECK-LABEL: func.func @product
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK-NOT: nn.
func.func @product(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = "nn.matmul"(%a, %b) {out = f32} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Sums of 16-bit floats are kept in f32.
// CHECK-LABEL: func.func @half
// CHECK: linalg.generic
// CHECK: arith.extf
// CHECK: arith.truncf
func.func @half(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>) -> tensor<2x4xf16> {
  %y = "nn.matmul"(%a, %b) {out = f16} : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  return %y : tensor<2x4xf16>
}
