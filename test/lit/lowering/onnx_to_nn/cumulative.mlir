// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @reverse(
// CHECK: "nn.cumulative"{{.*}}exclusive = true, kind = "sum", reverse = true
func.func @reverse(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %axis = "onnx.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %y = "onnx.cumsum"(%x, %axis) {exclusive = 1 : i64, reverse = 1 : i64} : (tensor<2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// The triangle of a known size is a constant mask.
// CHECK-LABEL: func.func @triangle(
// CHECK: dense<{{\[\[}}true, false, false], [true, true, false], [true, true, true]]>
// CHECK: "nn.select"
func.func @triangle(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.trilu"(%x, %none) {upper = 0 : i64} : (tensor<3x3xf32>, none) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}
