"""What needs no cluster: one that is not there, and importing the plugin."""

from __future__ import annotations

import subprocess
import sys

import pytest
import stela_ray
from stela_cli.jobs.executor import Job
from stela_ray.executor import RayExecutor

import stela_core as stela

pytest.importorskip("ray")

pytestmark = pytest.mark.slow


class Nothing(Job[int, int]):
    """Never begun."""

    def run(self, item: int) -> int:
        return item


def test_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", failing := _Failing())
    with pytest.raises(stela.StelaError, match=r'at "127\.0\.0\.1:1" cannot be reached: no such cluster'):
        RayExecutor().start(Nothing())
    assert failing.address == "127.0.0.1:1"


class _Failing:
    address: str | None = None

    def __call__(self, address: str | None, **_: object) -> None:
        self.address = address
        raise ConnectionError("no such cluster\nand more lines")


def test_importing_the_plugin_imports_no_ray() -> None:
    program = "import sys, stela_ray; print('ray' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert stela_ray.stela_register_executors() is RayExecutor
