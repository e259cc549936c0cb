// RUN: davit-opt %s --split-input-file --verify-diagnostics

// The schema's types hold: both operands of an Add have one element type.
// expected-error {{onnx.add}}
func.func @types(%a: tensor<2xf32>, %b: tensor<2xi32>) -> tensor<2xf32> {
  %y = "onnx.add"(%a, %b) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error {{onnx.relu}}
func.func @attribute(%a: tensor<2xf32>) -> tensor<2xf32> {
  %y = "onnx.relu"(%a) {slope = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Values of several types go as one tuple, and that is looked into.
// expected-error {{'inputs' is tensor(float) and 'inputs' is tensor(int64): they must have one type}}
func.func @tuple(%a: tensor<2xf32>, %b: tensor<2xi64>) -> tensor<4xf32> {
  %p = builtin.unrealized_conversion_cast %a, %b : tensor<2xf32>, tensor<2xi64> to tuple<tensor<2xf32>, tensor<2xi64>>
  %y = "onnx.concat"(%p) {axis = 0 : i64} : (tuple<tensor<2xf32>, tensor<2xi64>>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
