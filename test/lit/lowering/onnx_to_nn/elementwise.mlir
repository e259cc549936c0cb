// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Broadcasting is the nn op's own.
// CHECK-LABEL: func.func @broadcast(
// CHECK-NEXT: "nn.add"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<3xf32>)
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = "onnx.add"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// An absent bound is none.
// CHECK-LABEL: func.func @clip(
// CHECK-NEXT: "nn.minimum"(%arg0, %arg1)
// CHECK-NEXT: return
func.func @clip(%x: tensor<4xf32>, %high: tensor<f32>) -> tensor<4xf32> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.clip"(%x, %none, %high) : (tensor<4xf32>, none, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @mean(
// CHECK-COUNT-2: "nn.add"
// CHECK: dense<3.000000e+00>
// CHECK: "nn.div"
func.func @mean(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.mean"(%a, %b, %c) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
