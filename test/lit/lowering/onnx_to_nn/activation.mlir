// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// A slope below zero only.
// CHECK-LABEL: func.func @leaky(
// CHECK: "nn.lt"
// CHECK: "nn.mul"
// CHECK: "nn.select"
func.func @leaky(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.leakyrelu"(%x) {alpha = 0.1 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// x/2 (1 + erf(x/sqrt 2)), the exact form.
// CHECK-LABEL: func.func @gelu(
// CHECK: dense<0.707106769>
// CHECK: "nn.erf"
// CHECK-NOT: "nn.tanh"
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.gelu"(%x) {approximate = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// One op: the logarithm of a rounded softmax would lose its small values.
// CHECK-LABEL: func.func @log_softmax(
// CHECK: "nn.softmax"{{.*}}log = true
// CHECK-NOT: "nn.log"
func.func @log_softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = "onnx.logsoftmax"(%x) {axis = -1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
