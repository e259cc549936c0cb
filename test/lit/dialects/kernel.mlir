// RUN: davit-opt %s --split-input-file --verify-diagnostics

// Every dynamic dimension of a result needs its size.
// expected-error {{has 1 dynamic result dimensions but 0 sizes}}
func.func @sizes(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = "kernel.sequential"() ({
    "kernel.yield"(%x) : (tensor<?xf32>) -> ()
  }) : () -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error {{must return ranked tensors, not f32}}
func.func @scalar(%x: f32) -> f32 {
  %y = "kernel.sequential"() ({
    "kernel.yield"(%x) : (f32) -> ()
  }) : () -> f32
  return %y : f32
}
