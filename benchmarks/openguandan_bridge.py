"""OpenGuanDan as a player of `peer_players`: its Java server, and four clients that play at random.

The server tells each of four clients, over a WebSocket of its own, when it is to act and which
actions are legal. What is measured is what a user has: the server's rules, JSON, and the sockets of
this machine. It is written from what users of the server say of its messages, and has not met the
server itself.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

__all__ = ["PORT", "UnusableError", "bridge"]

#: Where the server listens.
PORT = int(os.environ.get("OPENGUANDAN_PORT", "8181"))
_SECONDS_TO_START = 30.0
_SECONDS_TO_ANSWER = 20.0
#: What a client calls its answer, by the stage that it is asked in.
_ANSWERS = {"play": "PLAY", "tribute": "TRIBUTE", "back": "PAYTRIBUTE"}


class UnusableError(Exception):
    """Why the server cannot be used."""


def bridge(jar: Path) -> Callable[[int], tuple[int, int]]:
    """Start the server; returns what plays at least so many deals and gives (deals, decisions).

    Raises `UnusableError`. The server ends with this process.
    """
    try:
        import websockets  # noqa: F401
    except ImportError:
        raise UnusableError("it needs the package websockets in this Python") from None
    java = shutil.which("java")
    if java is None:
        raise UnusableError("it needs Java, of which there is none on the PATH")
    if _listens():
        raise UnusableError(f"port {PORT}, which its server listens at, is taken")
    server = subprocess.Popen(
        [java, "-jar", str(jar)],
        cwd=jar.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(server.kill)
    began = time.monotonic()
    while not _listens():
        if server.poll() is not None:
            raise UnusableError(f"its server {jar.name} ended with code {server.returncode}")
        if time.monotonic() - began > _SECONDS_TO_START:
            raise UnusableError(f"its server {jar.name} does not listen at port {PORT}")
        time.sleep(0.1)

    def play(deals: int) -> tuple[int, int]:
        played = decisions = 0
        while played < deals:
            more, made = asyncio.run(_room(deals - played))
            if more == 0:
                raise RuntimeError("the server ended a match without a deal")
            played += more
            decisions += made
        return played, decisions

    return play


def _listens() -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", PORT)) == 0


class _Client:
    """One seat: answers whatever it is asked with a random action."""

    def __init__(self, connection: Any, room: str) -> None:
        self._connection = connection
        self._room = room
        self._seat = -1
        self.decisions = 0
        self.deals = 0

    async def play(self, deals: int) -> None:
        """Play until so many deals, or the match, are over."""
        while self.deals < deals:
            message, data = await _receive(self._connection)
            stage = data.get("stage")
            if message.get("type") == "act":
                await self._answer(data)
            elif stage == "beginning":
                self._seat = data["myPos"]
            elif stage == "episodeOver":
                self.deals += 1
            elif stage == "gameResult":
                return

    async def _answer(self, data: dict[str, Any]) -> None:
        self.decisions += 1
        answer: dict[str, Any] = {
            "roomId": self._room,
            "seatNum": self._seat,
            "act": random.choice(data["actionList"]),
            **{key: data[key] for key in ("tributePos", "tribute") if key in data},
        }
        await _send(self._connection, _ANSWERS[data["stage"]], answer)


async def _send(connection: Any, kind: str, data: dict[str, Any]) -> None:
    await connection.send(json.dumps({"type": kind, "data": data}))


async def _receive(connection: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The next message and its data, which some messages have in themselves."""
    async with asyncio.timeout(_SECONDS_TO_ANSWER):
        message = json.loads(await connection.recv())
    return message, message.get("data") or message


async def _room(deals: int) -> tuple[int, int]:
    """Play a room of at most so many deals; returns the (deals, decisions) played."""
    from websockets.asyncio.client import connect

    async with AsyncExitStack() as stack:
        connections = [
            await stack.enter_async_context(connect(f"ws://127.0.0.1:{PORT}", max_size=None))
            for _ in range(4)
        ]
        await _send(connections[0], "CREATE_ROOM", {"userId": "bench-0", "round": deals})
        room = None
        while room is None:
            _, data = await _receive(connections[0])
            room = data.get("roomId")
        for number, connection in enumerate(connections[1:], 1):
            await _send(connection, "JOIN_ROOM", {"userId": f"bench-{number}", "roomId": room})
        clients = [_Client(connection, room) for connection in connections]
        await asyncio.gather(*(client.play(deals) for client in clients))
    return clients[0].deals, sum(client.decisions for client in clients)
