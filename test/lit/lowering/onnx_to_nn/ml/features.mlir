// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @scale(
// CHECK: "nn.sub"
// CHECK-NEXT: "nn.mul"
func.func @scale(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = "onnx_ml.scaler"(%x) {offset = array<f32: 1.0, 2.0>, scale = array<f32: 0.5, 0.25>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// NaN equals nothing, itself neither.
// CHECK-LABEL: func.func @impute(
// CHECK: "nn.is_nan"
// CHECK-NOT: "nn.eq"
// CHECK: "nn.select"
func.func @impute(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %y = "onnx_ml.imputer"(%x) {imputed_value_floats = array<f32: 7.0>, replaced_value_float = 0x7FC00000 : f32, replaced_value_int64 = 0 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
