"""Which instructions the kernels may use: those of this processor, or the portable ones only.

``GUANDAN_SIM_VECTORS=0`` forces the portable path, ``=1`` the other; by default the processor
decides. Both play the same games, bit for bit.
"""

from __future__ import annotations

import os

import llvmlite.binding as llvm
import numba

__all__ = ["NEEDED", "VARIABLE", "VECTORS"]

VARIABLE = "GUANDAN_SIM_VECTORS"
#: What the fast path is made of: byte shuffles and 256-bit integers, and the placing of bits.
NEEDED = ("ssse3", "avx2", "bmi2")


def _vectors() -> bool:
    wish = os.environ.get(VARIABLE, "").strip()
    if wish not in ("", "0", "1"):
        raise RuntimeError(f"{VARIABLE} is {wish!r}; 0 is for portable code, 1 for vectors")
    if wish == "0" or numba.config.DISABLE_JIT:
        return False
    # Numba may have been told to compile for another processor than this.
    if numba.config.CPU_NAME or numba.config.CPU_FEATURES:
        return wish == "1"
    features = llvm.get_host_cpu_features()
    able = all(features.get(name, False) for name in NEEDED)
    if wish == "1" and not able:
        raise RuntimeError(f"{VARIABLE} is 1, but this processor lacks {', '.join(NEEDED)}")
    return able


VECTORS: bool = _vectors()
