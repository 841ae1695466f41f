"""The same run from threads, processes and Dask workers, also when some of these are lost."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster
from games import user_module
from started import started, wait_until

import guandan_sim as gs
from guandan_sim import backends, packing
from guandan_sim import layout as lay
from guandan_sim.arms import Arm
from guandan_sim.bots import bots_by_seat
from guandan_sim.cli import main
from guandan_sim.folders import folder_of
from guandan_sim.picking import pick_move
from guandan_sim.rng import word
from guandan_sim.settings import deal_arguments
from guandan_sim.simulate import Progress
from guandan_sim.workers import Played, Work

SETTINGS: dict[str, dict[str, Any]] = {
    "deals": {"deals": 5_000, "previous_order": "random", "bots": ["random", "greedy"], "seed": 9},
    "matches": {"matches": 2_500, "bots": ["greedy", "random"], "seed": 9},
}
# Long enough that workers are killed in the middle of it.
GREEDY: dict[str, Any] = {"deals": 40_000, "bots": "greedy", "seed": 4}
MODULE = """
from numba import njit
from guandan_sim.picking import pick_move
from guandan_sim.rng import word


@njit
def draw(key):
    return word(key, 3)


def bot(view, scratch, out):
    out[0], out[1], out[2], out[3] = pick_move(view, draw(view[lay.V_KEY]))
    return 0


def illegal(view, scratch, out):
    out[:] = 7
    return 0


from guandan_sim import layout as lay
"""


def run_of(folder: Path, **arguments: Any) -> gs.Run:
    run = gs.simulate(out=folder, **arguments)
    assert isinstance(run, gs.Run)
    assert unfinished(folder) == []
    return run


def unfinished(folder: Path) -> list[Path]:
    """Files under a temporary name."""
    return [file for file in folder.rglob("*") if file.name.endswith(".tmp")]


def wait_for_a_part(folder: Path) -> None:
    """Until a part is there: the workers are then in the middle of the next."""
    wait_until(lambda: [*folder.glob("plays/part-*")])


def worker_processes() -> list[int]:
    """Those that loky has started from this process."""
    children = psutil.Process().children(recursive=True)
    return [child.pid for child in children if "popen_loky_posix" in " ".join(child.cmdline())]


def kill_one(folder: Path, workers: Callable[[], list[int]]) -> threading.Thread:
    """Kill the first of these processes once a part is there."""

    def watch() -> None:
        wait_for_a_part(folder)
        os.kill(workers()[0], signal.SIGKILL)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


@pytest.fixture(scope="module", name="scheduler")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two worker processes, which are made anew when killed."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        local_directory=str(tmp_path_factory.mktemp("dask")),
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module", name="greedy")
def run_of_greedy_bots(tmp_path_factory: pytest.TempPathFactory) -> gs.Run:
    return run_of(tmp_path_factory.mktemp("runs") / "greedy", **GREEDY)


@pytest.fixture(scope="module", name="expected", params=SETTINGS)
def run_by_threads(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run_of(tmp_path_factory.mktemp("runs") / "expected", **SETTINGS[request.param])


# The same run


@pytest.mark.parametrize("how", ["loky", "scheduler"])
def test_the_backend_does_not_matter(
    expected: gs.Run, tmp_path: Path, scheduler: str, how: str
) -> None:
    settings = SETTINGS[expected.layout.kind]
    where: dict[str, Any] = (
        {"scheduler": scheduler} if how == "scheduler" else {"backend": how, "workers": 2}
    )
    told: list[Progress] = []
    run = run_of(tmp_path / "run", progress=told.append, **settings, **where)
    assert run.manifest["content_hash"] == expected.manifest["content_hash"]
    assert len(run.parts) > 2
    timed = ("seconds", "deals_per_second", "plays_per_second")
    for figure, value in expected.summary.items():
        assert figure in timed or run.summary[figure] == value
    sizes = [file.stat().st_size for file in run.path.glob("*/*.parquet")]
    assert (told[-1].done, told[-1].deals) == (expected.layout.count, run.summary["deals"])
    assert told[-1].bytes == sum(sizes)


def test_nothing_need_be_written(scheduler: str) -> None:
    plain = gs.simulate(deals=3_000, seed=2).summary
    for where in ({"backend": "loky", "workers": 2}, {"scheduler": scheduler}):
        summary = gs.simulate(deals=3_000, seed=2, **where).summary
        assert summary["plays"] == plain["plays"]
        assert summary["wins"] == plain["wins"]


def test_bots_of_a_module_and_of_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduler: str
) -> None:
    user_module(monkeypatch, tmp_path, "bots_to_send", MODULE)
    draws = 3

    def typed(view: Any, _scratch: Any, out: Any) -> int:
        out[0], out[1], out[2], out[3] = pick_move(view, word(view[lay.V_KEY], draws))
        return 0

    # One part, so that one process compiles what is sent.
    plain = gs.simulate(deals=500, bots="bots_to_send:bot", seed=1).summary["plays"]
    places: list[dict[str, Any]] = [{"backend": "loky"}, {"scheduler": scheduler}]
    for where in places:
        for bots in ("bots_to_send:bot", typed):
            found = gs.simulate(deals=500, bots=bots, seed=1, **where)
            assert found.summary["plays"] == plain
        with pytest.raises(gs.BotError, match=r"illegal at seat \d wrote the words .*\(set \d+"):
            gs.simulate(deals=500, bots="bots_to_send:illegal", **where)


# Workers that are lost


def test_a_killed_dask_worker_changes_nothing(
    greedy: gs.Run, tmp_path: Path, scheduler: str
) -> None:
    with Client(scheduler, set_as_default=False) as client:
        processes = client.run(os.getpid)
        victim = min(processes.values())
        killing = kill_one(tmp_path / "run", lambda: [victim])
        run = run_of(tmp_path / "run", **GREEDY, scheduler=scheduler)
        killing.join()
        assert victim not in client.run(os.getpid).values()
    assert run.manifest["content_hash"] == greedy.manifest["content_hash"]
    assert run.check_files() == []


def test_a_killed_process_ends_the_run_which_can_be_resumed(greedy: gs.Run, tmp_path: Path) -> None:
    killing = kill_one(tmp_path / "run", worker_processes)
    with pytest.raises(gs.BackendError, match=r"a worker process was lost .* parts are kept"):
        gs.simulate(out=tmp_path / "run", **GREEDY, backend="loky", workers=2)
    killing.join()
    assert unfinished(tmp_path / "run") == []
    run = run_of(tmp_path / "run", **GREEDY, resume=True)
    assert run.manifest["content_hash"] == greedy.manifest["content_hash"]


@pytest.mark.parametrize("backend", ["loky", "dask"])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_the_run(tmp_path: Path, backend: str, sign: signal.Signals) -> None:
    """Ctrl-C comes to the whole group, as from a terminal; a kill to the run alone."""
    line = f"simulate --deals 1G --out run --backend {backend} --workers 1 --quiet"

    def all_gone() -> bool:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    with started(line, tmp_path, group=True) as process:
        wait_for_a_part(tmp_path / "run")
        if sign == signal.SIGINT:
            os.killpg(process.pid, sign)
        else:
            process.send_signal(sign)
        _, err = process.communicate(timeout=60)
        wait_until(all_gone, 60)
        assert all_gone()
    if sign == signal.SIGINT:
        assert process.returncode == 130
        assert err.startswith("stopped at ")
        assert err.count("\n") == 1
        assert unfinished(tmp_path) == []


# What is refused


@pytest.fixture(name="packed")
def packed_work(tmp_path: Path) -> packing.Packed:
    """Work as it is sent, of a run that has begun."""
    (tmp_path / "manifest.json").write_text("{}", "utf-8")
    by_seat = bots_by_seat("random")
    settings = {"seed": 1, "kind": "deals", "level": None, "previous_order": None}
    rules = gs.Rules.preset("guide")
    folder = folder_of(tmp_path)
    arm = Arm(by_seat, rules, deal_arguments(settings))
    return packing.pack(Work("deals", "deals", [arm], folder))


def test_a_worker_refuses_other_code(packed: packing.Packed, tmp_path: Path) -> None:
    for change, message in (
        ({"code": "0.0.9 (abc)"}, r"this run is of 0\.0\.9 \(abc\): install the same"),
        ({"sources": ("", "", "0" * 12, "")}, "another version of bot random"),
        ({"sources": (None,) * 4, "python": (3, 2)}, r"cannot be sent from 3\.2"),
        ({"content": b"cbots_that_are_nowhere\nx\n."}, "cannot import a bot: ModuleNotFound"),
    ):
        changed = replace(packed, token=message, **change)
        refused = packing.play_packed(changed, 0, 5)
        assert isinstance(refused, packing.Failed)
        with pytest.raises(gs.BackendError, match=f"the worker on .*{message}"):
            raise refused.error
    (tmp_path / "manifest.json").unlink()
    refused = packing.play_packed(packed, 0, 5)
    assert isinstance(refused, packing.Failed)
    assert "does not see the run in" in str(refused.error)
    assert list(tmp_path.iterdir()) == []


def test_a_worker_stops_when_told(packed: packing.Packed) -> None:
    assert isinstance(packing.play_packed(packed, 0, 5), Played)
    packing.stop_packed(packed.token)
    assert packing.play_packed(packed, 0, 5) is None


def test_a_part_that_cannot_be_written_tells_why(packed: packing.Packed, tmp_path: Path) -> None:
    (tmp_path / "deals").write_text("a file", "utf-8")
    refused = packing.play_packed(packed, 0, 5)
    assert isinstance(refused, packing.Failed)
    assert isinstance(refused.error, gs.RunError)
    assert isinstance(refused.cause, OSError)


def test_a_bot_that_cannot_be_sent() -> None:
    lock = threading.Lock()

    def bot(_view: Any, _scratch: Any, _out: Any) -> int:
        return lock is None

    arm = Arm(bots_by_seat(bot), gs.Rules.preset("guide"), np.zeros(0, np.int64))
    work = Work("deals", "none", [arm], None)
    with pytest.raises(gs.OptionError, match=r"bot bot cannot be sent to other processes: .*lock"):
        packing.pack(work)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"backend": "ray"}, "backend is 'ray'; it is one of threads, loky, dask"),
        ({"backend": "loky", "scheduler": "tcp://a:1"}, "backend loky has no scheduler"),
        ({"scheduler": "tcp://a:1", "workers": 2}, "a scheduler has workers of its own"),
        ({"scheduler": "here"}, "scheduler is 'here'; an address is written tcp://HOST:8786"),
        ({"scheduler": 8786}, "scheduler is 8786; an address"),
    ],
)
def test_options_that_do_not_go_together(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(gs.OptionError, match=message):
        gs.simulate(deals=1, out=tmp_path / "run", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_dask_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "find_spec", lambda _name: None)
    with pytest.raises(gs.OptionError, match=r"pip install 'guandan-sim\[dask\]'"):
        gs.simulate(deals=1, backend="dask")


def test_a_scheduler_that_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    assert main(["simulate", "--deals", "5", "--scheduler", "tcp://127.0.0.1:1", "--out", out]) == 1
    err = capsys.readouterr().err
    assert err == "error: no scheduler answers at 'tcp://127.0.0.1:1': Connection refused\n"
    assert list(tmp_path.iterdir()) == []
