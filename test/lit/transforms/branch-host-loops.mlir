// RUN: davit-opt %s --branch-host-loops | filecheck %s

// A loop that decides when to end becomes blocks; the device's own loop stays as it is.
// CHECK-LABEL: func.func @while
// CHECK-NOT: scf.while
// CHECK: cf.cond_br
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: linalg.yield
// CHECK: cf.br
func.func @while(%n: index, %x: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %t = %x) : (index, tensor<4xi32>) -> (index, tensor<4xi32>) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i, %t : index, tensor<4xi32>
  } do {
  ^bb0(%i: index, %t: tensor<4xi32>):
    %u = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%t : tensor<4xi32>) {
    ^bb0(%e: i32):
      %s = scf.for %k = %c0 to %i step %c1 iter_args(%a = %e) -> (i32) {
        %d = arith.addi %a, %a : i32
        scf.yield %d : i32
      }
      linalg.yield %s : i32
    } -> tensor<4xi32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %u : index, tensor<4xi32>
  }
  return %r#1 : tensor<4xi32>
}

// A loop over static tensors is no trouble.
// CHECK-LABEL: func.func @for
// CHECK: scf.for
// CHECK-NOT: cf.br
func.func @for(%n: index, %x: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<4xi32>) {
    scf.yield %t : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
