// RUN: davit-opt %s --nn-to-linalg --canonicalize --cse | filecheck %s

// A merge sort, bottom up: stable, and no worse than n log n.
// CHECK-LABEL: func.func @argsort(
// CHECK: "kernel.sequential"
// CHECK: scf.while
// CHECK: arith.cmpf olt
// CHECK: scf.yield
func.func @argsort(%x: tensor<8xf32>) -> tensor<8xi64> {
  %y = "nn.argsort"(%x) {axis = 0 : i64, descending = true} : (tensor<8xf32>) -> tensor<8xi64>
  return %y : tensor<8xi64>
}

// How many are wanted is known at run time only, and checked then.
// CHECK-LABEL: func.func @top(
// CHECK: cf.assert {{.*}}k is negative or larger
// CHECK: "kernel.sequential"
func.func @top(%x: tensor<8xf32>, %k: tensor<1xi64>) -> (tensor<?xf32>, tensor<?xi64>) {
  %v, %i = "nn.top_k"(%x, %k) {axis = 0 : i64, largest = true} : (tensor<8xf32>, tensor<1xi64>) -> (tensor<?xf32>, tensor<?xi64>)
  return %v, %i : tensor<?xf32>, tensor<?xi64>
}
