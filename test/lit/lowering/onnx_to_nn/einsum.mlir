// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Shared letters are batch dimensions, the summed one goes last and first: one product.
// CHECK-LABEL: func.func @attention(
// CHECK: "nn.transpose"(%arg1) {perm = array<i64: 0, 1, 3, 2>}
// CHECK: "nn.matmul"{{.*}} -> tensor<2x4x8x8xf32>
// CHECK-NOT: "nn.reduce"
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>) -> tensor<2x4x8x8xf32> {
  %y = "onnx.einsum"(%q, %k) {equation = "bhid,bhjd->bhij"} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x8xf32>
  return %y : tensor<2x4x8x8xf32>
}

// A repeated letter is a diagonal: every fourth of nine elements.
// CHECK-LABEL: func.func @trace(
// CHECK: "nn.slice"{{.*}}strides = array<i64: 4>{{.*}} -> tensor<3xf32>
// CHECK: "nn.reduce"{{.*}}kind = "sum"
func.func @trace(%x: tensor<3x3xf32>) -> tensor<f32> {
  %y = "onnx.einsum"(%x) {equation = "ii->"} : (tensor<3x3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
