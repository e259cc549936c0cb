// RUN: davit-opt %s --onnx-to-nn --canonicalize --cse | filecheck %s

// Round half to even first, then the zero point, then saturate.
// CHECK-LABEL: func.func @quantize(
// CHECK: "nn.div"
// CHECK-NEXT: "nn.round"
// CHECK: "nn.add"
// CHECK: "nn.maximum"
// CHECK: "nn.minimum"
// CHECK: "nn.cast"{{.*}} -> tensor<2x4xui8>
func.func @quantize(%x: tensor<2x4xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<2x4xui8> {
  %y = "onnx.quantizelinear"(%x, %s, %z) {axis = 1 : i64, block_size = 0 : i64, output_dtype = 0 : i64, precision = 0 : i64, saturate = 1 : i64} : (tensor<2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
  return %y : tensor<2x4xui8>
}

// One scale for each row.
// CHECK-LABEL: func.func @dequantize(
// CHECK: "nn.cast"{{.*}} -> tensor<2x4xf32>
// CHECK: "nn.reshape"{{.*}} -> tensor<2x1xf32>
// CHECK: "nn.mul"
func.func @dequantize(%x: tensor<2x4xi8>, %s: tensor<2xf32>) -> tensor<2x4xf32> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.dequantizelinear"(%x, %s, %none) {axis = 0 : i64, block_size = 0 : i64, output_dtype = 0 : i64} : (tensor<2x4xi8>, tensor<2xf32>, none) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// The zero point is taken off in 16 bits, where the difference fits, and the sums are 32 bits wide.
// CHECK-LABEL: func.func @product(
// CHECK: "nn.sub"{{.*}} -> tensor<2x3xi16>
// CHECK: "nn.matmul"{{.*}}out = i32
func.func @product(%a: tensor<2x3xui8>, %b: tensor<3x4xui8>, %za: tensor<ui8>) -> tensor<2x4xi32> {
  %none = "onnx.none"() : () -> none
  %y = "onnx.matmulinteger"(%a, %b, %za, %none) : (tensor<2x3xui8>, tensor<3x4xui8>, tensor<ui8>, none) -> tensor<2x4xi32>
  return %y : tensor<2x4xi32>
}
