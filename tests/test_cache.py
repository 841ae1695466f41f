"""Compiled code is never stale: whatever it depends on leads to another place in the cache."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType

import llvmlite
import numba
import numpy as np
import pytest
from installs import PACKAGE, Install
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

import guandan_sim
from guandan_sim import jit
from guandan_sim.jit import DISABLED, source_key

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python has nothing to cache")

NAME = guandan_sim.__name__


def modules() -> dict[str, ModuleType]:
    """All modules of the package by name, imported."""
    for found in pkgutil.walk_packages([str(PACKAGE)], f"{NAME}."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    return {name: m for name, m in sys.modules.items() if name.split(".")[0] == NAME}


def imported(module: ModuleType, known: dict[str, ModuleType]) -> Iterator[str]:
    """The names of this package's modules from which a module takes something."""
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            base = resolve_name(relative, str(module.__package__))
            for name in node.names:
                inner = f"{base}.{name.name}"
                yield from {inner if inner in known else base} & known.keys()
        elif isinstance(node, ast.Import):
            yield from {name.name for name in node.names} & known.keys()


def kernel_files() -> set[str]:
    """The files with kernels and intrinsics, and all that they import from the package; what the
    benchmark's import besides kernels is how they measure. Templates are copied, not called.
    """
    known = {name: module for name, module in modules().items() if ".templates." not in name}
    found: set[str] = set()
    todo = []
    for module in known.values():
        for value in vars(module).values():
            if isinstance(value, Dispatcher):
                todo.append(value.py_func.__module__)
            elif isinstance(value, _Intrinsic):
                todo.append(value._defn.__module__)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            if ".bench." not in name:
                todo += imported(known[name], known)
    paths = [Path(str(known[name].__file__)) for name in found]
    return {path.relative_to(PACKAGE).as_posix() for path in paths}


def test_a_byte_of_any_file_that_kernels_use_changes_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = kernel_files()
    assert {"loop.py", "rng.py", "layout.py", "vectorcode.py", "bots/greedy.py"} <= files
    copy = tmp_path / NAME
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = source_key()
    monkeypatch.setattr(jit, "_PACKAGE", copy)
    assert source_key() == before
    for file in sorted(files):
        path = copy / file
        content = path.read_bytes()
        path.write_bytes(content[:-1] + b" ")
        assert source_key() != before, file
        path.write_bytes(content)
    assert source_key() == before
    (copy / "bots" / "another.py").write_text("")
    assert source_key() != before


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (numba, "__version__"),
        (llvmlite, "__version__"),
        (np, "__version__"),
        (platform, "python_version"),
        (jit, "VECTORS"),
    ],
)
def test_another_version_changes_the_key(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str
) -> None:
    before = source_key()
    monkeypatch.setattr(where, name, (lambda: "1") if name == "python_version" else "1")
    assert source_key() != before


def test_what_a_bot_depends_on_changes_the_key() -> None:
    assert len({source_key(), source_key(b"a"), source_key(b"b")}) == 3


def test_code_for_another_processor_is_compiled_anew(tmp_path: Path) -> None:
    install = Install(tmp_path)
    own = {"GUANDAN_SIM_VECTORS": "0"}
    other = own | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    number, how = install.run(**own)
    assert how == "compiled"
    assert install.run(**other) == [number, "compiled"]
    assert install.run(**own) == [number, "loaded"]


#: Edits that change what `rng.word` draws, for compiled code and for plain Python.
OF_ITSELF = [("rng.py", "weyl(key, _STEP, 1)", "weyl(key, _STEP, 2)")]
OF_A_CALLEE = [
    ("bits.py", "return base + step * count", "return base - step * count"),
    ("bits.py", "int(base) + int(step) * int(count)", "int(base) - int(step) * int(count)"),
]


def test_an_edited_kernel_gives_what_it_now_says(tmp_path: Path) -> None:
    install = Install(tmp_path)
    number, how = install.run()
    assert how == "compiled"
    seen = {number}
    # Of the second, in a file that does not hold the kernel, Numba's own cache takes no note.
    for edits in (OF_ITSELF, OF_A_CALLEE):
        for file, old, new in edits:
            install.edit(file, old, new)
        plain, _ = install.run(NUMBA_DISABLE_JIT="1")
        assert install.run() == [plain, "compiled"]
        seen.add(plain)
        for file, old, new in edits:
            install.edit(file, new, old)
    assert len(seen) == 3
    assert install.run() == [number, "loaded"]
