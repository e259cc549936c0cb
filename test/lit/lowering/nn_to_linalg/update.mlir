// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// The box is moved to where it fits.
// CHECK-LABEL: func.func @update(
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.insert_slice
func.func @update(%x: tensor<8xf32>, %p: tensor<3xf32>, %s: tensor<1xi64>) -> tensor<8xf32> {
  %y = "nn.update_slice"(%x, %p, %s) : (tensor<8xf32>, tensor<3xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
