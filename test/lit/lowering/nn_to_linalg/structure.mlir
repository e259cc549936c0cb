// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]]
func.func @reshape(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %s = "nn.constant"() {value = dense<[-1, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = "nn.reshape"(%x, %s) : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @runtime(
// CHECK: cf.assert {{.*}}element counts
// CHECK: tensor.expand_shape
func.func @runtime(%x: tensor<?x4xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = "nn.reshape"(%x, %s) : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK-COUNT-2: tensor.insert_slice
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %p = builtin.unrealized_conversion_cast %a, %b : tensor<2x3xf32>, tensor<2x?xf32> to tuple<tensor<2x3xf32>, tensor<2x?xf32>>
  %y = "nn.concat"(%p) {axis = 1 : i64} : (tuple<tensor<2x3xf32>, tensor<2x?xf32>>) -> tensor<2x?xf32>
  return %y : tensor<2x?xf32>
}

// A negative index counts from the end; one outside is moved inside.
// CHECK-LABEL: func.func @gather(
// CHECK: arith.cmpi slt
// CHECK: arith.minsi
// CHECK: tensor.extract %arg0
func.func @gather(%x: tensor<5x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %y = "nn.gather"(%x, %i) {axis = 0 : i64} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
