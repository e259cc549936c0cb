// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Places that are known are a gather along each dimension that changes.
// CHECK-LABEL: func.func @nearest(
// CHECK: dense<[0, 0, 1, 1]>
// CHECK: "nn.gather"{{.*}}axis = 2
// CHECK: "nn.gather"{{.*}}axis = 3
func.func @nearest(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32> {
  %none = "onnx.none"() : () -> none
  %scales = "onnx.constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %y = "onnx.resize"(%x, %none, %scales, %none) {antialias = 0 : i64, coordinate_transformation_mode = "asymmetric", cubic_coeff_a = -0.75 : f32, exclude_outside = 0 : i64, extrapolation_value = 0.0 : f32, keep_aspect_ratio_policy = "stretch", mode = "nearest", nearest_mode = "floor"} : (tensor<1x1x2x2xf32>, none, tensor<4xf32>, none) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}

// Two weighted gathers; the dimension that keeps its size is left alone.
// CHECK-LABEL: func.func @linear(
// CHECK-COUNT-2: "nn.gather"{{.*}}axis = 2
// CHECK-NOT: axis = 3
func.func @linear(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x2xf32> {
  %none = "onnx.none"() : () -> none
  %sizes = "onnx.constant"() {value = dense<[1, 1, 4, 2]> : tensor<4xi64>} : () -> tensor<4xi64>
  %y = "onnx.resize"(%x, %none, %none, %sizes) {antialias = 0 : i64, coordinate_transformation_mode = "half_pixel", cubic_coeff_a = -0.75 : f32, exclude_outside = 0 : i64, extrapolation_value = 0.0 : f32, keep_aspect_ratio_policy = "stretch", mode = "linear", nearest_mode = "round_prefer_floor"} : (tensor<1x1x2x2xf32>, none, none, tensor<4xi64>) -> tensor<1x1x4x2xf32>
  return %y : tensor<1x1x4x2xf32>
}
