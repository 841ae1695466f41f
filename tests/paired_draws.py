"""Deals of two bots whose true means are known, whose sets' deals go together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Won by A, place of the winner's partner and levels, for each outcome from A's best.
WON = np.array([1, 1, 1, 0, 0, 0])
PLACE = np.array([1, 2, 3, 3, 2, 1])
GAIN = np.array([3, 2, 1, -1, -2, -3])

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """The chances of two deals' outcomes, float64[6, 6]."""

    joint: Floats

    @classmethod
    def of(cls, chances: list[float], mirrored: float = 0, repeated: float = 0) -> Pairs:
        """Each deal as ``chances`` say; a share of the second mirrors or repeats the first."""
        alone = np.array(chances)
        joint = (1 - mirrored - repeated) * np.outer(alone, alone)
        joint += repeated * np.diag(alone) + mirrored * np.diag(alone)[:, ::-1]
        return cls(joint)

    @property
    def gain(self) -> float:
        """The true mean of levels a deal."""
        return float((self.joint * (GAIN[:, None] + GAIN[None, :]) / 2).sum())

    @property
    def win_rate(self) -> float:
        """The true share of deals won."""
        return float((self.joint * (WON[:, None] + WON[None, :]) / 2).sum())

    @property
    def saved(self) -> float:
        """The true share of variance saved: of the mean of two deals beside two of other sets."""
        means = (GAIN[:, None] + GAIN[None, :]) / 2
        of_mean = (self.joint * (means - self.gain) ** 2).sum()
        one = (self.joint.sum(axis=0) + self.joint.sum(axis=1)) / 2
        return float(1 - 2 * of_mean / (one * (GAIN - self.gain) ** 2).sum())

    def draw(self, random: np.random.Generator, sets: int) -> dict[str, Any]:
        """The arguments of `compare` for some sets."""
        codes = random.choice(36, size=sets, p=self.joint.ravel())
        outcomes = np.stack([codes // 6, codes % 6], axis=1).ravel()
        return {
            "sets": np.repeat(np.arange(sets), 2),
            "arms": np.tile([0, 1], sets),
            "won": WON[outcomes],
            "place": PLACE[outcomes],
            "gain": GAIN[outcomes],
        }


#: What bots that differ little, a lot and hardly at all give, with luck of every kind.
PAIRS = {
    "independent": Pairs.of([0.2, 0.2, 0.2, 0.15, 0.15, 0.1]),
    "mirrored": Pairs.of([0.25, 0.15, 0.15, 0.15, 0.1, 0.2], mirrored=0.8),
    "repeated": Pairs.of([0.3, 0.2, 0.1, 0.1, 0.1, 0.2], repeated=0.6),
    "lopsided": Pairs.of([0.6, 0.2, 0.12, 0.04, 0.03, 0.01], mirrored=0.02),
}
