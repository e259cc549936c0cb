// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Axes become attributes, counted from the front.
// CHECK-LABEL: func.func @sum(
// CHECK-NEXT: "nn.reduce"(%arg0) {axes = array<i64: 1>, keepdims = false, kind = "sum"}
func.func @sum(%x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %axes = "onnx.constant"() {value = dense<-2> : tensor<1xi64>} : () -> tensor<1xi64>
  %y = "onnx.reducesum"(%x, %axes) {keepdims = 0 : i64, noop_with_empty_axes = 0 : i64} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// No axes: all of them. The maximum is taken out before the exponentials, unless it is infinite.
// CHECK-LABEL: func.func @everything(
// CHECK: "nn.reduce"{{.*}}axes = array<i64: 0, 1>, keepdims = true, kind = "max"
// CHECK: "nn.is_inf"
// CHECK: "nn.exp"
// CHECK: "nn.reduce"{{.*}}kind = "sum"
// CHECK: "nn.log"
func.func @everything(%x: tensor<2x3xf32>) -> tensor<1x1xf32> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.reducelogsumexp"(%x, %none) {keepdims = 1 : i64, noop_with_empty_axes = 0 : i64} : (tensor<2x3xf32>, none) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @argmax(
// CHECK-NEXT: "nn.arg_reduce"(%arg0) {axis = 1 : i64, keepdims = false, kind = "max", last = true}
func.func @argmax(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %y = "onnx.argmax"(%x) {axis = 1 : i64, keepdims = 0 : i64, select_last_index = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}
