// RUN: davit-opt %s --onnx-to-nn | filecheck %s

// Gemm is a product, a factor and a sum; a factor of 1 leaves no trace.
// CHECK-LABEL: func.func @gemm
// CHECK: "nn.transpose"
// CHECK: "nn.matmul"
// CHECK: "nn.mul"
// CHECK: "nn.add"
// CHECK-NOT: onnx.
func.func @gemm(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = "onnx.gemm"(%a, %b, %c) {alpha = 2.0 : f32, beta = 1.0 : f32, transA = 0 : i64, transB = 1 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Symbolic sizes stay by name.
// CHECK-LABEL: func.func @matmul
// CHECK: "nn.matmul"{{.*}} -> tensor<?x5xf32, ["batch", ""]>
func.func @matmul(%a: tensor<?x3xf32, ["batch", ""]>, %b: tensor<3x5xf32>) -> tensor<?x5xf32, ["batch", ""]> {
  %y = "onnx.matmul"(%a, %b) : (tensor<?x3xf32, ["batch", ""]>, tensor<3x5xf32>) -> tensor<?x5xf32, ["batch", ""]>
  return %y : tensor<?x5xf32, ["batch", ""]>
}
