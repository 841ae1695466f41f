"""The pages that are written from the code: run this to bring them up to date.

    python tests/regenerate_pages.py

SCHEMA.md is generated as a whole, RULES.md and the card of the run in data/ from a heading on.
"""

from __future__ import annotations

from pathlib import Path

from guandan_sim.rulestables import SYSTEMS_HEADING, systems_markdown
from guandan_sim.schemapage import COLUMNS_HEADING, columns_markdown, schema_markdown

ROOT = Path(__file__).parents[1]


def pages() -> dict[str, str]:
    """What the pages should be, by file name."""
    return {
        "RULES.md": _by_hand("RULES.md", SYSTEMS_HEADING) + systems_markdown(),
        "SCHEMA.md": schema_markdown(),
        "data/README.md": _by_hand("data/README.md", COLUMNS_HEADING) + columns_markdown(),
    }


def _by_hand(name: str, heading: str) -> str:
    """The page before its generated part."""
    text, found, _ = (ROOT / name).read_text("utf-8").partition(heading)
    assert found, f"{name} has no heading {heading!r}"
    return text


if __name__ == "__main__":
    for name, text in pages().items():
        (ROOT / name).write_text(text, "utf-8")
