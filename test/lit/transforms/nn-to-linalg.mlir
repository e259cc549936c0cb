// RUN: davit-opt %s --nn-to-linalg | filecheck %s

// Element types become what they are stored as, in signatures and constants too.
// CHECK-LABEL: func.func @storage(
// CHECK-SAME: %{{.*}}: tensor<2xi8>, %{{.*}}: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>)
// CHECK: arith.constant dense<{{\[}}-56, 1]> : tensor<2xi8>
// CHECK-NOT: nn.
func.func @storage(%a: tensor<2xui8>, %b: tensor<2xf8E4M3FN>) -> (tensor<2xui8>, tensor<2xf8E4M3FN>) {
  %c = "nn.constant"() {value = dense<[200, 1]> : tensor<2xui8>} : () -> tensor<2xui8>
  %y = "nn.add"(%a, %c) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  return %y, %b : tensor<2xui8>, tensor<2xf8E4M3FN>
}

// Structured control flow stays, with its body lowered.
// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK: math.exp
// CHECK: else
// CHECK: arith.negf
func.func @branch(%c: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = scf.if %c -> tensor<2xf32> {
    %e = "nn.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %e : tensor<2xf32>
  } else {
    %n = "nn.neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %n : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
