"""What a user's bot is compiled to: large kernels are called from it. Laid out in it, they would
take many times as long.
"""

from __future__ import annotations

import re
from typing import Any

import numba
import pytest
from numba.core.caching import NullCache

from guandan_sim import layout as lay
from guandan_sim.bots import greedy
from guandan_sim.jit import BOT_ARGUMENTS, DISABLED, kernel
from guandan_sim.picking import pick_move
from guandan_sim.rng import word

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python is not compiled")


def calls(dispatcher: Any) -> list[str]:
    """The functions called in the code of a bot's own function, each as often as it stands there.

    The dispatcher is compiled here: what is read from a cache cannot be looked at.
    """
    dispatcher.compile(BOT_ARGUMENTS)
    name = dispatcher.overloads[BOT_ARGUMENTS].fndesc.mangled_name
    code = re.search(
        rf'^define [^@]*@"?{re.escape(name)}"?\(.*?^}}$',
        dispatcher.inspect_llvm(BOT_ARGUMENTS),
        re.MULTILINE | re.DOTALL,
    )
    assert code is not None
    # Such as _ZN11guandan_sim7picking9pick_moveB3v77...
    return re.findall(r'\bcall [^@\n]*@"?_ZN[^"(]*?\d([a-z_]+)B', code[0])


def test_a_users_bot_calls_what_is_large() -> None:
    @numba.njit(boundscheck=True)
    def bot(view: Any, scratch: Any, out: Any) -> int:
        for draw in range(8):
            shape, _, one, _ = pick_move(view, word(view[lay.V_KEY], draw))
            scratch[draw] += shape + one
            greedy.play(view, scratch, out)
            scratch[draw] += out[lay.OUT_ONE]
        return 0

    called = calls(bot)
    assert called.count("pick_move") == 1
    assert called.count("play") == 1


def test_in_a_kernel_a_choice_is_laid_out() -> None:
    """The loop owes its speed to that."""

    @kernel
    def bot(view: Any, scratch: Any, out: Any) -> int:
        shape, _, one, _ = pick_move(view, word(view[lay.V_KEY], scratch[0]))
        out[0] = shape + one
        return 0

    bot._cache = NullCache()
    called = calls(bot)
    assert "unrank_run_of_sets" in called
    assert "pick_move" not in called
