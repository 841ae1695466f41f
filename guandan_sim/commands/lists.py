"""`moves`, `plan`, `bots` and `rules`: what there is, what is legal, what is best kept together."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from .. import templates
from ..bots import BUILT_IN
from ..errors import OptionError
from ..moves import legal_moves
from ..options import chosen_rules
from ..plans import plan
from ..rulefiles import resolve_rules, rules_toml
from ..rulestables import difference_table, presets_table, rules_table
from .common import FailureError, RuleChanges, RuleNames, show

__all__ = ["commands"]

commands = typer.Typer()


@commands.command(
    "moves",
    epilog="Example: guandan-sim moves 'S9 D9 H2' --level 2 --to-beat 'pair 8: S8 C8'",
)
def moves_command(
    hand: Annotated[str, typer.Argument(metavar="CARDS", help="The hand, such as 'S9 D9 HT SB'.")],
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help="2 to A.")] = "2",
    to_beat: Annotated[
        str | None,
        typer.Option("--to-beat", metavar="MOVE", help="The play to beat; else a lead."),
    ] = None,
    rules: RuleNames = "guide",
    changes: RuleChanges = None,
) -> None:
    """List the legal moves of a hand."""
    _check_not_empty(hand)
    for move in legal_moves(hand, level, to_beat, chosen_rules(rules, changes or [])):
        print(move)


@commands.command(
    "plan", epilog="Example: guandan-sim plan 'S3 S9 D9 C9 H9 SK DK CK D5 S5' --level 2"
)
def plan_command(
    hand: Annotated[str, typer.Argument(metavar="CARDS", help="The hand, such as 'S9 D9 HT SB'.")],
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help="2 to A.")] = "2",
    rules: RuleNames = "guide",
    changes: RuleChanges = None,
) -> None:
    """Cut a hand up into plays that need the fewest turns.

    Bombs take the lead back and cost no turn. Losers are singles and pairs that are low and alone.
    """
    _check_not_empty(hand)
    print(plan(hand, level, chosen_rules(rules, changes or [])))


def _check_not_empty(hand: str) -> None:
    if not hand.strip():
        raise OptionError("the hand is empty; name its cards, such as 'S9 D9 HT SB'")


@commands.command(
    "bots",
    epilog="Examples: guandan-sim bots\n\nguandan-sim bots --new my_bot.py --python",
)
def bots_command(
    new: Annotated[
        Path | None,
        typer.Option("--new", metavar="FILE", help="Write a bot to start your own from."),
    ] = None,
    python: Annotated[
        bool, typer.Option("--python", help="With --new: in plain Python, slow and simple.")
    ] = False,
) -> None:
    """List the bots, or begin one of your own."""
    if new is not None:
        _write_bot(new, python)
        return
    if python:
        raise OptionError("--python goes with --new, as in: bots --new my_bot.py --python")
    table = Table("bot", "version", "what it does", box=SIMPLE)
    for bot in BUILT_IN.values():
        sentence = (bot.play.__doc__ or "").strip().partition("\n")[0]
        table.add_row(bot.name, bot.version, sentence)
    console = Console(highlight=False)
    console.print(table)
    console.print("Your own: --bots my_module:my_bot, a module found from the current folder.")
    console.print("Begin one: guandan-sim bots --new my_bot.py, or with --python a simpler one.")


def _write_bot(path: Path, python: bool) -> None:
    module = path.stem
    named = module.isidentifier() and not iskeyword(module) and not module.startswith("__")
    if path.suffix != ".py" or not named:
        raise OptionError(
            f"--new is {str(path)!r}; a module is needed, which has a name such as my_bot.py"
        )
    if not path.exists() and find_spec(module) is not None:
        raise OptionError(f"--new is {str(path)!r}, but there is a module {module}; name another")
    template = "python_bot.py" if python else "compiled_bot.py"
    text = files(templates).joinpath(template).read_text("utf-8")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise OptionError(f"{path} exists; name a file that does not") from None
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror}") from error
    where = "" if path.parent == Path() else f"cd {quote(str(path.parent))}; "
    bot = "MyBot" if python else "my_bot"
    print(f"{path} is written. Play it:")
    print(f"{where}guandan-sim simulate --deals 1k --bots {module}:{bot},greedy --seed 1")


@commands.command(
    "rules",
    epilog=(
        "Examples: guandan-sim rules kawu\n\n"
        "guandan-sim rules --diff guide kawu\n\n"
        "guandan-sim rules guide --set pass_locks=yes --toml > club.toml"
    ),
)
def rules_command(
    system: Annotated[
        str | None,
        typer.Argument(metavar="RULES", help="Explain every switch of it.", show_default=False),
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="Show only what differs between two systems."),
    ] = None,
    changes: RuleChanges = None,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print it as a rules file, to change and play by.")
    ] = False,
) -> None:
    """List the rule systems, explain one, or compare two.

    RULES, A and B are presets or TOML files.
    """
    if diff is not None:
        if system is not None or toml or changes:
            raise OptionError(
                "--diff takes two rule systems and nothing else, as --diff guide kawu"
            )
        first, second = map(resolve_rules, diff)
        if first.differences(second):
            show(difference_table(first, second))
        else:
            print(f"{first.name} and {second.name} do not differ")
    elif system is not None:
        rules = chosen_rules(system, changes or [])
        if toml:
            print(rules_toml(rules), end="")
        else:
            show(rules_table(rules))
    elif toml or changes:
        raise OptionError("--toml and --set need a rule system, as in: guandan-sim rules guide")
    else:
        show(presets_table())
