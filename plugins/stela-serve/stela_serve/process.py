"""One worker as the service sees it: started, asked, ended."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import Any

from stela_core import StelaError
from stela_serve.examine import Setup
from stela_serve.frames import ASK, FAILED, READY, LostWorkerError, packed, receive
from stela_serve.limits import ANSWER_BYTES

START_SECONDS = 180.0
"""Seconds for a worker to import, to open profiles and to try keys on them."""

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONUTF8": "1",
}
"""A worker is one of several: more threads in each would wait for each other."""


class WorkerProcess:
    """A process that has opened the profiles.

    Args:
        process: it, just started.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.hello: dict[str, Any] = {}

    @classmethod
    async def start(cls, setup: Setup) -> WorkerProcess:
        """A worker that is ready.

        Raises:
            StelaError: it cannot open the profiles.
            LostWorkerError: it ended, or took too long.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "stela_serve.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **ENVIRONMENT},
            start_new_session=True,
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                kind, content = await worker.ask(json.dumps(setup.to_dict()).encode())
        except TimeoutError:
            await worker.kill()
            raise LostWorkerError from None
        except BaseException:
            await worker.kill()
            raise
        if kind == FAILED:
            await worker.kill()
            raise StelaError(*json.loads(content))
        if kind != READY:
            await worker.kill()
            raise LostWorkerError
        worker.hello = json.loads(content)
        return worker

    async def ask(self, request: bytes) -> tuple[bytes, bytes]:
        """Kind and content of its answer.

        Raises:
            LostWorkerError: it has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(packed(ASK, request))
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError):
            raise LostWorkerError from None
        return await receive(self._process.stdout, ANSWER_BYTES)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    async def ended(self) -> None:
        """Wait until it has ended, by whatever."""
        await self._process.wait()

    async def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
