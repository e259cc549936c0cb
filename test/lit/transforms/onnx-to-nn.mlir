// RUN: davit-opt %s --onnx-to-nn --mlir-print-debuginfo | filecheck %s

// Every op that a node becomes carries the node's name.
// CHECK-LABEL: func.func @names(
// CHECK: "nn.matmul"{{.*}} loc(#[[LOC:.*]])
// CHECK: "nn.add"{{.*}} loc(#[[LOC]])
// CHECK: #[[LOC]] = loc("head/Gemm")
func.func @names(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = "onnx.gemm"(%x, %w, %b) {alpha = 1.0 : f32, beta = 1.0 : f32, transA = 0 : i64, transB = 0 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> loc("head/Gemm")
  return %y : tensor<2x4xf32>
}
