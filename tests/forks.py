"""Command lines in processes of their own that are killed, or run out of room, at a chosen moment.

A server that has loaded the package once forks for each, so that hundreds take seconds.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import gc
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import typer.main

ROOT = Path(__file__).parents[1]
NOBODY = 65_534

_CHANGES = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "fcntl.flock")
# A process that hangs says where, and ends.
_SECONDS = 120
_STREAMS = ("out", "err", "events")


@dataclass(frozen=True)
class Done:
    """How a command ended: ``code`` is that of `subprocess`, negative for a signal. ``events``:
    what it was about to do in its run's folder, in order.
    """

    code: int
    out: str
    err: str
    events: list[str]

    @property
    def error(self) -> str:
        """What went wrong, which must be said in one line and nothing else."""
        assert self.err.startswith("error: "), self.err
        assert self.err.count("\n") == 1, self.err
        return self.err.rstrip("\n").removeprefix("error: ")


class Forks:
    """The server; a context manager."""

    def __init__(self) -> None:
        code = "import sys; sys.path[:0] = ['.', 'tests']; import forks; forks.serve()"
        self._server = subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        line: str,
        folder: Path,
        *,
        code: str = "",
        at: int | None = None,
        do: str = "kill",
        room: int | None = None,
        fatal: bool = False,
        as_nobody: bool = False,
    ) -> Done:
        """Run ``guandan-sim LINE``, or else the Python ``code``, in ``folder``.

        ``at``: the number of an event in the folder "run" before which the process is killed or,
        with ``do`` "protect", that folder is made read-only. ``room``: the most bytes that a file
        may have; with ``fatal`` writing more kills the process, after what fits. ``as_nobody``:
        without the rights of root, if it has them.
        """
        request = {
            "line": line.split(),
            "folder": str(folder),
            "code": code,
            "at": at,
            "do": do,
            "room": room,
            "fatal": fatal,
            "as_nobody": as_nobody,
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps(request), file=self._server.stdin, flush=True)
        answer = json.loads(self._server.stdout.readline())
        status = os.waitstatus_to_exitcode(answer["status"])
        return Done(status, answer["out"], answer["err"], answer["events"].splitlines())

    def __enter__(self) -> Forks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._server as server:
            assert server.stdin is not None
            server.stdin.close()


def forks() -> Iterator[Forks]:
    """A server for the tests of a module; a fixture."""
    with Forks() as server:
        yield server


def serve() -> None:
    """Fork for each request on stdin, and tell on stdout how it ended."""
    from guandan_sim.cli import main

    typer.main.get_command = functools.cache(typer.main.get_command)
    # What a command needs is imported and compiled, or loaded, by these.
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/run"
        simulate = f"simulate --deals 3 --bots greedy,random --workers 1 -q --out {out}"
        for line in (simulate, f"{simulate} --resume", f"verify -q {out}", f"replay {out} 1"):
            with contextlib.redirect_stdout(io.StringIO()):
                assert main(line.split()) == 0
    gc.freeze()
    for text in sys.stdin:
        ends = {name: os.pipe() for name in _STREAMS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of Arrow's, which it ends
            child = os.fork()
        if not child:
            _command(main, json.loads(text), {name: write for name, (_, write) in ends.items()})
        answer: dict[str, Any] = {}
        for name, (read, write) in ends.items():
            os.close(write)
            with open(read, encoding="utf-8") as stream:
                answer[name] = stream.read()
        answer["status"] = os.waitpid(child, 0)[1]
        print(json.dumps(answer), flush=True)


def _command(
    main: Callable[[list[str]], int], request: dict[str, Any], streams: dict[str, int]
) -> None:
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(streams["out"], 1)
        os.dup2(streams["err"], 2)
        faulthandler.dump_traceback_later(_SECONDS, exit=True)
        os.chdir(request["folder"])
        if request["as_nobody"] and os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        _watch(streams["events"], request["at"], request["do"])
        if request["room"] is not None:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["room"], request["room"]))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL if request["fatal"] else signal.SIG_IGN)
        if request["code"]:
            exec(request["code"], {})
            code = 0
        else:
            code = main(request["line"])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _watch(stream: int, at: int | None, do: str) -> None:
    """Write down what is about to happen in the folder "run", and act at a moment."""
    folder = os.path.abspath("run")
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event not in _CHANGES:
            return
        given = arguments[:1] if event == "open" else arguments
        paths = [os.fsdecode(p) for p in given if isinstance(p, str | bytes | os.PathLike)]
        places = [os.path.abspath(path) for path in paths]
        if event != "fcntl.flock" and not any(f"{p}/".startswith(f"{folder}/") for p in places):
            return
        if count == at:
            if do == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            for place, _, _ in os.walk(folder):
                os.chmod(place, 0o555)
        count += 1
        names = [os.path.relpath(place, folder) for place in places]
        os.write(stream, f"{event} {' '.join(names)}\n".encode())

    sys.addaudithook(hook)
