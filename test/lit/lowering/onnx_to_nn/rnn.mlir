// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// A length of run time is a loop. The input's product for all gates and steps is made once, before it.
// CHECK-LABEL: func.func @gru(
// CHECK: "nn.matmul"(%arg0, {{.*}} -> tensor<?x2x12xf32>
// CHECK: scf.while
// CHECK-COUNT-2: "nn.logistic"
// CHECK: "nn.tanh"
// CHECK: scf.yield
func.func @gru(%x: tensor<?x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<1x2x4xf32> {
  %none = "onnx.none"() : () -> none
  %y:2 = "onnx.gru"(%x, %w, %r, %none, %none, %none) {direction = "forward", hidden_size = 4 : i64, layout = 0 : i64, linear_before_reset = 0 : i64} : (tensor<?x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, none, none) -> (none, tensor<1x2x4xf32>)
  return %y#1 : tensor<1x2x4xf32>
}
