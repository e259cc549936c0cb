"""Runs what was compiled. Needs numpy, ml_dtypes and ``iree-base-runtime``, and nothing of the compiler."""

from davit.runtime.devices import DeviceInfo, devices
from davit.runtime.executable import Executable, load
from davit.runtime.signature import Signature, TensorSpec

__all__ = ["DeviceInfo", "Executable", "Signature", "TensorSpec", "devices", "load"]
