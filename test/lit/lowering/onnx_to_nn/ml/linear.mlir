// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @regressor(
// CHECK: "nn.matmul"{{.*}} -> tensor<2x1xf32>
// CHECK: "nn.add"
func.func @regressor(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %y = "onnx_ml.linearregressor"(%x) {coefficients = array<f32: 1.0, 2.0, 3.0>, intercepts = array<f32: 0.5>, post_transform = "NONE", targets = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
