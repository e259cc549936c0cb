// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// Sums of 16-bit floats are kept in f32 and rounded once.
// CHECK-LABEL: func.func @half(
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: linalg.generic
// CHECK: arith.truncf
func.func @half(%x: tensor<2x3xf16>) -> tensor<2xf16> {
  %y = "nn.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<2x3xf16>) -> tensor<2xf16>
  return %y : tensor<2xf16>
}

// NaN counts as the largest; the first of equals stays.
// CHECK-LABEL: func.func @argmax(
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf une
// CHECK: linalg.yield {{.*}} : f32, i64
func.func @argmax(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %y = "nn.arg_reduce"(%x) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<2x3xf32>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

// Three passes: maximum, sum, quotient.
// CHECK-LABEL: func.func @softmax(
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: math.exp
// CHECK: arith.divf
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = "nn.softmax"(%x) {axis = 1 : i64, log = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
