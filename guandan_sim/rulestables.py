"""Rule systems side by side and switch by switch, as tables for the terminal and for RULES.md."""

from __future__ import annotations

from rich.box import SIMPLE
from rich.table import Column, Table

from .rules import SWITCHES, Rules
from .rulewords import PRESET_WORDS, explanations, meaning, switch_word

__all__ = [
    "SYSTEMS_HEADING",
    "difference_table",
    "presets_table",
    "rules_table",
    "systems_markdown",
]

#: RULES.md is generated from this heading on.
SYSTEMS_HEADING = "## The systems, switch by switch"


def presets_table() -> Table:
    """Every preset with a sentence about it."""
    table = Table("rules", "what is special about them", box=SIMPLE)
    for name in Rules.presets():
        table.add_row(name, PRESET_WORDS[name])
    return table


def rules_table(rules: Rules) -> Table:
    """Every switch of one system: its value and what that means."""
    table = Table("switch", "value", "what it means", box=SIMPLE, title=f"rules {rules.name}")
    for switch in SWITCHES:
        value = getattr(rules, switch)
        table.add_row(switch, switch_word(value), meaning(switch, value))
    return table


def difference_table(a: Rules, b: Rules) -> Table:
    """The switches in which two systems differ, with both values and what they mean."""
    table = Table(Column("switch", no_wrap=True), a.name, b.name, box=SIMPLE)
    for switch, values in a.differences(b).items():
        table.add_row(switch, *(f"{switch_word(v)}: {meaning(switch, v)}" for v in values))
    return table


def systems_markdown() -> str:
    """The generated part of RULES.md: the presets, their switches, every value in words."""
    systems = [Rules.preset(name) for name in Rules.presets()]
    lines = [SYSTEMS_HEADING, ""]
    lines += [f"- `{rules.name}`: {PRESET_WORDS[rules.name]}" for rules in systems]
    lines += ["", "Values that differ from `guide` are in bold.", ""]
    lines.append(f"| switch | {' | '.join(rules.name for rules in systems)} |")
    lines.append("|---" * (len(systems) + 1) + "|")
    for switch in SWITCHES:
        usual, *values = (switch_word(getattr(rules, switch)) for rules in systems)
        cells = [usual, *(v if v == usual else f"**{v}**" for v in values)]
        lines.append(f"| {switch} | {' | '.join(cells)} |")
    lines += ["", "The values that a switch takes, and what they mean:", ""]
    for switch in SWITCHES:
        lines.append(f"- `{switch}` ({Rules.possible(switch)})")
        lines += [f"  - {text}" for text in explanations(switch)]
    return "\n".join(lines) + "\n"
