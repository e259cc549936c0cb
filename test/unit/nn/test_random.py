"""Random bits against their definitions, and the random operators of ONNX by their statistics."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from nn_program import NnProgram

import davit
from davit.dialects.types import Tensor

N = 200_000


@pytest.fixture(scope="module")
def program() -> NnProgram:
    p = NnProgram()
    shape = Tensor.make("i64", (2,))
    p.add("philox", [shape], lambda b, s: b.random_bits(s, generator="philox", seed=-3, stream=7))
    p.add("philox0", [shape], lambda b, s: b.random_bits(s, generator="philox", seed=0))
    p.add("twister", [shape], lambda b, s: b.random_bits(s, generator="twister", seed=12345))
    return p


@pytest.mark.parametrize("name", ["philox", "philox0", "twister"])
@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (0, 4), (40, 33)])
def test_bits(program: NnProgram, name: str, shape: tuple[int, int]) -> None:
    program.check(name, np.array(shape, np.int64))


def test_philox_known_answer(program: NnProgram) -> None:
    """The first known answer of Random123's test vectors: counter and key zero."""
    (bits,) = program.run("philox0", np.array([1, 1], np.int64))
    assert int(bits[0, 0]) == 0x6627E8D5E169C58D


def test_twister_is_numpys(program: NnProgram) -> None:
    (bits,) = program.run("twister", np.array([2, 700], np.int64))
    got = (bits >> np.uint64(37) << np.uint64(26) | (bits >> np.uint64(6)) & np.uint64(2**26 - 1)) * 2.0**-53
    np.testing.assert_array_equal(got, np.random.RandomState(12345).random_sample((2, 700)))


@pytest.fixture(scope="module")
def draws() -> dict[str, np.ndarray]:
    """One model with all random operators."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["": 22]>
        g (float[{N}] p, float[1, 3] logs, double[{N}] d) =>
          (float[{N}] u, float[{N}] u2, float[{N}] useed, float[{N}] useed2, double[{N}] nd, float[{N}] n,
           float16[{N}] h, float[{N}] bern, int64[1, {N}] m, float[{N}] drop, bool[{N}] mask) {{
          u = RandomUniform <shape = [{N}], low = -2.0, high = 3.0> ()
          u2 = RandomUniform <shape = [{N}], low = -2.0, high = 3.0> ()
          useed = RandomUniform <shape = [{N}], seed = 5.0> ()
          useed2 = RandomUniformLike <seed = 5.0> (p)
          nd = RandomNormalLike <mean = 1.0, scale = 2.0> (d)
          n = RandomNormal <shape = [{N}], seed = 1.5> ()
          h = RandomUniform <shape = [{N}], dtype = 10, low = 1.0, high = 2.0> ()
          bern = Bernoulli (p)
          m = Multinomial <sample_size = {N}, dtype = 7> (logs)
          ratio = Constant <value_float = 0.25> ()
          yes = Constant <value_int = 1> ()
          training = Cast <to = 9> (yes)
          drop, mask = Dropout <seed = 3> (p, ratio, training)
        }}"""
    )
    exe = davit.compile(model)
    inputs = [np.full(N, 0.3, np.float32), np.log(np.array([[0.2, 0.5, 0.3]], np.float32)), np.zeros(N)]
    first, second = exe.run(inputs), exe.run(inputs)
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name], err_msg=name)  # a program repeats itself
    return first


def test_uniform(draws: dict[str, np.ndarray]) -> None:
    u = draws["u"].astype(np.float64)
    assert u.min() >= -2 and u.max() < 3
    counts = np.histogram(u, 50, (-2, 3))[0]
    assert ((counts - N / 50) ** 2 / (N / 50)).sum() < 100  # chi-square with 49 degrees: 1 in 30,000
    assert abs(np.corrcoef(u[:-1], u[1:])[0, 1]) < 0.01
    assert abs(np.corrcoef(u, draws["u2"])[0, 1]) < 0.01, "nodes without seed draw different numbers"
    np.testing.assert_array_equal(draws["useed"], draws["useed2"])
    half = draws["h"].astype(np.float32)
    assert half.min() >= 1 and half.max() < 2


@pytest.mark.parametrize(("name", "mean", "scale"), [("nd", 1, 2), ("n", 0, 1)])
def test_normal(draws: dict[str, np.ndarray], name: str, mean: float, scale: float) -> None:
    z = (draws[name].astype(np.float64) - mean) / scale
    assert abs(z.mean()) < 0.01 and abs(z.std() - 1) < 0.01
    assert abs((z**3).mean()) < 0.03 and abs((z**4).mean() - 3) < 0.1
    for limit, share in ((1, 0.6827), (2, 0.9545), (3, 0.9973)):
        assert abs((np.abs(z) < limit).mean() - share) < 0.005


def test_choices(draws: dict[str, np.ndarray]) -> None:
    assert set(np.unique(draws["bern"])) == {0, 1} and abs(draws["bern"].mean() - 0.3) < 0.005
    shares = np.bincount(draws["m"][0], minlength=3) / N
    np.testing.assert_allclose(shares, [0.2, 0.5, 0.3], atol=0.006)
    assert abs(draws["mask"].mean() - 0.75) < 0.005
    np.testing.assert_allclose(draws["drop"], np.where(draws["mask"], np.float32(0.3 / 0.75), 0), rtol=1e-6)
