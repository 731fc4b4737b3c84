"""Names, and what importing the plugin imports."""

from __future__ import annotations

import subprocess
import sys

import pytest
import stela_run
from stela_analysis import Classes, Freedom, Gain, Null
from stela_run.testing import MetricContract

import stela_core as stela

PROGRAM = """
import sys, stela_analysis
heavy = {name for name in ("torch", "transformers", "scipy", "spacy") if name in sys.modules}
assert not heavy, heavy
"""


def test_metrics_are_registered(registry: stela.Registry) -> None:
    metrics = {
        name: registry.get(stela_run.Metric, f"analysis-{name}")
        for name in ("classes", "freedom", "gain", "null")
    }
    assert {name: metric.attacked for name, metric in metrics.items()} == {
        "classes": True,
        "freedom": False,
        "gain": False,
        "null": False,
    }


@pytest.mark.slow
def test_importing_is_light() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
class TestContract(MetricContract):
    @pytest.fixture(scope="class", params=[Classes, Freedom, Gain, Null])
    @classmethod
    def metric(cls, request: pytest.FixtureRequest) -> stela_run.Metric:
        return request.param(request.param.Parameters())
