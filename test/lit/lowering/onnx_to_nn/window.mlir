// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// A window that hangs over the end counts its real elements.
// CHECK-LABEL: func.func @ceil(
// CHECK: "nn.pool"{{.*}}high = array<i64: 1, 1>{{.*}}kind = "sum"
// CHECK: dense<{{.*}}4.000000e+00, 4.000000e+00, 2.000000e+00], [2.000000e+00, 2.000000e+00, 1.000000e+00]
// CHECK: "nn.div"
func.func @ceil(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32> {
  %y = "onnx.averagepool"(%x) {auto_pad = "NOTSET", ceil_mode = 1 : i64, count_include_pad = 0 : i64, kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x5x5xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}
