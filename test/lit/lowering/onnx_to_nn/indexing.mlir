// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @gather(
// CHECK-NEXT: "nn.gather"(%arg0, %arg1) {axis = 0 : i64}
func.func @gather(%x: tensor<5x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %y = "onnx.gather"(%x, %i) {axis = 0 : i64} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @scatter(
// CHECK-NEXT: "nn.scatter_elements"{{.*}}reduction = "add"
func.func @scatter(%x: tensor<5xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<5xf32> {
  %y = "onnx.scatterelements"(%x, %i, %u) {axis = 0 : i64, reduction = "add"} : (tensor<5xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// ONNX wants the places as columns.
// CHECK-LABEL: func.func @nonzero(
// CHECK: "nn.nonzero"{{.*}} -> tensor<?x2xi64>
// CHECK: "nn.transpose"{{.*}} -> tensor<2x?xi64>
func.func @nonzero(%x: tensor<2x3xf32>) -> tensor<2x?xi64> {
  %y = "onnx.nonzero"(%x) : (tensor<2x3xf32>) -> tensor<2x?xi64>
  return %y : tensor<2x?xi64>
}
