"""Firefox without a window, driven by its own remote protocol (Marionette): no driver has to be installed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

PORT = "MarionetteActivePort"
"""File of a profile folder: where the browser listens."""
SECONDS = 120.0
PREFERENCES = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "browser.startup.page": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "intl.accept_languages": "en-US",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "print.always_print_silent": True,
    "toolkit.telemetry.enabled": False,
}


class Firefox:
    """A browser of its own: nothing of the user's is read or written.

    Args:
        program: the browser.
        folder: empty, for its profile.
    """

    def __init__(self, program: str, folder: Path) -> None:
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()
        ]
        (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
        command = [program, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
        # Not where errors go: a pipe that nobody reads fills up.
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={
                **os.environ,
                "HOME": str(folder),
                "MOZ_HEADLESS_WIDTH": "1000",
                "MOZ_HEADLESS_HEIGHT": "900",
            },
        )
        self._sent = 0
        try:
            self._socket = socket.create_connection(("127.0.0.1", self._port(folder / PORT)), timeout=SECONDS)
            self._answers = self._socket.makefile("rb")
            self._read()  # its greeting
            self.call("WebDriver:NewSession", {"pageLoadStrategy": "normal"})
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def __enter__(self) -> Firefox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def _port(self, written: Path) -> int:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            if written.exists() and (port := written.read_text(encoding="ascii").strip()):
                return int(port)
            time.sleep(0.1)
        raise RuntimeError("Firefox did not start")

    def _read(self) -> Any:
        """A message: its length, a colon, and so many bytes of JSON."""
        length = b""
        while not length.endswith(b":"):
            letter = self._answers.read(1)
            if not letter:
                raise RuntimeError("Firefox ended")
            length += letter
        return json.loads(self._answers.read(int(length[:-1])))

    def call(self, command: str, parameters: dict[str, Any]) -> Any:
        """A command of WebDriver, by its name in Marionette, and what it gives."""
        self._sent += 1
        data = json.dumps([0, self._sent, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(data), data))
        _, number, error, value = self._read()
        assert number == self._sent
        if error is not None:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return value

    def open(self, address: str) -> None:
        """Go to a page and wait until it has loaded."""
        self.call("WebDriver:Navigate", {"url": address})

    def run(self, script: str, *arguments: Any) -> Any:
        """What an asynchronous function's body gives, in the page.

        Raises:
            RuntimeError: it throws, or does not come to an end.
        """
        asked = {"script": ASYNC % script, "args": list(arguments), "scriptTimeout": int(1000 * SECONDS)}
        done = self.call("WebDriver:ExecuteAsyncScript", asked)["value"]
        if "error" in done:
            raise RuntimeError(done["error"])
        return done["value"]


ASYNC = """
const done = arguments[arguments.length - 1];
const given = [...arguments].slice(0, -1);
const call = async (...args) => { %s };
call(...given).then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) }));
"""
