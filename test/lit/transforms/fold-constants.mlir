// RUN: davit-opt %s --fold-constants --canonicalize | filecheck %s

// CHECK-LABEL: func.func @weight
// CHECK-NOT: "nn.transpose"
// CHECK: dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]>
func.func @weight() -> tensor<2x2xf32> {
  %w = "nn.constant"() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %t = "nn.transpose"(%w) {perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %t : tensor<2x2xf32>
}

// What comes in at run time stays.
// CHECK-LABEL: func.func @input
// CHECK: "nn.transpose"
func.func @input(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %t = "nn.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %t : tensor<2x2xf32>
}
