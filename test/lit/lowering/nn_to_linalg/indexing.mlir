// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// Indices from outside are moved inside: no read leaves its tensor.
// CHECK-LABEL: func.func @gather_nd(
// CHECK: linalg.generic
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: tensor.extract %arg0
func.func @gather_nd(%x: tensor<5x4xf32>, %i: tensor<3x1xi64>) -> tensor<3x4xf32> {
  %y = "nn.gather_nd"(%x, %i) {batch_dims = 0 : i64} : (tensor<5x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// Places may repeat, so the updates come one after the other; those outside are left out.
// CHECK-LABEL: func.func @scatter(
// CHECK: "kernel.sequential"
// CHECK: scf.if
// CHECK: arith.addf
// CHECK: tensor.insert
func.func @scatter(%x: tensor<5xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<5xf32> {
  %y = "nn.scatter_elements"(%x, %i, %u) {axis = 0 : i64, reduction = "add"} : (tensor<5xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// Room for all, then as much as was found.
// CHECK-LABEL: func.func @nonzero(
// CHECK: "kernel.sequential"
// CHECK: tensor.extract_slice {{.*}} to tensor<?x2xi64>
func.func @nonzero(%x: tensor<2x3xf32>) -> tensor<?x2xi64> {
  %y = "nn.nonzero"(%x) : (tensor<2x3xf32>) -> tensor<?x2xi64>
  return %y : tensor<?x2xi64>
}
