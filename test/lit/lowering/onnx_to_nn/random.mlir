// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// 24 random bits make a float in [0, 1), which is scaled to [low, high).
// CHECK-LABEL: func.func @uniform(
// CHECK: "nn.random_bits"{{.*}}seed = 7
// CHECK: "nn.shift_right_logical"
// CHECK: "nn.cast"{{.*}} -> tensor<2x3xf32>
// CHECK: "nn.minimum"
func.func @uniform() -> tensor<2x3xf32> {
  %y = "onnx.randomuniform"() {dtype = 1 : i64, high = 2.0 : f32, low = 1.0 : f32, seed = 7.0 : f32, shape = array<i64: 2, 3>} : () -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Outside of training a dropout is nothing.
// CHECK-LABEL: func.func @inference(
// CHECK-NEXT: return %arg0
func.func @inference(%x: tensor<4xf32>) -> tensor<4xf32> {
  %none = "onnx.none"() : () -> none
  %y:2 = "onnx.dropout"(%x, %none, %none) : (tensor<4xf32>, none, none) -> (tensor<4xf32>, none)
  return %y#0 : tensor<4xf32>
}
