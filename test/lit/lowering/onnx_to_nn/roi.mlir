// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Samples are read at their four neighbours, out of channels-last input.
// CHECK-LABEL: func.func @align(
// CHECK: "nn.floor"
// CHECK: "nn.transpose"(%arg0) {perm = array<i64: 0, 2, 3, 1>}
// CHECK: "nn.gather_nd"
// CHECK: "nn.reduce"{{.*}}kind = "sum"
// CHECK: "nn.div"
func.func @align(%x: tensor<1x1x8x8xf32>, %rois: tensor<2x4xf32>, %i: tensor<2xi64>) -> tensor<2x1x2x2xf32> {
  %y = "onnx.roialign"(%x, %rois, %i) {coordinate_transformation_mode = "half_pixel", mode = "avg", output_height = 2 : i64, output_width = 2 : i64, sampling_ratio = 2 : i64, spatial_scale = 1.0 : f32} : (tensor<1x1x8x8xf32>, tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x1x2x2xf32>
  return %y : tensor<2x1x2x2xf32>
}
