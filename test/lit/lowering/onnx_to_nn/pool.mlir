// RUN: davit-opt %s --onnx-to-nn | filecheck %s

// Padding does not count: the divisors of the windows at the border are a constant.
// CHECK-LABEL: func.func @average
// CHECK: "nn.pool"{{.*}}kind = "sum"
// CHECK: "nn.constant"{{.*}}tensor<1x1x2x2xf32>
// CHECK: "nn.div"
func.func @average(%x: tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32> {
  %y = "onnx.averagepool"(%x) {auto_pad = "NOTSET", ceil_mode = 0 : i64, count_include_pad = 0 : i64, kernel_shape = array<i64: 2, 2>, pads = array<i64: 0, 0, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}
