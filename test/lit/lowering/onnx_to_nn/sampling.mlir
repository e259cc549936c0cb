// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Four reads weighted by distance; a read outside is at a place inside, with weight 0.
// CHECK-LABEL: func.func @grid(
// CHECK: "nn.transpose"(%arg0) {perm = array<i64: 0, 2, 3, 1>}
// CHECK-COUNT-4: "nn.gather_nd"
// CHECK: "nn.transpose"{{.*}}perm = array<i64: 0, 3, 1, 2>
func.func @grid(%x: tensor<1x1x4x4xf32>, %g: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %y = "onnx.gridsample"(%x, %g) {align_corners = 0 : i64, mode = "linear", padding_mode = "zeros"} : (tensor<1x1x4x4xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}
