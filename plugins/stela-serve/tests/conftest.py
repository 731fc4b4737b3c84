"""One service for most tests: public and secret profiles, and one that a text can make fail."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from stela_serve.started import Started, started
from stela_testing import run_cli

import stela_core as stela

TRAP = Path(__file__).with_name("trap.py")
KEY = "00c0ffee5ec2e700"
SECRET = "secret.stela"
ROOT = Path(__file__).parents[3]


def make_demo(folder: Path) -> None:
    """Profiles, and texts with their marks, as ``make serve`` has them."""
    subprocess.run([sys.executable, "-m", "scripts.serve_demo", folder], cwd=ROOT, check=True)


class Running(NamedTuple):
    service: Started
    profiles: Path
    keys: Path
    client: httpx.Client

    def detect(self, **fields: Any) -> httpx.Response:
        return self.client.post("/v1/detect", json=fields)

    def results(self, **fields: Any) -> list[dict[str, Any]]:
        answer = self.detect(**fields)
        assert answer.status_code == 200, answer.text
        results: list[dict[str, Any]] = answer.json()["results"]
        return results

    def await_workers(self) -> None:
        """Until both are up, after a test that ended one."""
        deadline = time.monotonic() + 60
        while self.client.get("/healthz").json().get("ready") != 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def said(self) -> str:
        return self.service.log.read_text() + self.service.out.read_text()


Start = Callable[..., Any]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Profiles, and the folder of the secret one's key."""
    folder, keys = tmp_path_factory.mktemp("profiles"), tmp_path_factory.mktemp("keys")
    os.chmod(keys, 0o700)
    key = keys / "secret.txt"
    key.write_text(KEY)
    key.chmod(0o600)
    public = ["--public-key", "--model", "tiny"]
    made = [
        ["--scheme", "kgw", *public, "-o", folder / "kgw.stela"],
        ["--scheme", "kgw", "--key-file", key, "--model", "tiny", "-o", folder / SECRET],
        ["--scheme", "learned-text", "--language", "ko", *public, "-o", folder / "korean.stela"],
        ["--scheme", "trap", *public, "-o", folder / "trap.stela"],
    ]
    for arguments in made:
        assert run_cli("--plugin", str(TRAP), "profile", "new", *map(str, arguments)).status == 0
    return folder, keys


def gate_of(profiles: Path) -> Path:
    """The file that texts which wait are waiting for."""
    return profiles.with_name("gate")


@pytest.fixture
def gate(folders: tuple[Path, Path]) -> Iterator[Path]:
    """It is shut, until the test makes the file; in the end nothing waits."""
    path = gate_of(folders[0])
    yield path
    path.touch()
    path.unlink()


@pytest.fixture(scope="session")
def start(folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Start another service with other options."""
    profiles, keys = folders

    def of(*options: str, environment: dict[str, str] | None = None) -> Any:
        folder = tmp_path_factory.mktemp("service")
        known = () if environment else ("--key-file", str(keys))
        return started(
            folder,
            *("--profiles", str(profiles), "--rate", "0", *known, *options),
            before=("--plugin", str(TRAP)),
            environment={
                "TRAP_FLAG": str(folder / "flag"),
                "TRAP_GATE": str(gate_of(profiles)),
                **(environment or {}),
            },
        )

    return of


@pytest.fixture(scope="session")
def running(start: Start, folders: tuple[Path, Path]) -> Iterator[Running]:
    """Two workers, short limits, no rate."""
    with (
        start("--workers", "2", "--seconds", "10", "--wait", "20", "--max-body", "400000") as service,
        httpx.Client(base_url=service.url, timeout=60) as client,
    ):
        yield Running(service, *folders, client)


class Another(NamedTuple):
    """A service with other options."""

    service: Started
    signing_key: Path

    def detect(self, **fields: Any) -> dict[str, Any]:
        answer = httpx.post(f"{self.service.url}/v1/detect", json=fields, timeout=60)
        assert answer.status_code == 200, answer.text
        said: dict[str, Any] = answer.json()
        return said


@pytest.fixture(scope="session")
def another(start: Start, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Another]:
    """One worker and a queue of one; it has its key from the environment, tells tokens, and signs."""
    key = tmp_path_factory.mktemp("signing") / "key.pem"
    assert run_cli("key", "signing", "-o", key).status == 0
    options = ("--workers", "1", "--queue", "1", "--wait", "30", "--seconds", "30", "--secret-tokens")
    with start(*options, "--signing-key", str(key), environment={"STELA_KEY": KEY}) as service:
        yield Another(service, key)


@pytest.fixture(scope="session")
def keyless(start: Start) -> Iterator[Started]:
    """Two workers without the secret profile's key, for three connections."""
    with start("--workers", "2", "--connections", "3", environment={"UNUSED": ""}) as service:
        yield service


@pytest.fixture(scope="session")
def marks(folders: tuple[Path, Path]) -> stela.Watermarks:
    """The same profiles in this process."""
    profiles, keys = folders
    return stela.load_all(profiles, [keys], stela.create_registry([str(TRAP)]), note=lambda _: None)
