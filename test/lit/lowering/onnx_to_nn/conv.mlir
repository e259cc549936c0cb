// RUN: davit-opt %s --onnx-to-nn | filecheck %s

// auto_pad becomes explicit padding, and the bias a sum over channels.
// CHECK-LABEL: func.func @same
// CHECK: "nn.conv"{{.*}}high = array<i64: 1, 1>{{.*}}low = array<i64: 1, 1>
// CHECK: "nn.reshape"
// CHECK: "nn.add"
func.func @same(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %y = "onnx.conv"(%x, %w, %b) {auto_pad = "SAME_UPPER", group = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}
