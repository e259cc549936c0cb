// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @top(
// CHECK: "nn.top_k"{{.*}}axis = 1 : i64, largest = true
func.func @top(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %k = "onnx.constant"() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
  %v, %i = "onnx.topk"(%x, %k) {axis = -1 : i64, largest = 1 : i64, sorted = 1 : i64} : (tensor<2x8xf32>, tensor<1xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return %v, %i : tensor<2x3xf32>, tensor<2x3xi64>
}

// Absent thresholds: any overlap counts, every score passes.
// CHECK-LABEL: func.func @boxes(
// CHECK: dense<0.000000e+00>
// CHECK: dense<0xFF800000>
// CHECK: "nn.nms"{{.*}} -> tensor<?x3xi64>
func.func @boxes(%b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>, %k: tensor<1xi64>) -> tensor<?x3xi64> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.nonmaxsuppression"(%b, %s, %k, %none, %none) {center_point_box = 0 : i64} : (tensor<1x6x4xf32>, tensor<1x1x6xf32>, tensor<1xi64>, none, none) -> tensor<?x3xi64>
  return %y : tensor<?x3xi64>
}
