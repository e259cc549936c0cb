"""The helper process that holds IREE's compiler: reads jobs from stdin, answers on stdout. See ``iree.py``.

A message is one JSON line, then as many bytes as its ``"size"`` says. IREE's diagnostics go to stderr, which the
parent owns and reads.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import signal
import sys
import threading
import time
from typing import Any, BinaryIO


def read_message(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next message, or None at the end of the stream."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    header = json.loads(line)
    payload = stream.read(header["size"])
    if len(payload) != header["size"]:
        return None
    return header, payload


def write_message(stream: BinaryIO, header: dict[str, Any], payload: bytes) -> None:
    stream.write(json.dumps({**header, "size": len(payload)}).encode() + b"\n")
    stream.write(payload)
    stream.flush()


GLOBAL_FLAGS = ("--iree-opt-level=O2", "--iree-stream-partitioning-favor=debug")
"""Flags that IREE reads once a process.

Commands of a stream run one after the other: IREE 3.13 lets a slice of a tensor be copied while a dispatch updates
it in place, which now and then gives garbage (sizes read back to the host, for one). Each dispatch still uses
all threads; the cost was within noise on four models. The optimisation level is a session's to choose, but where
process-wide flags are given without it, sessions crash on some products.
"""

_arguments = [ctypes.create_string_buffer(a.encode()) for a in ("davit", *GLOBAL_FLAGS)]
_pointers = (ctypes.c_char_p * len(_arguments))(*map(ctypes.addressof, _arguments))
# IREE keeps pointers into its arguments, which therefore live as long as the process does.


@functools.cache
def set_global_flags() -> None:
    """Give IREE its process-wide flags, before its first session."""
    from iree.compiler.api.ctypes_dl import _dylib

    _dylib.ireeCompilerSetupGlobalCL(len(_arguments), _pointers, b"davit", False)


def compile_module(
    bytecode: bytes, flags: list[str], until: str | None = None, passes: str | None = None
) -> bytes | None:
    """Run IREE's compiler in this process; None when it failed (the diagnostics are on stderr).

    Args:
        until: an IREE phase; then the answer is the IR there, as text.
        passes: a pipeline to run instead of the compiler's own; the answer is the IR after it, as text.

    Raises:
        ValueError: IREE does not know a flag.
    """
    from iree.compiler.api import Invocation, Output, Session, Source
    from iree.compiler.api.ctypes_dl import _dylib

    set_global_flags()
    session = Session()
    session.set_flags(*flags)
    invocation: Invocation = session.invocation()
    invocation.enable_console_diagnostics()
    if until is not None:
        set_phase = _dylib.ireeCompilerInvocationSetCompileToPhase
        set_phase.argtypes, set_phase.restype = [ctypes.c_void_p, ctypes.c_char_p], None
        set_phase(invocation._inv_p, until.encode())
    source = Source.wrap_buffer(session, bytecode)
    if not invocation.parse_source(source):
        return None
    if not (invocation.execute() if passes is None else invocation.execute_text_pass_pipeline(passes)):
        return None
    output = Output.open_membuffer()
    if until is not None or passes is not None:
        invocation.output_ir(output)
    else:
        invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())


def _end_with(parent: int) -> None:
    """End when the parent has, even in the middle of native code, which runs without the interpreter's lock.

    Not Linux's PR_SET_PDEATHSIG: that fires when the *thread* ends that started this process.
    """
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what native code prints must not get between the answers
    jobs = sys.stdin.buffer
    while (message := read_message(jobs)) is not None:
        header, payload = message
        try:
            result = compile_module(payload, header["flags"], header.get("until"), header.get("passes"))
            answer: dict[str, Any] = {"ok": result is not None}
        except (ValueError, RuntimeError) as e:
            result, answer = None, {"ok": False, "error": str(e)}
        del message, payload
        sys.stderr.flush()
        write_message(answers, answer, result or b"")


if __name__ == "__main__":
    main()
