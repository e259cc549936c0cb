// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// exp(-gamma |x - s|^2) for every support vector, weighted by its coefficient.
// CHECK-LABEL: func.func @rbf(
// CHECK: "nn.sub"{{.*}} -> tensor<2x2x2xf32>
// CHECK: "nn.reduce"
// CHECK: "nn.exp"
// CHECK: "nn.matmul"
func.func @rbf(%x: tensor<2x2xf32>) -> tensor<2x1xf32> {
  %y = "onnx_ml.svmregressor"(%x) {coefficients = array<f32: 1.0, -1.0>, kernel_params = array<f32: 0.5, 0.0, 3.0>, kernel_type = "RBF", n_supports = 2 : i64, one_class = 0 : i64, post_transform = "NONE", rho = array<f32: 0.25>, support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0>} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
