"""The hand-over to IREE's compiler: bytecode in, a VM FlatBuffer (or the IR of one of IREE's phases) out.

IREE's compiler is native code that can abort, overflow its stack or run for hours on an unlucky module; in the
caller's process any of these would take the caller down. So it runs in a helper process, which is started on first
use (0.2 s), kept for the next compile, and killed when it exceeds its time. A program of a few operators takes 0.2 s
to compile, of which the trip to the helper and back is about 1 ms: isolation costs nothing that can be felt. Modules
cross as MLIR bytecode in which weights are plain bytes. ``isolate=False`` compiles in the caller's process.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, Literal

from davit.compiler.iree_worker import GLOBAL_FLAGS, compile_module, read_message, write_message
from davit.errors import CompileError

Phase = Literal[
    "input", "abi", "preprocessing", "global-optimization", "flow", "stream", "executable-sources", "hal", "vm"
]
"""IREE's phases, in order (``iree-compile --compile-to``)."""

DEFAULT_TIMEOUT = 1800.0
"""Seconds for one module. Large models take about a minute."""

RETIRE_BYTES = 64 << 20
"""A helper that compiled a module larger than this is ended afterwards, which gives its memory back."""

RETIRE_JOBS = 200
"""So is one that compiled this many: each leaves a megabyte or two behind."""

STACK_LIMIT = 256 << 10
"""Bytes of stack a dispatch may use when IREE's 32 KiB are not enough; the threads that run it have 8 MiB."""

STACK_FLAG = f"--iree-llvmcpu-stack-allocation-limit={STACK_LIMIT}"

SECOND_TRIES: tuple[tuple[str, re.Pattern[str], Callable[[list[str]], list[str]]], ...] = (
    (
        f"a dispatch may use {STACK_LIMIT >> 10} KiB of stack",
        re.compile("exceeded stack allocation limit"),
        lambda flags: flags if STACK_FLAG in flags else [*flags, STACK_FLAG],
    ),
)
"""What is known to make IREE accept a program that it refused: (what changes, the refusal, the new flags)."""


def compile_to_vmfb(
    bytecode: bytes,
    flags: Sequence[str],
    *,
    what: str = "<module>",
    timeout: float = DEFAULT_TIMEOUT,
    reproducer_dir: str | None = None,
    isolate: bool = True,
    on_retry: Callable[[str], None] | None = None,
) -> bytes:
    """Compile a module to a VM FlatBuffer.

    Args:
        bytecode: the module at the hand-over level, as MLIR bytecode.
        flags: of ``iree-compile``.
        what: what error messages call the module.
        timeout: seconds before the helper is killed.
        on_retry: told what was changed when IREE refused the program and is asked again (:data:`SECOND_TRIES`).

    Raises:
        CompileError: IREE refused, crashed, or took too long. The error holds the path of a reproducer.
    """
    return _run(bytecode, list(flags), None, what, timeout, reproducer_dir, isolate, on_retry)


def compile_to_phase(
    bytecode: bytes,
    flags: Sequence[str],
    phase: Phase,
    *,
    what: str = "<module>",
    timeout: float = DEFAULT_TIMEOUT,
    reproducer_dir: str | None = None,
) -> str:
    """The IR at one of IREE's phases, as text.

    Raises:
        as :func:`compile_to_vmfb`.
    """
    return _run(bytecode, list(flags), phase, what, timeout, reproducer_dir, True).decode("utf-8", "replace")


def run_passes(
    module: bytes, flags: Sequence[str], passes: str, *, what: str = "<module>", timeout: float = DEFAULT_TIMEOUT
) -> str:
    """Run passes that IREE knows on a module (text or bytecode) and give its text.

    Raises:
        CompileError: IREE knows no such pass, or a pass failed.
    """
    result, log, died = _attempt(module, list(flags), None, timeout, True, f"builtin.module({passes})")
    if result is None:
        raise CompileError(_failure(what, died, log), None, "iree")
    return result.decode("utf-8", "replace")


def _run(
    bytecode: bytes,
    flags: list[str],
    until: str | None,
    what: str,
    timeout: float,
    reproducer_dir: str | None,
    isolate: bool,
    on_retry: Callable[[str], None] | None = None,
) -> bytes:
    result, log, died = _attempt(bytecode, flags, until, timeout, isolate)
    for change, refusal, new_flags in SECOND_TRIES:
        if result is None and died is None and refusal.search(log) and (other := new_flags(flags)) != flags:
            flags = other
            if on_retry is not None:
                on_retry(change)
            result, log, died = _attempt(bytecode, flags, until, timeout, isolate)
    if result is not None:
        return result
    raise CompileError(_failure(what, died, log), write_reproducer(bytecode, flags, log, reproducer_dir), "iree")


def _failure(what: str, died: str | None, log: str) -> str:
    diagnosis = explain(log)
    return f"{what}: IREE's compiler {died or 'refused the program'}{': ' if diagnosis else ''}{diagnosis}"


def _attempt(
    bytecode: bytes, flags: list[str], until: str | None, timeout: float, isolate: bool, passes: str | None = None
) -> tuple[bytes | None, str, str | None]:
    """Result or None, the diagnostics, and how the helper ended if it did."""
    if not isolate:
        try:
            return compile_module(bytecode, flags, until, passes), "", None
        except (ValueError, RuntimeError) as e:
            return None, str(e), None
    helper = _take()
    try:
        result = helper.compile(bytecode, flags, until, timeout, passes)
    except BaseException:  # Ctrl-C: it is still at work, and its answer must not become another module's
        helper.close()
        raise
    _give_back(helper, len(bytecode))
    return result


# -- the helper process ------------------------------------------------------------------------------------------
class _Helper:
    def __init__(self) -> None:
        self.log = _anonymous_file()
        self.jobs = 0
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "davit.compiler.iree_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            start_new_session=True,  # a Ctrl-C in the terminal is not for it
        )

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.log):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def compile(
        self, bytecode: bytes, flags: list[str], until: str | None, timeout: float, passes: str | None = None
    ) -> tuple[bytes | None, str, str | None]:
        self.jobs += 1
        self.log.seek(0)
        self.log.truncate()
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self.process.kill()

        timer = threading.Timer(timeout, expire)
        timer.daemon = True
        timer.start()
        answer: tuple[dict[str, Any], bytes] | None = None
        try:
            assert self.process.stdin is not None and self.process.stdout is not None
            job = {"flags": flags, "until": until, "passes": passes}
            write_message(self.process.stdin, job, bytecode)  # type: ignore[arg-type]
            answer = read_message(self.process.stdout)  # type: ignore[arg-type]
        except OSError:
            pass  # the pipe broke: the helper is gone, and how it ended says why
        finally:
            timer.cancel()
        log = self._read_log()
        if answer is not None:
            header, payload = answer
            log = "\n".join(filter(None, (header.get("error", ""), log)))
            return (payload if header["ok"] else None), log, None
        code = self.process.wait()
        if expired.is_set():
            return None, log, f"was stopped after {timeout:g} s (raise timeout= to give it longer)"
        return None, log, f"crashed (signal {-code})" if code < 0 else f"ended with exit code {code}"

    def _read_log(self) -> str:
        """The diagnostics: the first of them say most, and a crash comes last; IR in between may be megabytes."""
        keep = 1 << 17
        self.log.seek(0, os.SEEK_END)
        size = self.log.tell()
        self.log.seek(0)
        text = self.log.read(keep)
        if size > keep:
            self.log.seek(max(keep, size - keep))
            text += b"\n...\n" + self.log.read()
        return text.decode("utf-8", "replace")


def _anonymous_file() -> BinaryIO:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("davit-iree-log"), "w+b")
    return tempfile.TemporaryFile()


_idle: list[_Helper] = []
_lock = threading.Lock()


def _take() -> _Helper:
    with _lock:
        while _idle:
            helper = _idle.pop()
            if helper.alive:
                return helper
            helper.close()
    return _Helper()


def _give_back(helper: _Helper, size: int) -> None:
    if helper.alive and size <= RETIRE_BYTES and helper.jobs < RETIRE_JOBS:
        with _lock:
            if len(_idle) < 2:
                _idle.append(helper)
                return
    helper.close()


def shutdown() -> None:
    """End the idle helpers."""
    with _lock:
        while _idle:
            _idle.pop().close()


def _forget() -> None:
    _idle.clear()  # after a fork they are the parent's


atexit.register(shutdown)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# -- diagnostics -------------------------------------------------------------------------------------------------
_ERROR = re.compile(r"^(?P<where>.*?):? ?error: (?P<what>.*)$", re.M)
_NAMED = re.compile(r'"([^"]+)"(?:\("[^"]*":\d+:\d+\))?')


def explain(log: str) -> str:
    """The first error of IREE's diagnostics as one sentence, with the node whose code it is about."""
    match = _ERROR.search(log)
    if match is None:
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        return " ".join(lines[:2])[:500]
    where, what = match["where"], match["what"].strip()
    if (place := re.match(r"loc\((.*?)\): (.*)", what)) is not None:
        where, what = place[1], place[2]
    names = [n for n in _NAMED.findall(where) if n not in ("-", "<unknown>")]
    op = re.search(r"see current operation: (?:%\S+(?:, %\S+)* = )?\"?([\w.]+)", log)
    parts = [f"node {names[0]!r}: " if names else "", what]
    if op is not None:
        parts.append(f" (in {op[1]})")
    return "".join(parts)[:800]


def write_reproducer(bytecode: bytes, flags: Sequence[str], log: str, directory: str | None) -> str | None:
    """Write the module, the command that replays it and IREE's diagnostics; None when the disk does not take it."""
    try:
        directory = directory or tempfile.mkdtemp(prefix="davit-reproducer-")
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, "iree.mlirbc")
        with open(path, "wb") as f:
            f.write(bytecode)
        with open(os.path.join(directory, "iree.txt"), "w", encoding="utf-8") as f:
            f.write(f"iree-compile iree.mlirbc {' '.join((*GLOBAL_FLAGS, *flags))} -o iree.vmfb\n\n{log}")
        return path
    except OSError:
        return None


__all__ = ["DEFAULT_TIMEOUT", "Phase", "compile_to_phase", "compile_to_vmfb", "explain", "run_passes", "shutdown"]
