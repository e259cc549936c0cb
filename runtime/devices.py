"""Devices: which there are, why the others are not, and how one is opened."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any

import iree.runtime as rt
from iree.runtime._binding import create_hal_driver  # pyright: ignore[reportAttributeAccessIssue]

from davit.errors import ExecutionError

DRIVERS: dict[str, tuple[str, str]] = {
    # name: (target whose programs it runs, what it is)
    "local-task": ("cpu", "this processor, with a pool of threads"),
    "local-sync": ("cpu", "this processor, on the calling thread"),
    "vulkan": ("vulkan", "Vulkan"),
    "cuda": ("cuda", "NVIDIA CUDA"),
    "hip": ("hip", "AMD HIP"),
    "metal": ("metal", "Apple Metal"),
}

TASK_STACK_BYTES = 8 << 20
"""Stack of a worker thread; IREE's default of 128 KiB is less than some of its own kernels use."""


@dataclass(frozen=True)
class DeviceInfo:
    """One row of :func:`devices`.

    Attributes:
        available: programs can run there.
        detail: the device's own name, or the reason why it is not available.
    """

    name: str
    target: str
    available: bool
    detail: str

    def __str__(self) -> str:
        return f"{self.name:12} {'yes' if self.available else 'no':4} {self.detail}"


_PROBE = """
import sys, iree.runtime as rt
driver = rt.get_driver(sys.argv[1])
found = driver.query_available_devices()
if not found:
    sys.exit("the driver finds no device")
driver.create_default_device()
print(found[0]["name"] if found[0].get("name") else found[0])
"""


def devices() -> list[DeviceInfo]:
    """Every kind of device that davit knows, and whether programs can run on it here.

    GPUs are probed in a process of their own: a broken driver must not take the caller down.
    """
    rows = []
    known = set(rt.query_available_drivers())
    for name, (target, what) in DRIVERS.items():
        if name not in known:
            rows.append(DeviceInfo(name, target, False, f"{what}: this build of iree-base-runtime has no such driver"))
        elif target == "cpu":
            rows.append(DeviceInfo(name, target, True, f"{what} ({os.cpu_count()} logical cores)"))
        else:
            ok, detail = _probe(name)
            rows.append(DeviceInfo(name, target, ok, f"{what}: {detail}"))
    return rows


def _probe(name: str) -> tuple[bool, str]:
    command = [sys.executable, "-P", "-c", _PROBE, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, errors="replace")
    except subprocess.TimeoutExpired:
        return False, "its driver did not answer within 30 s"
    if done.returncode == 0:
        return True, done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "found"
    if done.returncode < 0:
        return False, f"its driver crashed (signal {-done.returncode})"
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return False, status_message(lines[-1]) if lines else "its driver failed"


_STATUS = re.compile(r"(?:[\w./-]+:\d+: )?(?P<code>[A-Z_]{4,}); (?P<text>.*)", re.S)


def status_message(text: str) -> str:
    """The sentence inside an IREE status: without source lines, stack frames and context."""
    text = text.strip()
    match = _STATUS.search(text)
    if match is None:
        return text.splitlines()[0] if text else "failed"
    sentence = re.split(r"; while |; \[ ?\d+\]|\n", match["text"], maxsplit=1)[0].strip()
    return f"{sentence} ({match['code'].lower().replace('_', ' ')})"


_lock = threading.Lock()
_instance: rt.VmInstance | None = None
_devices: dict[tuple[str, int | None], rt.HalDevice] = {}


_abandoned: list[object] = []


def _after_fork() -> None:
    """In a forked child the devices' threads are gone: it opens its own, and the old ones are left as they are,
    since closing one would wait for its threads."""
    global _instance, _lock
    _abandoned.extend((_instance, dict(_devices)))
    _lock, _instance = threading.Lock(), None
    _devices.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def instance() -> rt.VmInstance:
    """The one VM instance of this process."""
    global _instance
    with _lock:
        if _instance is None:
            _instance = rt.VmInstance()
        return _instance


def open_device(name: str, threads: int | None = None) -> rt.HalDevice:
    """Open a device, or give the one already open.

    Args:
        name: a driver's name, with an optional path: ``vulkan://0``.
        threads: worker threads of ``local-task``; None for one per physical core.

    Raises:
        ExecutionError: it is not known or not here.
    """
    kind = name.partition(":")[0]
    if kind not in DRIVERS:
        near = difflib.get_close_matches(name, DRIVERS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ExecutionError(f"there is no device {name!r}; {hint}the devices are {', '.join(DRIVERS)}")
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise ExecutionError(f"threads is {threads!r}; it must be 1 or more")
    if kind != "local-task":
        threads = None
    key = (name, threads)
    with _lock:
        if key not in _devices:
            _devices[key] = _open(name, kind, threads)
        return _devices[key]


def _open(name: str, kind: str, threads: int | None) -> rt.HalDevice:
    try:
        if kind == "local-task":
            # The driver reads these flags when it is made; IREE's own table would keep the first driver for good.
            rt.flags.parse_flags(
                f"--task_worker_stack_size={TASK_STACK_BYTES}", f"--task_topology_group_count={threads or 0}"
            )
            return create_hal_driver(kind).create_default_device()
        driver: Any = rt.get_driver(kind)
        return driver.create_default_device() if name == kind else driver.create_device_by_uri(name)
    except (RuntimeError, ValueError) as e:
        row = _probe(kind)[1] if DRIVERS[kind][0] != "cpu" else str(e).splitlines()[0]
        raise ExecutionError(f"device {name!r} cannot be opened: {row}") from None


__all__ = ["DRIVERS", "DeviceInfo", "devices", "instance", "open_device", "status_message"]
