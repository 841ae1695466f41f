"""Print the table in README.md of what the rules do to the game: the same bots under every preset.

python benchmarks/rule_effects.py --matches 20k --bots greedy --seed 1
python benchmarks/rule_effects.py --matches 20k --verify

With --verify the matches are also written, play by play, to a temporary folder, and each run is
verified: it takes minutes and some hundred megabytes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

import guandan_sim as gs
from guandan_sim.options import chosen_bots, whole_number
from guandan_sim.summarytable import mean_interval, ratio_interval, wilson

COLUMNS = (
    "deals a match",
    "sweeps",
    "single tributes cancelled",
    "double tributes cancelled",
    "matches with a reset",
    "matches cut off",
)


def figures(summary: dict[str, Any], resets: bool) -> list[str]:
    """The cells of one preset, each with its 95% interval, from the summary of its run; ``resets``
    tells whether its rules have them.
    """
    matches, due, off = summary["matches"], summary["tributes"], summary["cancelled"]
    lengths = mean_interval(summary["deals"], summary["match_deals_sum_of_squares"], matches)
    return [
        _cell(lengths, 1, "{:.2f}"),
        _cell(ratio_interval(summary), 100, "{:.2f}%"),
        *(_share(off[kind], due[kind], "{:.2f}%") for kind in ("single", "double")),
        _share(summary["matches_with_resets"], matches, "{:.2f}%") if resets else "never",
        _share(summary["truncated"], matches, "{:.3f}%"),
    ]


def _cell(found: tuple[float, float, float] | None, scale: int, form: str) -> str:
    """A mean and its interval as text; a dash where there are too few for one."""
    if found is None:
        return "-"
    mean, low, high = (form.format(scale * value).rstrip("%") for value in found)
    return f"{mean}{'%' * form.count('%')} ({low} to {high})"


def _share(part: int, whole: int, form: str) -> str:
    return _cell((part / whole, *wilson(part, whole)) if whole else None, 100, form)


def table(matches: int, bots: str, seed: int, verify: bool = False) -> str:
    """The table in Markdown. Raises `AssertionError` for a run that does not verify."""
    by_seat = chosen_bots(bots)
    lines = [f"| rules | {' | '.join(COLUMNS)} |", "|---" * (1 + len(COLUMNS)) + "|"]
    for name in gs.Rules.presets():
        with tempfile.TemporaryDirectory() as folder:
            run = gs.simulate(
                matches=matches,
                bots=by_seat,
                rules=name,
                seed=seed,
                log="plays" if verify else "none",
                out=Path(folder) / "run" if verify else None,
            )
            if isinstance(run, gs.Run):
                report = run.verify()
                assert report.ok, report.problems
                print(f"{name}: {report}", flush=True)
        cells = figures(run.summary, resets=gs.Rules.preset(name).top_failures > 0)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(
    matches: Annotated[str, typer.Option("--matches", metavar="N")] = "20k",
    bots: Annotated[str, typer.Option("--bots", metavar="NAMES")] = "greedy",
    seed: Annotated[str, typer.Option("--seed", metavar="N")] = "1",
    verify: Annotated[bool, typer.Option("--verify", help="Write, replay every play.")] = False,
) -> None:
    """Print what the rules do to the game, in Markdown."""
    print(
        table(whole_number(matches, "--matches", 2), bots, whole_number(seed, "--seed", 0), verify)
    )


if __name__ == "__main__":
    typer.run(main)
