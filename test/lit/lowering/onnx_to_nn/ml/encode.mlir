// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Few keys: a chain of comparisons over the default.
// CHECK-LABEL: func.func @label(
// CHECK: dense<-1.000000e+00>
// CHECK-COUNT-2: "nn.select"
func.func @label(%x: tensor<3xi64>) -> tensor<3xf32> {
  %y = "onnx_ml.labelencoder"(%x) {default_float = -1.0 : f32, keys_int64s = array<i64: 1, 2>, values_floats = array<f32: 0.5, 1.5>, default_int64 = -1 : i64, default_string = "_Unused"} : (tensor<3xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
