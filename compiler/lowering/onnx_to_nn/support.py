"""Where each ONNX operator stands: lowered, expanded by its function body, run on the host, or refused.

LOWERED is what is registered; the other three are declared here. A test holds every live operator of ai.onnx,
ai.onnx.ml and ai.onnx.preview.training in exactly one of them.
"""

from __future__ import annotations

from collections.abc import Callable

EXPANDED: frozenset[tuple[str, str]] = frozenset(
    {
        *(
            ("", name)
            for name in (
                "Attention", "CausalConvWithState", "CenterCropPad", "DepthToSpace",
                "LinearAttention", "RotaryEmbedding", "SpaceToDepth",
            )
        ),
        ("ai.onnx.preview", "FlexAttention"),
    }
)  # fmt: skip
"""(domain, op) pairs replaced by the function body of their schema before lowering."""

STRINGS = "strings have no device form; host segments are not built yet"
MAPS = "maps have no device form; host segments are not built yet"

REFUSED: dict[tuple[str, str], str] = {
    ("", "ImageDecoder"): "decoding an image has no device form; host segments are not built yet",
    **{
        ("", name): STRINGS
        for name in ("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer")
    },
    ("ai.onnx.ml", "CategoryMapper"): STRINGS,
    **{("ai.onnx.ml", name): MAPS for name in ("CastMap", "DictVectorizer", "ZipMap")},
    ("ai.onnx.preview.training", "Gradient"): "a model's gradient is built by the framework that trains it",
}  # fmt: skip


def registered() -> dict[str, Callable[..., object]]:
    """The lowerings by op name in the dialect (``conv``, or ``onnx_ml.scaler`` in full)."""
    from davit.compiler.lowering.onnx_to_nn import REGISTRY

    return REGISTRY.functions


def is_lowered(domain: str, op_type: str) -> bool:
    """True when a lowering of the newest version is registered."""
    from davit.dialects.onnx import ir_name

    dialect, _, short = ir_name(domain, op_type).partition(".")
    return (short if dialect == "onnx" else f"{dialect}.{short}") in registered()


def is_supported(domain: str, op_type: str) -> bool:
    """True when a node of this kind can be compiled."""
    return (domain, op_type) in EXPANDED or is_lowered(domain, op_type)


def reason(domain: str, op_type: str) -> str | None:
    """Why an operator is refused, when that is known."""
    return REFUSED.get((domain, op_type))
