"""Ctrl-C stops whatever runs, at any moment, and is never lost."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from started import pressed, started, wait_until

import guandan_sim as gs
from guandan_sim import interrupts, sessions
from guandan_sim.interrupts import ctrl_c_noted
from guandan_sim.verify import verify

ENDLESS = """
def endless(view, scratch, out):
    while view[0] >= 0:
        scratch[0] += 1
    return 0
"""


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def press_in(seconds: float) -> threading.Thread:
    """Press Ctrl-C from outside, after a time."""

    def wait_and_press() -> None:
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=wait_and_press)
    thread.start()
    return thread


@contextmanager
def left_by_ctrl_c() -> Iterator[None]:
    """A block that KeyboardInterrupt must leave."""
    try:
        yield
    except KeyboardInterrupt:
        return
    pytest.fail("no KeyboardInterrupt")


class Swallowing:
    """Garbage with a finalizer that takes a while; what is raised in it is only printed."""

    def __init__(self, doing: Callable[[], object]) -> None:
        self.me = self
        self.doing = doing

    def __del__(self) -> None:
        self.doing()


@pytest.fixture(name="swallowed")
def swallowed_exceptions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What finalizers raise, instead of printing it."""
    found: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: found.append(info.exc_type))
    return found


# The handler


def test_it_is_raised_where_nobody_listens_and_the_handler_put_back() -> None:
    with left_by_ctrl_c(), ctrl_c_noted() as ctrl_c:
        press()
    assert ctrl_c.asked
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_listens_is_told_and_raises_it() -> None:
    told: list[str] = []
    with left_by_ctrl_c(), ctrl_c_noted() as ctrl_c, ctrl_c.told(lambda: told.append("stop")):
        ctrl_c.check()
        press()
        press()  # of the same key, as by a wrapper that passes it on
        assert told == ["stop"]
        ctrl_c.check()


def test_the_second_is_raised_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "_SECONDS_OF_ONE", 0.0)
    reached = 0
    with left_by_ctrl_c(), ctrl_c_noted() as ctrl_c, ctrl_c.told(lambda: None):
        press()
        reached = 1
        press()
        reached = 2
    assert reached == 1


def test_it_is_raised_at_the_end_if_nobody_did() -> None:
    reached = 0
    with left_by_ctrl_c(), ctrl_c_noted() as ctrl_c, ctrl_c.told(lambda: None):
        press()
        reached = 1
    assert reached == 1


def test_blocks_within_blocks_share_it() -> None:
    with left_by_ctrl_c(), ctrl_c_noted() as outer, outer.told(lambda: None):
        with ctrl_c_noted() as inner:
            press()
        assert inner is outer
        outer.check()


def test_what_a_finalizer_swallows_is_raised_again(
    monkeypatch: pytest.MonkeyPatch, swallowed: list[Any]
) -> None:
    monkeypatch.setattr(interrupts, "_SECONDS_TO_LEAVE", 0.05)
    with left_by_ctrl_c(), ctrl_c_noted():
        Swallowing(press)
        gc.collect()
        assert swallowed == [KeyboardInterrupt]
        for _ in range(1_000):
            time.sleep(0.01)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_handlers_and_other_threads_are_left_alone() -> None:
    told: list[int] = []
    found: list[Any] = []

    def elsewhere() -> None:
        with ctrl_c_noted() as ctrl_c:
            found.append((ctrl_c, signal.getsignal(signal.SIGINT)))

    with ctrl_c_noted() as ctrl_c:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert found[0][0] is not ctrl_c
        assert found[0][1] == ctrl_c.handle
    signal.signal(signal.SIGINT, lambda number, _: told.append(number))
    try:
        with ctrl_c_noted() as ctrl_c:
            press()
            assert not ctrl_c.asked
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert told == [signal.SIGINT]


# What runs long


def test_a_simulation_stops_while_finalizers_run(swallowed: list[Any]) -> None:
    def busy() -> None:
        end = time.perf_counter() + 0.002
        while time.perf_counter() < end:
            pass

    def progress(_: object) -> None:
        for _ in range(20):
            Swallowing(busy)
        gc.collect()

    gs.simulate(deals=1)
    draw = random.Random(1)
    for _ in range(12):
        pressing = press_in(draw.uniform(0.05, 0.4))
        with pytest.raises(KeyboardInterrupt):
            gs.simulate(deals=5_000_000, workers=2, progress=progress)
        pressing.join()
    assert swallowed == []


def test_a_verification_stops_between_parts(tmp_path: Path) -> None:
    run = gs.simulate(deals=4_096, out=tmp_path / "run", log="deals")
    assert isinstance(run, gs.Run)
    assert len(run.parts) > 2
    told: list[int] = []

    def progress(done: int, _: int) -> None:
        told.append(done)
        press()

    with pytest.raises(KeyboardInterrupt):
        verify(run, progress)
    assert told == [1]


@pytest.mark.parametrize("during", ["verify", "resume"])
def test_the_check_of_files_stops_within_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, during: str
) -> None:
    """Within a file even: it is looked for at every row group and every MB."""
    arguments: dict[str, Any] = {"deals": 4_096, "out": tmp_path / "run", "log": "deals"}
    run = gs.simulate(**arguments)
    assert isinstance(run, gs.Run)
    told: list[tuple[int, int]] = []

    def checking(number: int, of: int) -> None:
        told.append((number, of))
        if number == 2:
            press()

    with left_by_ctrl_c():
        if during == "verify":
            verify(run, checking=checking)
        else:
            monkeypatch.setattr(sessions, "_SECONDS_BETWEEN_REPORTS", 0.0)
            gs.simulate(
                **arguments, resume=True, progress=lambda now: checking(*now.checking or (0, 0))
            )
    assert [of for _, of in told] == [len(run.parts)] * len(told)
    assert told.count((2, len(run.parts))) == 1
    assert told[0] == (1, len(run.parts))


def test_a_bot_in_an_endless_loop_is_left_by_a_second_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "endless_bots.py").write_text(ENDLESS, "utf-8")
    line = "simulate --deals 5 --out run --bots endless_bots:endless"
    with started(line, tmp_path) as process:
        wait_until((tmp_path / "run" / "manifest.json").exists)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        assert pressed(process, 20)[-1].startswith("stopped")


def test_compiling_is_left(tmp_path: Path) -> None:
    with started("warmup", tmp_path, GUANDAN_SIM_CACHE=str(tmp_path)) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("compiling")
        time.sleep(0.5)
        assert pressed(process) == ["stopped while compiling; what was compiled is kept"]
