// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// The places that are mirrored are known: a gather.
// CHECK-LABEL: func.func @reflect(
// CHECK: dense<[2, 1, 0, 1, 2, 3, 2]>
// CHECK: "nn.gather"
// CHECK-NOT: "nn.pad"
func.func @reflect(%x: tensor<4xf32>) -> tensor<7xf32> {
  %pads = "onnx.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %none = "onnx.none"() : () -> none
  %y = "onnx.pad"(%x, %pads, %none, %none) {mode = "reflect"} : (tensor<4xf32>, tensor<2xi64>, none, none) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @constant(
// CHECK: "nn.pad"{{.*}}high = array<i64: 1>, low = array<i64: 2>
func.func @constant(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<7xf32> {
  %pads = "onnx.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %none = "onnx.none"() : () -> none
  %y = "onnx.pad"(%x, %pads, %v, %none) {mode = "constant"} : (tensor<4xf32>, tensor<2xi64>, tensor<f32>, none) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// A new dimension is broadcast and merged with its neighbour.
// CHECK-LABEL: func.func @tile(
// CHECK: "nn.reshape"{{.*}} -> tensor<1x2x3xf32>
// CHECK: "nn.broadcast_to"{{.*}} -> tensor<2x2x3xf32>
// CHECK: "nn.reshape"{{.*}} -> tensor<4x3xf32>
func.func @tile(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %n = "onnx.constant"() {value = dense<[2, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = "onnx.tile"(%x, %n) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
