"""Everything that is not supported is told at once."""

from __future__ import annotations

import pytest
from onnx import parser

from davit.compiler.frontends.onnx import prepare
from davit.compiler.frontends.onnx.preflight import why_not
from davit.compiler.lowering.onnx_to_nn import support
from davit.errors import Unsupported


def refused(body: str) -> Unsupported:
    head = '<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1, "com.microsoft" : 1]>'
    text = f"{head} g (float[2] x) => (y) {{ {body} }}"
    with pytest.raises(Unsupported) as caught:
        prepare(parser.parse_model(text))
    return caught.value


def test_every_operator_is_listed_once_with_its_first_nodes():
    error = refused("""
        [k1] a = com.acme.Foo (x)
        [k2] b = com.acme.Foo (a)
        [k3] c = com.acme.Foo (b)
        [k4] d = com.acme.Foo (c)
        e = Reluu (d)
        [gelu] f = com.microsoft.Gelu (e)
        y = Relu (f)
    """)
    message = str(error)
    assert "\n" not in message
    assert "3 operators are not supported" in message
    assert "com.acme.Foo x4 ('k1', 'k2', 'k3', ...): davit does not know the domain 'com.acme'" in message
    assert "Reluu x1 (unnamed, makes 'e'): ai.onnx has no operator of that name; did you mean 'Relu'?" in message
    assert "com.microsoft.Gelu x1 ('gelu')" in message
    assert len(error.items) == 3


def test_reasons_of_the_support_table_are_given():
    key = next(k for k in support.REFUSED if k[0] == "")
    assert why_not(*key, 28) == support.REFUSED[key]


def test_unsupported_nodes_inside_branches_count():
    error = refused("""
        c = Constant <value_int = 1> ()
        s = ReduceSum <keepdims = 0> (x)
        b = Cast <to = 9> (s)
        y = If (b) <
          then_branch = t () => (r) { [in_then] r = com.acme.Foo (x) },
          else_branch = e () => (r) { [in_else] r = com.acme.Foo (x) }>
    """)
    assert "com.acme.Foo x2 ('in_then', 'in_else')" in str(error)


def test_local_functions_of_any_domain_are_known():
    text = """
        <ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
        g (float[2] x) => (float[2] y) { y = com.acme.Foo (x) }
        <domain: "com.acme", opset_import: ["" : 17]>
        Foo (x) => (y) { y = Relu (x) }
    """
    assert [node.op_type for node in prepare(parser.parse_model(text)).graph.node] == ["Relu"]


def test_a_supported_model_passes():
    assert why_not("", "Add", 28) is None
