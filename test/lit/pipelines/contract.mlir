// RUN: davit-opt %s --until nn | filecheck %s --check-prefix=NN
// RUN: davit-opt %s --until linalg | filecheck %s --check-prefix=LINALG
// RUN: davit-opt %s --dump-after=cse --onnx-to-nn --cse 2>&1 | filecheck %s --check-prefix=DUMP

// NN: "nn.maximum"
// NN-NOT: onnx.
// LINALG: arith.maximumf
// LINALG-NOT: nn.
// DUMP: // IR after command-line: cse
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "onnx.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
