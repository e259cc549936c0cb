"""onnx's native code, in a helper process: shape inference and the function bodies of schemas.

Both run C++ over whatever a model holds, and some models make it abort, which in the caller's process would take the
caller down. The helper is started when the frontend starts to read a model (it is ready, 0.2 s later, about when it is
first asked), kept for the next model, and replaced when it dies. Models cross without their large tensors, so that a
question and its answer take a millisecond or two more than the work itself.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from typing import Any

from davit.compiler.frontends.onnx import native_worker
from davit.compiler.frontends.onnx.native_worker import read_message, write_message
from davit.errors import CompileError

TIMEOUT = 60.0
"""Seconds for one question; inference over 20,000 nodes takes about one."""


class NativeError(Exception):
    """onnx raised an error; the text is its own."""


class NativeCrash(Exception):
    """The helper died."""


class NativeTimeout(NativeCrash):
    """The helper was stopped because it took too long."""


def infer_shapes(model: bytes, strict: bool) -> bytes:
    """``onnx.shape_inference.infer_shapes`` with data propagation; ``strict`` also checks types.

    Raises:
        NativeError, NativeCrash.
    """
    return _ask({"kind": "infer", "strict": strict}, model)


def function_body(domain: str, op: str, version: int, at: int, node: bytes, inputs: Sequence[bytes]) -> bytes:
    """The function body of a schema, made for a node with inputs of these types, as a serialized FunctionProto.

    Args:
        version: of the schema.
        at: the opset in which the body is written.

    Raises:
        NativeError, NativeCrash.
    """
    sizes = [len(node), *map(len, inputs)]
    header = {"kind": "body", "domain": domain, "op": op, "version": version, "at": at, "sizes": sizes}
    return _ask(header, b"".join((node, *inputs)))


class _Helper:
    def __init__(self) -> None:
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the helper
        self.process = subprocess.Popen(
            [sys.executable, "-P", native_worker.__file__],  # a script: it needs onnx and nothing of davit
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            start_new_session=True,  # a Ctrl-C in the terminal is not for it
        )
        self.ready = False

    def ask(self, header: dict[str, Any], payload: bytes) -> bytes:
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self.process.kill()

        timer = threading.Timer(TIMEOUT, expire)
        timer.daemon = True
        timer.start()
        answer = None
        try:
            assert self.process.stdin is not None and self.process.stdout is not None
            if not self.ready:
                self.ready = read_message(self.process.stdout) is not None  # type: ignore[arg-type]
            write_message(self.process.stdin, header, payload)  # type: ignore[arg-type]
            answer = read_message(self.process.stdout)  # type: ignore[arg-type]
        except OSError:
            pass  # the pipe broke: the helper is gone, and how it ended says why
        finally:
            timer.cancel()
        if answer is None:
            code = self.process.wait()
            if not self.ready:
                raise CompileError(
                    f"the helper process for shape inference does not start (exit code {code}): {self._last_words()}"
                )
            if expired.is_set():
                raise NativeTimeout(f"takes more than {TIMEOUT:g} s")
            raise NativeCrash(f"crashes (exit code {code})")
        if "error" in answer[0]:
            raise NativeError(answer[0]["error"])
        return answer[1]

    def _last_words(self) -> str:
        self.log.seek(0)
        lines = self.log.read().decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.log):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


_helper: _Helper | None = None
_lock = threading.RLock()


def start() -> None:
    """Starts the helper without waiting for it."""
    global _helper
    with _lock:
        if _helper is not None and _helper.process.poll() is not None:
            _helper.close()
            _helper = None
        if _helper is None:
            _helper = _Helper()


def _ask(header: dict[str, Any], payload: bytes) -> bytes:
    with _lock:
        start()
        assert _helper is not None
        return _helper.ask(header, payload)


def shutdown() -> None:
    """Ends the helper."""
    global _helper
    with _lock:
        if _helper is not None:
            _helper.close()
            _helper = None


def _forget() -> None:
    global _helper
    _helper = None  # after a fork it is the parent's


atexit.register(shutdown)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
