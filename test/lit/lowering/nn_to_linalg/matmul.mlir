// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// Operands are widened inside, next to the sum.
// CHECK-LABEL: func.func @integers(
// CHECK: linalg.generic
// CHECK: arith.extsi {{.*}} : i8 to i32
// CHECK: arith.muli {{.*}} : i32
func.func @integers(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) -> tensor<2x4xi32> {
  %y = "nn.matmul"(%a, %b) {out = i32} : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return %y : tensor<2x4xi32>
}

// A weight shared by the batch: one product with the rows of all.
// CHECK-LABEL: func.func @batch(
// CHECK: tensor.collapse_shape {{.*}} into tensor<10x3xf32>
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape
func.func @batch(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>) -> tensor<5x2x4xf32> {
  %y = "nn.matmul"(%a, %b) {out = f32} : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}

// Two unknown sizes must be equal, or one of them 1.
// CHECK-LABEL: func.func @unknown(
// CHECK: cf.assert
// CHECK: linalg.batch_matmul
func.func @unknown(%a: tensor<?x2x3xf32>, %b: tensor<?x3x4xf32>) -> tensor<?x2x4xf32> {
  %y = "nn.matmul"(%a, %b) {out = f32} : (tensor<?x2x3xf32>, tensor<?x3x4xf32>) -> tensor<?x2x4xf32>
  return %y : tensor<?x2x4xf32>
}
