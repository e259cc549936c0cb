// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// All rows and trees step down together, as many times as the deepest tree is deep; then the leaf's weight.
// CHECK-LABEL: func.func @stump(
// CHECK: "nn.gather_elements"(%arg0
// CHECK: "nn.le"
// CHECK: "nn.select"
// CHECK: dense<{{\[\[}}1.000000e+01], [2.000000e+01]]>
// CHECK: "nn.gather"
func.func @stump(%x: tensor<3x2xf32>) -> tensor<3x1xf32> {
  %y = "onnx_ml.treeensembleregressor"(%x) {aggregate_function = "SUM", n_targets = 1 : i64, nodes_falsenodeids = array<i64: 2, 0, 0>, nodes_featureids = array<i64: 1, 0, 0>, nodes_missing_value_tracks_true = array<i64: 0, 0, 0>, nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"], nodes_nodeids = array<i64: 0, 1, 2>, nodes_treeids = array<i64: 0, 0, 0>, nodes_truenodeids = array<i64: 1, 0, 0>, nodes_values = array<f32: 0.5, 0.0, 0.0>, post_transform = "NONE", target_ids = array<i64: 0, 0>, target_nodeids = array<i64: 1, 2>, target_treeids = array<i64: 0, 0>, target_weights = array<f32: 10.0, 20.0>} : (tensor<3x2xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}
