// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// Steps that depend on each other are one sequential kernel.
// CHECK-LABEL: func.func @sum(
// CHECK: "kernel.sequential"
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: tensor.insert
// CHECK: "kernel.yield"
func.func @sum(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %axis = "nn.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %y = "nn.cumulative"(%x, %axis) {kind = "sum", exclusive = false, reverse = false} : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
