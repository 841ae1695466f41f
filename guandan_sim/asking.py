"""How the loop asks a bot, so that one source serves every mix of bots.

`ask_play` and `ask_card` take either a tuple of four first-class functions, which they call through
their address with a view in memory of its own, or a *line-up*: the numbers of four quick bots of
ours, whose functions they call directly, so that the compiler can open them up within the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload

from .bots import greedy, random
from .deal import fill_view, show
from .jit import DISABLED, KERNEL_OPTIONS
from .linked import LinkedCompiler

__all__ = ["LINE_UP", "ask_card", "ask_play", "line_up"]

#: The quick bots, which a line-up can name, by number.
LINE_UP = ("random", "greedy")

_OPTIONS = KERNEL_OPTIONS | {"forceinline": True, "pipeline_class": LinkedCompiler}


def line_up(names: list[str]) -> int:
    """Four quick bots as one number, two bits a seat.

    >>> line_up(["greedy", "random", "greedy", "random"])
    17
    """
    return sum(LINE_UP.index(name) << 2 * seat for seat, name in enumerate(names))


def _asking(of_random: Callable[..., Any], of_greedy: Callable[..., Any]) -> Any:
    """A function that shows a seat what it may see and has its bot choose, for plain Python and
    for compiled code.
    """

    def ask(
        bots: Any,
        state: Any,
        view: Any,
        seat: Any,
        key: Any,
        answers: Any,
        scratch: Any,
        out: Any,
    ) -> Any:
        fill_view(state, view, seat, key, answers)
        if isinstance(bots, tuple):
            return bots[seat](view, scratch, out)
        return (of_random, of_greedy)[bots >> 2 * seat & 3](view, scratch, out)

    def through_address(
        bots: Any,
        state: Any,
        view: Any,
        seat: Any,
        key: Any,
        answers: Any,
        scratch: Any,
        out: Any,
    ) -> Any:
        fill_view(state, view, seat, key, answers)
        return bots[seat](view, scratch, out)

    def directly(
        bots: Any,
        state: Any,
        view: Any,
        seat: Any,
        key: Any,
        answers: Any,
        scratch: Any,
        out: Any,
    ) -> Any:
        seen = show(state, view, seat, key, answers)
        if bots >> 2 * seat & 3:
            return of_greedy(seen, scratch, out)
        return of_random(seen, scratch, out)

    if not DISABLED:

        @overload(ask, jit_options=_OPTIONS)
        def _compiled(
            bots: Any,
            state: Any,
            view: Any,
            seat: Any,
            key: Any,
            answers: Any,
            scratch: Any,
            out: Any,
        ) -> Any:
            del state, view, seat, key, answers, scratch, out
            return through_address if isinstance(bots, types.BaseTuple) else directly

    return ask


ask_play = _asking(random.play, greedy.play)
ask_card = _asking(random.choose_card, greedy.choose_card)
