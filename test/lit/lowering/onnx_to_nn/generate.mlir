// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// The length is computed, then the places are counted.
// CHECK-LABEL: func.func @range(
// CHECK: "nn.iota"{{.*}} -> tensor<?xi64>
// CHECK: "nn.mul"
// CHECK: "nn.add"
func.func @range(%n: tensor<i64>) -> tensor<?xi64> {
  %zero = "onnx.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "onnx.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %y = "onnx.range"(%zero, %n, %one) {stash_type = 1 : i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// Negative indices count from the end; what lies outside matches nothing.
// CHECK-LABEL: func.func @one_hot(
// CHECK: "nn.lt"
// CHECK: "nn.eq"{{.*}} -> tensor<3x5xi1>
// CHECK: "nn.select"{{.*}} -> tensor<3x5xf32>
func.func @one_hot(%i: tensor<3xi64>, %v: tensor<2xf32>) -> tensor<3x5xf32> {
  %depth = "onnx.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %y = "onnx.onehot"(%i, %depth, %v) {axis = -1 : i64} : (tensor<3xi64>, tensor<i64>, tensor<2xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
