// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Known bounds become attributes.
// CHECK-LABEL: func.func @slice(
// CHECK-NEXT: "nn.slice"(%arg0) {limits = array<i64: -6, 2>, starts = array<i64: 4, 0>, strides = array<i64: -2, 1>}
func.func @slice(%x: tensor<5x4xf32>) -> tensor<3x2xf32> {
  %starts = "onnx.constant"() {value = dense<[4, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %ends = "onnx.constant"() {value = dense<[-6, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
  %steps = "onnx.constant"() {value = dense<[-2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %none = "onnx.none"() : () -> none
  %y = "onnx.slice"(%x, %starts, %ends, %none, %steps) : (tensor<5x4xf32>, tensor<2xi64>, tensor<2xi64>, none, tensor<2xi64>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Uneven parts: the last one is smaller.
// CHECK-LABEL: func.func @split(
// CHECK-NEXT: "nn.slice"{{.*}} -> tensor<3xf32>
// CHECK-NEXT: "nn.slice"{{.*}} -> tensor<2xf32>
func.func @split(%x: tensor<5xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %none = "onnx.none"() : () -> none
  %p = "onnx.split"(%x, %none) {axis = 0 : i64, num_outputs = 2 : i64} : (tensor<5xf32>, none) -> tuple<tensor<3xf32>, tensor<2xf32>>
  %a, %b = builtin.unrealized_conversion_cast %p : tuple<tensor<3xf32>, tensor<2xf32>> to tensor<3xf32>, tensor<2xf32>
  return %a, %b : tensor<3xf32>, tensor<2xf32>
}

// A shape of run time steers the program, so the host reads it; what the operand tells is kept.
// CHECK-LABEL: func.func @expand(
// CHECK-SAME: -> tensor<3x?xf32>
// CHECK: "nn.to_host"
// CHECK: "nn.broadcast_to"{{.*}} -> tensor<3x?xf32>
func.func @expand(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "onnx.expand"(%x, %s) : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
