// RUN: davit-opt %s --nn-to-linalg --canonicalize | filecheck %s

// The window ends with the padded input: a row and a column that no window reads are cut off.
// CHECK-LABEL: func.func @max
// CHECK: tensor.extract_slice {{.*}} to tensor<1x1x4x4xf32>
// CHECK: arith.maximumf
func.func @max(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32> {
  %y = "nn.pool"(%x) {kind = "max", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}
