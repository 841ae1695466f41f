"""What the figures were measured on and with."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import joblib
import llvmlite
import numba
import numpy as np

from .._version import __version__
from ..cpu import VECTORS

__all__ = ["load", "machine", "versions"]


def machine() -> dict[str, Any]:
    """Processor, cores that this process may use, operating system, and the code that runs."""
    return {
        "processor": _processor(),
        "cores": int(joblib.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "code": "vector" if VECTORS else "portable",
    }


def versions() -> dict[str, str]:
    """Versions of this package and of what its speed depends on."""
    return {
        "guandan_sim": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
    }


def load() -> float:
    """How many processes have wanted a core in the last minute, on average; 0 where that is not
    told.
    """
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


def _processor() -> str:
    """The processor's name; where Linux tells none, what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name" and value.strip():
            return value.strip()
    return platform.processor() or platform.machine()
