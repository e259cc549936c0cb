// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// Every element for itself.
// CHECK-LABEL: func.func @philox(
// CHECK: linalg.generic
// CHECK: arith.muli
// CHECK: arith.xori
// CHECK-NOT: scf.for
func.func @philox() -> tensor<4xui64> {
  %s = "nn.constant"() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %y = "nn.random_bits"(%s) {generator = "philox", seed = 7 : i64, stream = 0 : i64} : (tensor<1xi64>) -> tensor<4xui64>
  return %y : tensor<4xui64>
}

// A state that every draw changes.
// CHECK-LABEL: func.func @twister(
// CHECK: "kernel.sequential"
// CHECK: scf.for
func.func @twister() -> tensor<4xui64> {
  %s = "nn.constant"() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %y = "nn.random_bits"(%s) {generator = "twister", seed = 7 : i64, stream = 0 : i64} : (tensor<1xi64>) -> tensor<4xui64>
  return %y : tensor<4xui64>
}
