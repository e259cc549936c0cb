// RUN: davit-opt %s --nn-to-linalg --canonicalize | filecheck %s

// Unsigned types are signless in storage, and the operation remembers.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: tensor<4xi8>
// CHECK: arith.maxui
func.func @unsigned(%a: tensor<4xui8>, %b: tensor<4xui8>) -> tensor<4xui8> {
  %y = "nn.maximum"(%a, %b) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// A size that may turn out to be 1 is read at 0 then.
// CHECK-LABEL: func.func @broadcast
// CHECK: arith.select
// CHECK: tensor.extract
func.func @broadcast(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %y = "nn.add"(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
