"""ONNX's own node cases through the public API, against a strict table of expected failures."""

from __future__ import annotations

import pytest
from onnx_cases import Stopped, cases, check, expected_failures


def run(name: str, variant: str) -> None:
    row = expected_failures()[variant].get(name)
    try:
        check(cases()[name], dynamic=variant == "dynamic")
    except Stopped as e:
        if row is None:
            pytest.fail(str(e), pytrace=False)
        if e.stage != row.stage:
            pytest.fail(f"stops at {e}; the table says {row.stage}: {row.reason}", pytrace=False)
        pytest.xfail(f"{row.stage}: {row.reason}")
    if row is not None:
        pytest.fail(f"passes: take its row ({row.reason}) out of expected_failures.toml", pytrace=False)


@pytest.mark.parametrize("name", sorted(cases()))
def test_static(name: str) -> None:
    run(name, "static")


def test_every_row_names_a_case() -> None:
    for rows in expected_failures().values():
        assert set(rows) <= set(cases())
        assert all(row.reason.strip() and row.stage.strip() for row in rows.values())
