// RUN: davit-opt %s --split-input-file --verify-diagnostics

// The declared result must fit the inferred one.
// expected-error {{result type 2x5xf32 does not fit the inferred 2x4xf32}}
func.func @result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x5xf32> {
  %y = "nn.matmul"(%a, %b) {out = f32} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// expected-error {{perm [0, 0] is no permutation of the 2 dimensions}}
func.func @perm(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = "nn.transpose"(%a) {perm = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
