// RUN: davit-opt %s --onnx-to-nn --canonicalize | filecheck %s

// Shape arithmetic on sizes that are known is evaluated: one reshape to a constant shape is left.
// CHECK-LABEL: func.func @flatten
// CHECK-NOT: "nn.shape"
// CHECK: "nn.reshape"{{.*}} -> tensor<2x12xf32>
func.func @flatten(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %s = "onnx.shape"(%x) {start = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<3xi64>
  %zero = "onnx.constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %rest = "onnx.constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %n = "onnx.gather"(%s, %zero) {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %t = "onnx.concat"(%n, %rest) {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = "onnx.reshape"(%x, %t) {allowzero = 0 : i64} : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<2x12xf32>
  return %y : tensor<2x12xf32>
}
