// RUN: davit-opt %s --onnx-to-nn | filecheck %s

// 16-bit input: the statistics are kept in f32 and rounded once.
// CHECK-LABEL: func.func @layer
// CHECK: "nn.cast"{{.*}} -> tensor<2x4xf32>
// CHECK: "nn.reduce"{{.*}}tensor<2x4xf32>
// CHECK: "nn.rsqrt"
// CHECK: "nn.cast"{{.*}} -> tensor<2x4xf16>
func.func @layer(%x: tensor<2x4xf16>, %s: tensor<4xf16>) -> tensor<2x4xf16> {
  %none = "onnx.none"() : () -> none
  %y:3 = "onnx.layernormalization"(%x, %s, %none) {axis = -1 : i64, epsilon = 1.0e-05 : f32, stash_type = 1 : i64} : (tensor<2x4xf16>, tensor<4xf16>, none) -> (tensor<2x4xf16>, none, none)
  return %y#0 : tensor<2x4xf16>
}
