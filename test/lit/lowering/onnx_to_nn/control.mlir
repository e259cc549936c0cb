// RUN: davit-opt %s --onnx-to-nn --canonicalize | filecheck %s

// A condition known at run time only: both branches, sizes that differ are unknown after.
// CHECK-LABEL: func.func @if
// CHECK: %[[C:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK: scf.if %[[C]] -> (tensor<?xf32>)
// CHECK: "nn.concat"
// CHECK: } else {
// CHECK: "nn.neg"
// CHECK-NOT: onnx.
func.func @if(%c: tensor<i1>, %x: tensor<3xf32>) -> tensor<?xf32> {
  %y = "onnx.if"(%c) ({
    %e = "onnx.neg"(%x) : (tensor<3xf32>) -> tensor<3xf32>
    "onnx.yield"(%e) : (tensor<3xf32>) -> ()
  }, {
    %t = "onnx.concat"(%x, %x) {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
    "onnx.yield"(%t) : (tensor<6xf32>) -> ()
  }) : (tensor<i1>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A constant condition leaves the branch that it takes.
// CHECK-LABEL: func.func @known
// CHECK-NOT: scf.if
// CHECK: "nn.exp"
// CHECK-NOT: "nn.neg"
func.func @known(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = "onnx.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %y = "onnx.if"(%c) ({
    %e = "onnx.neg"(%x) : (tensor<3xf32>) -> tensor<3xf32>
    "onnx.yield"(%e) : (tensor<3xf32>) -> ()
  }, {
    %t = "onnx.exp"(%x) : (tensor<3xf32>) -> tensor<3xf32>
    "onnx.yield"(%t) : (tensor<3xf32>) -> ()
  }) : (tensor<i1>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// A trip count of run time and nothing that ends the loop early: scf.for.
// CHECK-LABEL: func.func @counted
// CHECK: scf.for {{.*}} -> (tensor<3xf32>)
// CHECK: "nn.add"
func.func @counted(%n: tensor<i64>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.loop"(%n, %none, %x) ({
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<3xf32>):
    %w = "onnx.add"(%v, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %p = builtin.unrealized_conversion_cast %c, %w : tensor<i1>, tensor<3xf32> to tuple<tensor<i1>, tensor<3xf32>>
    "onnx.yield"(%p) : (tuple<tensor<i1>, tensor<3xf32>>) -> ()
  }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// A few iterations are unrolled.
// CHECK-LABEL: func.func @unrolled
// CHECK-NOT: scf
// CHECK-COUNT-2: "nn.add"
func.func @unrolled(%x: tensor<3xf32>) -> tensor<3xf32> {
  %none = "onnx.none"() : () -> none
  %n = "onnx.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %y = "onnx.loop"(%n, %none, %x) ({
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<3xf32>):
    %w = "onnx.add"(%v, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %p = builtin.unrealized_conversion_cast %c, %w : tensor<i1>, tensor<3xf32> to tuple<tensor<i1>, tensor<3xf32>>
    "onnx.yield"(%p) : (tuple<tensor<i1>, tensor<3xf32>>) -> ()
  }) : (tensor<i64>, none, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// A sequence of known length is a list of values: nothing is left of it.
// CHECK-LABEL: func.func @sequence
// CHECK-NEXT: "nn.exp"(%arg1)
// CHECK-NEXT: return
func.func @sequence(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %i = "onnx.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %p = builtin.unrealized_conversion_cast %a, %b : tensor<2xf32>, tensor<3xf32> to tuple<tensor<2xf32>, tensor<3xf32>>
  %s = "onnx.sequenceconstruct"(%p) : (tuple<tensor<2xf32>, tensor<3xf32>>) -> !onnx.seq<tensor<?xf32>>
  %e = "onnx.sequenceat"(%s, %i) : (!onnx.seq<tensor<?xf32>>, tensor<i64>) -> tensor<3xf32>
  %y = "onnx.exp"(%e) : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
