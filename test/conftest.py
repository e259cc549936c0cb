"""What every Python test shares: the tests meet davit as it is installed, never the source folders by accident."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# `python -m pytest` puts the current folder on the path, where `davit/` is the front door without its packages.
sys.path[:] = [p for p in sys.path if Path(p).resolve() != ROOT]
