// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @loss(
// CHECK: "nn.softmax"{{.*}}log = true
// CHECK: "nn.gather_elements"
// CHECK: "nn.neg"
// CHECK: "nn.div"
func.func @loss(%x: tensor<2x3xf32>, %t: tensor<2xi64>) -> tensor<f32> {
  %none = "onnx.none"() : () -> none
  %y:2 = "onnx.softmaxcrossentropyloss"(%x, %t, %none) {reduction = "mean"} : (tensor<2x3xf32>, tensor<2xi64>, none) -> (tensor<f32>, none)
  return %y#0 : tensor<f32>
}
