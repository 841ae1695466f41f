"""What is said of a bot that failed."""

from __future__ import annotations

from collections.abc import Sequence

from .. import layout as lay
from ..bitboard import PACK, contains
from ..cards import CARD_CODES, RANK_WORDS, card_codes
from ..jit import Words
from ..moves import Move
from ..shapes import PASS, SHAPE_WORDS, is_declaration

__all__ = ["compile_problem", "failure_text", "illegal_card_text", "illegal_move_text"]


def compile_problem(error: Exception) -> str:
    """What Numba says, in a line; a write to the view, which it words at length, in plain words."""
    text = " ".join(str(error).split())
    if "setitem" in text and "readonly array" in text:
        return "it writes to the view, which is read-only; a bot writes to scratch and out"
    if "Untyped global name" in text:
        what = text.partition("Untyped global name")[2].split(":")[0].strip(" '")
        return (
            f"Numba does not know {what!r}; a helper function must be compiled too: put "
            "@numba.njit before it"
        )
    return text[:300]


def failure_text(name: str, seat: int, error: BaseException) -> str:
    """What is said of a bot that raised."""
    return f"bot {name} at seat {seat} raised {type(error).__name__}: {error}"


def illegal_card_text(name: str, seat: int, number: int, mask: int) -> str:
    """What is said of a bot that chose this card number to give or return, not one of ``mask``."""
    return (
        f"bot {name} at seat {seat} chose card {number} ({CARD_CODES.get(number, 'no card')}); "
        f"it may choose {' '.join(card_codes(mask))}"
    )


def illegal_move_text(name: str, view: Words, written: Sequence[int]) -> str:
    """What is said of a bot that wrote these four words as its move when it had this view."""
    shape, rank, one, two = written
    where = f"bot {name} at seat {view[lay.V_SEAT]}"
    if not 0 <= shape < len(SHAPE_WORDS) or not 0 <= rank < 16:
        return f"{where} wrote shape {shape}, rank {rank}; shapes are 0..10, ranks 0..15"
    if one & ~PACK or two & ~one:
        return f"{where} wrote the words {one:#x}, {two:#x}: no cards, or `two` not within `one`"
    if shape == PASS and (rank or one):
        return f"{where} made the illegal move 'pass' with a rank or cards"
    move = Move.from_words(shape, rank, one, two)
    rules = view[lay.V_RULES : lay.V_RULES + lay.RULES_SIZE].tolist()
    level = int(view[lay.V_LEVEL])
    if shape == PASS:
        why = "it leads and must play"
    elif not contains(int(view[lay.V_ONE]), int(view[lay.V_TWO]), one, two):
        why = "it does not hold these cards"
    elif not is_declaration(
        shape, rank, one, two, level, rules[lay.R_MAX_BOMB], rules[lay.R_JOKER_PAIR]
    ):
        why = f"the cards are no such combination at level {RANK_WORDS[level]}"
    else:
        beaten = Move.from_words(*view[lay.V_BEAT_SHAPE : lay.V_BEAT_TWO + 1].tolist())
        why = f"it does not beat '{beaten}'"
    return f"{where} made the illegal move '{move}': {why}"
