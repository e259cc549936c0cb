// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// A sequence whose length is known is a list of values.
// CHECK-LABEL: func.func @split(
// CHECK-NEXT: "nn.slice"(%arg0) {limits = array<i64: 4>, starts = array<i64: 2>
// CHECK-NEXT: return
func.func @split(%x: tensor<6xf32>) -> tensor<2xf32> {
  %n = "onnx.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %i = "onnx.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %s = "onnx.splittosequence"(%x, %n) {axis = 0 : i64, keepdims = 1 : i64} : (tensor<6xf32>, tensor<i64>) -> !onnx.seq<tensor<?xf32>>
  %y = "onnx.sequenceat"(%s, %i) : (!onnx.seq<tensor<?xf32>>, tensor<i64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @length(
// CHECK-NEXT: "nn.constant"() {value = dense<1> : tensor<i64>}
// CHECK-NEXT: return
func.func @length(%x: tensor<6xf32>) -> tensor<i64> {
  %e = "onnx.sequenceempty"() {dtype = 1 : i64} : () -> !onnx.seq<tensor<*xf32>>
  %none = "onnx.none"() : () -> none
  %s = "onnx.sequenceinsert"(%e, %x, %none) : (!onnx.seq<tensor<*xf32>>, tensor<6xf32>, none) -> !onnx.seq<tensor<?xf32>>
  %y = "onnx.sequencelength"(%s) : (!onnx.seq<tensor<?xf32>>) -> tensor<i64>
  return %y : tensor<i64>
}
