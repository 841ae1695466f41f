"""Random play in other engines, one to a process: what `peers.py` starts, in any Python.

python benchmarks/peer_players.py open_spiel
python benchmarks/peer_players.py rlcard
python benchmarks/peer_players.py folder FOLDER

It speaks as `guandan_sim.bench.remote` says, and needs nothing but the engine itself. A folder may
hold rlcard-guandan (`guandan_rlcard/`), an engine of DanZero's (`guandan/env/engine.py`),
OpenGuanDan's server (`guandan-java*.jar`), or any other engine with a file `guandan_bench.py` that
you add to it::

    def play(deals: int) -> tuple[int, int]:
        '''Play so many deals, or somewhat more, at random; return (deals, decisions) played.'''
"""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Plays so many deals and returns (deals, decisions).
Play = Callable[[int], tuple[int, int]]


class AbsentError(Exception):
    """Why there is nothing to measure."""


def _version(distribution: str) -> str:
    from importlib.metadata import version

    return version(distribution)


def open_spiel() -> tuple[str, Play]:
    """dou_dizhu in C++, driven from Python: a uniform choice of `legal_actions` at every decision
    and of the outcomes at every chance node, to the end.
    """
    import pyspiel

    game = pyspiel.load_game("dou_dizhu")

    def play(deals: int) -> tuple[int, int]:
        decisions = 0
        for _ in range(deals):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(random.choice(state.chance_outcomes())[0])
                else:
                    decisions += 1
                    state.apply_action(random.choice(state.legal_actions()))
        return deals, decisions

    return f"open-spiel {_version('open-spiel')}, dou_dizhu", play


def rlcard() -> tuple[str, Play]:
    """doudizhu with its own random agents in its own `env.run`."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make("doudizhu", {"seed": 1})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
    return f"rlcard {_version('rlcard')}, doudizhu", _counting(env, lambda: 1)


def _counting(env: Any, deals_of_run: Callable[[], int]) -> Play:
    """Whole runs of an environment; its steps with an action are the decisions."""
    decisions = 0
    step = env.step

    def counted(action: Any, *more: Any, **named: Any) -> Any:
        nonlocal decisions
        decisions += action is not None and (not isinstance(action, list) or bool(action))
        return step(action, *more, **named)

    env.step = counted

    def play(deals: int) -> tuple[int, int]:
        before, played = decisions, 0
        while played < deals:
            # In training agents only choose; else rlcard's also list a probability of every action.
            env.run(is_training=True)
            played += deals_of_run()
        return played, decisions - before

    return play


def folder(path: str) -> tuple[str, Play]:
    """The engine in a folder; which one is told by its files."""
    place = Path(path).resolve()
    if not place.is_dir():
        raise AbsentError(f"{path} is not a folder")
    sys.path.insert(0, str(place))
    os.chdir(place)
    for file, engine in ENGINES.items():
        if (place / file).exists():
            return engine()
    for jar in sorted(place.rglob(SERVER)):
        return _openguandan(jar)
    raise AbsentError(f"{path} holds none of {', '.join([*ENGINES, SERVER])}")


def _prepared() -> tuple[str, Play]:
    module = importlib.import_module("guandan_bench")
    return str(getattr(module, "NAME", "Guandan")), module.play


def _rlcard_guandan() -> tuple[str, Play]:
    """Matches of four random agents, which are shown their own hands only."""
    import numpy as np

    guandan_rlcard = importlib.import_module("guandan_rlcard")
    agent = importlib.import_module("guandan_rlcard.baselines").get_agent_class("random")
    env = guandan_rlcard.make({"seed": 1, "perfect_info": False})
    env.set_agents([agent(seat, np.random.RandomState(seat)) for seat in range(4)])
    return "rlcard-guandan, Guandan matches", _counting(env, lambda: int(sum(env.game.gwin)))


def _danzero() -> tuple[str, Play]:
    """Matches of the engine's own random moves, without its pause of half a second a deal."""
    engine = importlib.import_module("guandan.env.engine")
    context = importlib.import_module("guandan.env.context")
    time.sleep = lambda _seconds: None
    matches: list[Any] = []

    def play(deals: int) -> tuple[int, int]:
        decisions = 0
        for _ in range(deals):
            if not matches or matches[-1].episode_end:
                ctx = context.Context()
                ctx.cur_rank = "2"
                matches[:] = [engine.GameEnv(ctx)]
            env = matches[-1]
            env.battle_init()
            while not env.round_end:
                env.step()
                decisions += 1
        return deals, decisions

    return "DanZero's engine, Guandan matches", play


def _openguandan(jar: Path) -> tuple[str, Play]:
    """Rooms of four random clients of its server."""
    from openguandan_bridge import UnusableError, bridge

    try:
        return f"OpenGuanDan, {jar.stem}, Guandan matches over its WebSocket", bridge(jar)
    except UnusableError as error:
        raise AbsentError(str(error)) from error


#: OpenGuanDan's server, somewhere in its folder.
SERVER = "guandan-java*.jar"
ENGINES: dict[str, Callable[[], tuple[str, Play]]] = {
    "guandan_bench.py": _prepared,
    "guandan_rlcard": _rlcard_guandan,
    "guandan/env/engine.py": _danzero,
}
PLAYERS: dict[str, Callable[..., tuple[str, Play]]] = {
    "open_spiel": open_spiel,
    "rlcard": rlcard,
    "folder": folder,
}


def main(name: str, *arguments: str) -> None:
    """Say what there is, then answer the numbers on standard input."""
    answers = os.fdopen(os.dup(1), "w")
    # What an engine prints is none of the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def say(**what: Any) -> None:
        print(json.dumps(what), file=answers, flush=True)

    # Ended from outside it still ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    random.seed(1)
    try:
        what, play = PLAYERS[name](*arguments)
    except (AbsentError, ImportError, AttributeError) as error:
        say(absent=f"{error}")
        return
    say(ready=what)
    for line in sys.stdin:
        began = time.perf_counter()
        deals, decisions = play(int(line))
        say(deals=deals, decisions=decisions, seconds=time.perf_counter() - began)


if __name__ == "__main__":
    main(*sys.argv[1:])
