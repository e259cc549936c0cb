"""Quantisation: every new attribute's default is what there was before."""

from __future__ import annotations

from davit.compiler.frontends.onnx.opset import SAME, keeps

keeps("DequantizeLinear", "QuantizeLinear", since=10, until=10, why=SAME("the axis matters for scales of rank 1 only"))
keeps("QuantizeLinear", since=13, until=18, why=SAME("saturate matters for float8 only, which came with it"))
keeps("DequantizeLinear", since=19, until=20, why=SAME("block_size=0 means no blocks"))
keeps("QuantizeLinear", since=19, until=20, why=SAME("block_size=0: no blocks; output_dtype=0: that of the zero point"))
keeps("DequantizeLinear", since=21, until=22, why=SAME("output_dtype=0 means that of the scale, as it was"))
keeps("QuantizeLinear", since=21, until=22, why=SAME("precision=0 means that of the scale, as it was"))
