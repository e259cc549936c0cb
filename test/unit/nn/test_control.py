"""If, Loop, Scan and sequences against ONNX Runtime: trip counts, early ends, growing results, sizes of run time."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

import davit
from davit.errors import CompileError, ExecutionError, Unsupported

ort = pytest.importorskip("onnxruntime")

HEAD = '<ir_version: 10, opset_import: ["" : 23]>\n'


def model(text: str) -> bytes:
    return onnx.parser.parse_model(HEAD + text).SerializeToString()


def agree(text: str, *inputs: list) -> None:
    """davit's results equal ONNX Runtime's on each list of inputs."""
    data = model(text)
    session = ort.InferenceSession(data)
    exe = davit.compile(data)
    for values in inputs:
        names = [i.name for i in session.get_inputs()]
        arrays = [np.asarray(v) for v in values]
        want = session.run(None, dict(zip(names, arrays, strict=True)))
        got = list(exe.run(arrays).values())
        for w, g in zip(want, got, strict=True):
            assert g.dtype == w.dtype and g.ndim == w.ndim
            if w.size or g.size:  # of what no iteration has made, ONNX Runtime takes unknown sizes for 0
                np.testing.assert_allclose(g, w, rtol=1e-5, strict=True)


def i64(*v: int) -> np.ndarray:
    return np.array(v[0] if len(v) == 1 else v, np.int64)


def f32(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


TRUE, FALSE = np.bool_(True), np.bool_(False)


# -- If -----------------------------------------------------------------------------------------------------------


def test_if_at_run_time():
    """Branches of different sizes, captured values, a branch without nodes of its own, and nesting."""
    agree(
        """g (bool c, bool d, float[n, 3] x) => (float[m, 3] y, float[k, 3] z) {
            y = If (c) <
                then_branch = t () => (float[a, 3] t0) { t0 = Concat <axis = 0> (x, x) },
                else_branch = e () => (float[b, 3] e0) {
                    e0 = If (d) <
                        then_branch = tt () => (float[a, 3] t1) { t1 = Neg (x) },
                        else_branch = ee () => (float[b, 3] e1) { e1 = Identity (x) }
                    >
                }
            >
            z = Add (y, y)
        }""",
        [TRUE, TRUE, f32(2, 3)],
        [FALSE, TRUE, f32(2, 3)],
        [FALSE, FALSE, f32(4, 3)],
    )


def test_if_known_when_compiling_takes_one_branch():
    """The other branch may be of another rank; and only the taken one is compiled."""
    text = """g (float[2] x) => (float[r] y) <bool c = {1}> {
        y = If (c) <
            then_branch = t () => (float[2] t0) { t0 = Exp (x) },
            else_branch = e () => (float[1, 2] e0) { a = Constant <value = int64[1] {0}> ()
                                                     e0 = Unsqueeze (x, a) }
        >
    }"""
    agree(text, [f32(2)])


def test_branches_must_agree_in_rank():
    data = model("""g (bool c, float[2] x) => (float y) {
        y = If (c) <
            then_branch = t () => (float[2] t0) { t0 = Exp (x) },
            else_branch = e () => (float[1, 2] e0) { a = Constant <value = int64[1] {0}> ()
                                                     e0 = Unsqueeze (x, a) }
        >
    }""")
    with pytest.raises(CompileError, match=r"\(If\): its condition .* output 0 is 2xf32 on one way and 1x2xf32 on"):
        davit.compile(data)


def test_a_squeeze_written_as_a_condition():
    """The branch that squeezes is compiled, and guarded."""
    data = model("""g (float[n, m] x) => (float[r] y) {
        s = Shape <start = 1, end = 2> (x)
        one = Constant <value = int64[1] {1}> ()
        c = Equal (s, one)
        z = If (c) <
            then_branch = t () => (t0) { t0 = Squeeze (x, one) },
            else_branch = e () => (e0) { e0 = Identity (x) }
        >
        y = Neg (z)
    }""")
    exe = davit.compile(data)
    x = f32(3, 1)
    np.testing.assert_array_equal(exe.run([x])["y"], -x[:, 0])
    with pytest.raises(ExecutionError, match="compiled for a condition that is true|expected 1 but have 2"):
        exe.run([f32(3, 2)])


# -- Loop ---------------------------------------------------------------------------------------------------------

COUNTED = """g (int64 n, bool go, float[k] x) => (float[k] last, float[t, k] all, int64[t] numbers) {
    last, all, numbers = Loop (n, go, x) <
        body = b (int64 i, bool c, float[k] v) => (bool c1, float[k] v1, float[k] s, int64 j) {
        one = Constant <value = float {1.5}> ()
        v1 = Mul (v, one)
        s = Add (v1, x)
        j = Identity (i)
        c1 = Identity (c)
    }>
}"""


def test_counted_loop():
    """A trip count of run time, zero and negative ones too; stacked values; the index."""
    agree(COUNTED, [i64(5), TRUE, f32(4)], [i64(0), TRUE, f32(4)], [i64(3), FALSE, f32(2)], [i64(1), TRUE, f32(0)])


@pytest.mark.parametrize("trips", [0, 1, 3, 100])
def test_constant_trip_count(trips):
    """Unrolled or not, the result is the same, and static."""
    text = COUNTED.replace("(int64 n, bool go, float[k] x)", "(float[3] x)")
    text = text.replace("numbers) {", f"numbers) <int64 n = {{{trips}}}, bool go = {{1}}> {{", 1)
    agree(text, [f32(3)])


def test_loop_that_decides_when_to_end():
    """``while`` with a limit, and without one (a huge trip count); stacked values grow."""
    text = """g (int64 n, float[k] x) => (float[k] last, float[t, k] all) {
        go = Constant <value = bool {1}> ()
        last, all = Loop (n, go, x) <body = b (int64 i, bool c, float[k] v) => (bool c1, float[k] v1, float[k] s) {
            two = Constant <value = float {2}> ()
            limit = Constant <value = float {100}> ()
            v1 = Mul (v, two)
            s = Identity (v)
            a = Abs (v1)
            m = ReduceMax <keepdims = 0> (a)
            c1 = Less (m, limit)
        }>
    }"""
    x = np.float32([1, -3, 2])
    agree(text, [i64(2**62), x], [i64(3), x], [i64(0), x], [i64(9), np.float32([200])])


def test_carried_value_that_grows():
    agree(
        """g (int64 n, float[2, k] x) => (float[m, k] y) {
            go = Constant <value = bool {1}> ()
            y = Loop (n, go, x) <body = b (int64 i, bool c, float[m, k] v) => (bool c1, float[r, k] v1) {
                v1 = Concat <axis = 0> (v, x)
                c1 = Identity (c)
            }>
        }""",
        [i64(4), f32(2, 3)],
        [i64(0), f32(2, 1)],
    )


def test_stacked_values_whose_size_only_the_loop_knows():
    agree(
        """g (int64 n, float[k] x) => (float[t, r] y) {
            go = Constant <value = bool {1}> ()
            y = Loop (n, go) <body = b (int64 i, bool c) => (bool c1, float[r] s) {
                zero = Constant <value = float {0}> ()
                m = Greater (x, zero)
                s = Compress (x, m)
                c1 = Identity (c)
            }>
        }""",
        [i64(3), np.float32([1, -1, 2, 3])],
        [i64(2), np.float32([-1])],
    )


def test_loops_inside_loops():
    agree(
        """g (int64 n, int64 m, float[k] x) => (float[k] y, float[s, t, k] z) {
            go = Constant <value = bool {1}> ()
            y, z = Loop (n, go, x) <body = b (int64 i, bool c, float[k] v) => (bool c1, float[k] v1, float[t, k] s) {
                v1, s = Loop (m, go, v) <body = bb (int64 j, bool d, float[k] w) => (bool d1, float[k] w1, float[k] r) {
                    f = Cast <to = 1> (i)
                    w1 = Add (w, f)
                    r = Mul (w1, x)
                    d1 = Identity (d)
                }>
                c1 = Identity (c)
            }>
        }""",
        [i64(2), i64(3), f32(2)],
        [i64(1), i64(1), f32(5)],
        [i64(3), i64(0), f32(2)],
    )


def test_endless_loop_is_refused():
    data = model("""g (float[2] x) => (float[2] y) {
        go = Constant <value = bool {1}> ()
        y = Loop (, go, x) <body = b (int64 i, bool c, float[2] v) => (bool c1, float[2] v1) {
            v1 = Neg (v)
            c1 = Identity (c)
        }>
    }""")
    with pytest.raises(CompileError, match="neither a trip count nor a condition"):
        davit.compile(data)


# -- Scan ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", ["n", "7", "40"])
def test_scan(steps):
    """Two scanned inputs, one backwards along axis 1; stacked along axis 1, and backwards."""
    text = f"""g (float[k] s, float[{steps}, k] x, float[k, {steps}] w) => (float[k] y, float[p, q] a, float[u, v] c) {{
        y, a, c = Scan (s, x, w) <
            num_scan_inputs = 2, scan_input_axes = [0, 1], scan_input_directions = [0, 1],
            scan_output_axes = [1, 0], scan_output_directions = [0, 1],
            body = b (float[k] t, float[k] e, float[k] f) => (float[k] t1, float[k] o, float[k] r) {{
                m = Mul (e, f)
                t1 = Add (t, m)
                o = Identity (t1)
                r = Neg (m)
            }}
        >
    }}"""
    sizes = [3, 5] if steps == "n" else [int(steps)]
    agree(text, *[[f32(4), f32(n, 4), f32(4, n)] for n in sizes])


# -- sequences ----------------------------------------------------------------------------------------------------


def test_sequences_of_known_length():
    agree(
        """g (float[6, n] x, int64 at) => (float[p, q] a, float[r, s] b, int64 l, float[t, u] c, float[v, w] d) {
            s = SplitToSequence <axis = 0> (x, three)
            l = SequenceLength (s)
            e = SequenceErase (s, zero)
            i = SequenceInsert (e, x)
            a = ConcatFromSequence <axis = 0> (i)
            b = SequenceAt (s, minus)
            f = SequenceEmpty ()
            g = SequenceInsert (f, x)
            h = SequenceInsert (g, x, zero)
            c = ConcatFromSequence <axis = 1> (h)
            three = Constant <value = int64 {4}> ()
            zero = Constant <value = int64 {0}> ()
            minus = Constant <value = int64 {-1}> ()
            o = Optional (x)
            has = OptionalHasElement (o)
            got = OptionalGetElement (o)
            d = If (has) <
                then_branch = t () => (float[v, w] t0) { t0 = Identity (got) },
                else_branch = e () => (float[v, w] e0) { e0 = Neg (x) }
            >
        }""",
        [f32(6, 2), i64(1)],
    )


def test_sequence_built_in_a_loop():
    agree(
        """g (float[2, 3] x) => (float[p, q] y) <int64 n = {22}> {
            go = Constant <value = bool {1}> ()
            none = SequenceEmpty ()
            s = Loop (n, go, none) <body = b (int64 i, bool c, seq(float[2, 3]) v) => (bool c1, seq(float[2, 3]) v1) {
                f = Cast <to = 1> (i)
                e = Add (x, f)
                v1 = SequenceInsert (v, e)
                c1 = Identity (c)
            }>
            y = ConcatFromSequence <axis = 0> (s)
        }""",
        [f32(2, 3)],
    )


def test_sequence_of_run_time_length_is_refused():
    data = model("""g (int64 n, float[2] x) => (float[p] y) {
        go = Constant <value = bool {1}> ()
        none = SequenceEmpty ()
        s = Loop (n, go, none) <body = b (int64 i, bool c, seq(float[2]) v) => (bool c1, seq(float[2]) v1) {
            v1 = SequenceInsert (v, x)
            c1 = Identity (c)
        }>
        y = ConcatFromSequence <axis = 0> (s)
    }""")
    with pytest.raises(CompileError, match="starts as a sequence of 0 and an iteration makes it a sequence of 1"):
        davit.compile(data)


def test_sequence_map():
    agree(
        """g (float[2, 3] x, float[3] w) => (float[p, q] y) {
            s = SequenceConstruct (x, x)
            m = SequenceMap (s, w) <body = b (float[2, 3] e, float[3] f) => (float[2, 3] r) { r = Mul (e, f) }>
            y = ConcatFromSequence <axis = 0> (m)
        }""",
        [f32(2, 3), f32(3)],
    )


def test_sequence_as_output_is_refused():
    data = model("g (float[2] x) => (seq(float[2]) s) { s = SequenceConstruct (x, x) }")
    with pytest.raises(Unsupported, match="output 0 is a sequence of 2; only tensors can leave"):
        davit.compile(data)
