"""The playing loop for tables at which a Python bot sits: the very code of `loop`, run by Python.

Each step is still compiled. What `loop` cannot do is call back into Python.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from . import layout as lay
from . import loop
from .bots import BUILT_IN
from .rules import Rules, new_state
from .view import View

__all__ = ["load_loop"]


def _popcount(word: int) -> int:
    return int(word).bit_count()


def _trailing_zeros(word: int) -> int:
    return (int(word) & -int(word)).bit_length() - 1


def _in_python(kernel: Any, **names: Any) -> Any:
    """A kernel as plain Python, with other functions under some of the names that it uses."""
    function = getattr(kernel, "py_func", kernel)
    return FunctionType(function.__code__, vars(loop) | names, function.__name__)


# Operations of the processor are for compiled code alone.
_PLAY_OUT = _in_python(loop.play_out, popcount=_popcount, trailing_zeros=_trailing_zeros)
_RUN_SETS = _in_python(loop.run_sets, play_out=_PLAY_OUT)


@cache
def load_loop() -> Any:
    """`loop.run_sets` for bots that are any functions, its steps compiled or read from the
    cache.
    """
    random = BUILT_IN["random"].compiled
    roles = tuple((function,) * 4 for function in random)
    arguments = np.zeros(loop.ARGUMENTS, np.int64)
    # A match has all there is to it: tributes, and the log of everything.
    arguments[[loop.A_END, loop.A_MATCHES, loop.A_LOG_PLAYS]] = 1
    arguments[loop.A_CHECKED] = 15
    cursor = np.zeros(loop.CURSOR, np.int64)
    widths = (loop.PLAY_WIDTH, loop.DEAL_WIDTH, loop.TRIBUTE_WIDTH, loop.MATCH_WIDTH)
    rows = [np.zeros((2 * lay.MAX_PLIES, width), np.int64) for width in widths]
    view = np.zeros(lay.VIEW_SIZE, np.int64)
    memory = view, np.zeros((4, lay.SCRATCH_SIZE), np.int64), np.zeros(lay.OUT_SIZE, np.int64)
    state = new_state(Rules.preset("guide"))
    while cursor[loop.C_NEXT] == 0:
        cursor[: loop.C_NEXT] = 0
        _RUN_SETS(*roles, state, *memory, arguments, cursor, *rows)
    # So are the questions that a bot asks of its view.
    View("S3 S4 D4").legal_moves()
    return _RUN_SETS
