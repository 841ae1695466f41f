"""The two numbers of a play's cards, packed by the words of SCHEMA.md, card by card."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def packed_cards(rank: int, one: int, two: int) -> tuple[int, int]:
    near = far = 0
    cards = [card for card in range(64) if one >> card & 1]
    for place, card in enumerate(cards):
        if card == 56:
            near += 1 << 20
        elif card == 60:
            near += 1 << 21
        else:
            declared = rank if 1 <= rank <= 13 else 5
            nibble = (card // 4 - declared + 4) % 13
            if nibble < 5:
                near += 1 << 4 * nibble + card % 4
            else:
                far += 1 << 4 * (nibble - 5) + card % 4
        if two >> card & 1:
            near += 1 << 22 + place
    return near, far


def with_packed_cards(plays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Columns of plays as files have them, from the columns that a reader is shown."""
    words = zip(*(plays[name].tolist() for name in ("rank", "one", "two")), strict=True)
    packed = np.array([packed_cards(*row) for row in words], np.uint32).reshape(-1, 2)
    rest = {name: values for name, values in plays.items() if name not in ("one", "two")}
    return {**rest, "near": packed[:, 0], "far": packed[:, 1]}
