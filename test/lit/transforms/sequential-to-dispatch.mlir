// RUN: davit-opt %s --sequential-to-dispatch | filecheck %s

// A tensor that is updated in place has an origin of its own, marked so that no CSE merges it with another.
// CHECK-LABEL: func.func @running_sum(
// CHECK: "flow.dispatch.region"
// CHECK: %[[OWN:.*]] = tensor.empty() {own = 0 : i64}
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OWN]],
// CHECK: "flow.return"
// CHECK-NOT: kernel.
func.func @running_sum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %y = "kernel.sequential"() ({
    %empty = tensor.empty() : tensor<4xf32>
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %empty, %sum = %zero) -> (tensor<4xf32>, f32) {
      %e = tensor.extract %x[%i] : tensor<4xf32>
      %s = arith.addf %sum, %e : f32
      %u = tensor.insert %s into %t[%i] : tensor<4xf32>
      scf.yield %u, %s : tensor<4xf32>, f32
    }
    "kernel.yield"(%r#0) : (tensor<4xf32>) -> ()
  }) : () -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// What no optimizer may look through; a size of run time is tied to it again.
// CHECK-LABEL: func.func @opaque(
// CHECK: %[[B:.*]] = "util.optimization_barrier"(%arg0)
// CHECK: "flow.tensor.tie_shape"(%[[B]], %arg1)
func.func @opaque(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %y = "kernel.opaque"(%x, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
