"""ai.onnx.ml -> nn: the numeric part of classical models.

ONNX's text leaves much open here (what a classifier of two classes with one column of weights gives, which transform
applies to a single score). Exporters check their models in ONNX Runtime, so where the text is silent its results are
what these lowerings compute; the tests compare with it.
"""

from davit.compiler.lowering.onnx_to_nn.ml import encode, features, linear, svm, trees

FAMILIES = (encode, features, linear, svm, trees)
