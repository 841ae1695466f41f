"""The built-in bots as users' bots that write down every view they get and what they choose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from games import user_module

from guandan_sim import layout as lay

MODULE = """
    import numpy as np
    from numba import carray, njit, types
    from numba.extending import intrinsic

    from guandan_sim import Bot
    from guandan_sim import layout as lay
    from guandan_sim.bots import greedy as greedily
    from guandan_sim.bots import random as randomly
    from guandan_sim.jit import kernel

    ROWS = 60_000
    WIDTH = lay.VIEW_SIZE + lay.OUT_SIZE
    notes = np.zeros((ROWS, WIDTH), np.int64)
    count = np.zeros(1, np.int64)
    NOTES, COUNT = notes.ctypes.data, count.ctypes.data


    @intrinsic
    def _pointer(_, address):
        def code(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

        return types.voidptr(address), code


    @njit
    def _note(view, out):
        counted = carray(_pointer(COUNT), 1, np.int64)
        rows = carray(_pointer(NOTES), (ROWS, WIDTH), np.int64)
        n = counted[0]
        for i in range(lay.VIEW_SIZE):
            rows[n, i] = view[i]
        for i in range(lay.OUT_SIZE):
            rows[n, lay.VIEW_SIZE + i] = out[i]
        counted[0] = n + 1


    _random, _random_card = kernel(randomly.play), kernel(randomly.choose_card)
    _greedy, _greedy_card = kernel(greedily.play), kernel(greedily.choose_card)


    def play_randomly(view, scratch, out):
        result = _random(view, scratch, out)
        _note(view, out)
        return result


    def choose_randomly(view, scratch, out):
        result = _random_card(view, scratch, out)
        _note(view, out)
        return result


    def play_greedily(view, scratch, out):
        result = _greedy(view, scratch, out)
        _note(view, out)
        return result


    def choose_greedily(view, scratch, out):
        result = _greedy_card(view, scratch, out)
        _note(view, out)
        return result


    random = Bot("random", play_randomly, choose_randomly, choose_randomly)
    greedy = Bot("greedy", play_greedily, choose_greedily, choose_greedily)
"""


class Notes:
    """What the recording bots have written down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.name = user_module(monkeypatch, folder, "recorders", MODULE)

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        """(views, outs) since the last time."""
        import recorders  # type: ignore[import-not-found]

        n = int(recorders.count[0])
        notes = recorders.notes[:n].copy()
        recorders.count[0] = 0
        return notes[:, : lay.VIEW_SIZE], notes[:, lay.VIEW_SIZE :]
