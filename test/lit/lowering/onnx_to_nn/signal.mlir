// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Computed in f64: two products with tables of cosines and sines.
// CHECK-LABEL: func.func @dft(
// CHECK: "nn.cast"{{.*}}to = f64
// CHECK-COUNT-2: "nn.matmul"{{.*}} -> tensor<1x1x5xf64>
// CHECK: "nn.cast"{{.*}}to = f32
func.func @dft(%x: tensor<1x8x1xf32>) -> tensor<1x5x2xf32> {
  %none = "onnx.none"() : () -> none
  %axis = "onnx.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %y = "onnx.dft"(%x, %none, %axis) {inverse = 0 : i64, onesided = 1 : i64} : (tensor<1x8x1xf32>, none, tensor<i64>) -> tensor<1x5x2xf32>
  return %y : tensor<1x5x2xf32>
}
