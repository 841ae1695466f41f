"""Copies of the package, to be edited, write-protected or started cold, each in own processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import guandan_sim

PACKAGE = Path(guandan_sim.__file__).parent

#: Draws a number by a compiled kernel, and tells whether its code was compiled or read.
DRAW = """
from numba import types
from guandan_sim.jit import DISABLED, entry
from guandan_sim.rng import word

draw = entry(word, (types.int64, types.int64))
print(draw(2026, 12), "loaded" if not DISABLED and word.stats.cache_hits else "compiled")
"""


class Install:
    """A copy of the package in ``folder``, beside a cache of its own.

    Its ``__init__`` imports nothing: a program loads what it names, which starts sooner.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "guandan_sim"
        self.cache = folder / "cache"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (self.package / "__init__.py").write_text("")

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a file in one place. Its time stays, so that only what it says tells."""
        path = self.package / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        status = path.stat()
        path.write_text(text.replace(old, new), encoding="utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def start(self, program: str = DRAW, **environment: str) -> subprocess.Popen[str]:
        """Start a program with this package."""
        ours = ("GUANDAN_SIM_", "NUMBA_", "PYTHON")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        own = {
            "PYTHONPATH": str(self.folder),
            # Python's own cache goes by a file's time and size alone.
            "PYTHONDONTWRITEBYTECODE": "1",
            "GUANDAN_SIM_CACHE": str(self.cache),
        }
        return subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=self.folder,
            env=kept | own | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str = DRAW, **environment: str) -> list[str]:
        """What a program prints, as words."""
        return printed(self.start(program, **environment))


def printed(process: subprocess.Popen[str]) -> list[str]:
    """What a process prints, as words; it must succeed and say nothing on stderr."""
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    return out.split()
