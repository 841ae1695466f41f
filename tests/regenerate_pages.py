"""The pages that are written from the code: run this to bring them up to date.

    python tests/regenerate_pages.py

SCHEMA.md is generated as a whole, RULES.md from its last heading on.
"""

from __future__ import annotations

from pathlib import Path

from guandan_sim.rulestables import SYSTEMS_HEADING, systems_markdown
from guandan_sim.schemapage import schema_markdown

ROOT = Path(__file__).parents[1]


def pages() -> dict[str, str]:
    """What the pages should be, by file name."""
    by_hand, heading, _ = (ROOT / "RULES.md").read_text("utf-8").partition(SYSTEMS_HEADING)
    assert heading, f"RULES.md has no heading {SYSTEMS_HEADING!r}"
    return {"RULES.md": by_hand + systems_markdown(), "SCHEMA.md": schema_markdown()}


if __name__ == "__main__":
    for name, text in pages().items():
        (ROOT / name).write_text(text, "utf-8")
