"""An experiment on a cluster of two nodes, one of which is killed: the bytes of the run on this machine."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stela_run.plan.plan import Plan, make_plan
from stela_run.plan.read import read_experiment
from stela_run.run import run_experiment

import stela_core as stela

pytest.importorskip("ray")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(
        stand_in="plugins/stela-ray/tests/test_ray.py::test_the_bytes_of_the_local_table_though_a_worker_is_killed"
    ),
]

EXPERIMENT = """
model = "tiny-small"
lengths = [8]
batch_size = 2
metrics = ["roc", "fidelity-bias"]
schemes = [{ name = "kgw", delta = 1.0 }]
[languages.en]
tagger = "none"
prompts = "en.jsonl"
"""
PROMPTS = ("The river", "After the war", "Most", "The first", "In the winter", "The school", "A", "Once")


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Eight texts: four shards of a cell, of its unmarked texts and of the tests of both."""
    continuation = "begins with a small harbour that the fishermen built of stone and timber."
    rows = (json.dumps({"prompt": prompt, "continuation": continuation}) + "\n" for prompt in PROMPTS)
    (tmp_path / "en.jsonl").write_text("".join(rows), encoding="utf-8")
    (tmp_path / "it.toml").write_text(EXPERIMENT, encoding="utf-8")
    experiment = read_experiment(tmp_path / "it.toml", {"executor": {"name": "ray", "workers": 2}})
    return make_plan(stela.create_registry(), experiment, tmp_path)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, Any]]:
    """A cluster of one CPU, and a second node."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    yield cluster, second
    cluster.shutdown()


def test_a_node_that_is_killed_costs_no_text(plan: Plan, nodes: tuple[Any, Any], tmp_path: Path) -> None:
    """Ray gives the lost worker's items to one on the other node; each is one result all the same."""
    cluster, second = nodes
    folder, registry = tmp_path / "ray", stela.create_registry()
    over, killed = threading.Event(), threading.Event()

    def kill() -> None:
        while not over.is_set():
            if list(folder.glob("cells/g-*/*.json.gz")):
                cluster.remove_node(second, allow_graceful=False)
                killed.set()
                return
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        assert run_experiment(registry, plan, folder) == 0
    finally:
        over.set()
        killer.join()
    assert killed.is_set(), "a node was lost while texts were made"
    here = plan.experiment.model_copy(update={"executor": type(plan.experiment.executor)(name="local")})
    local = make_plan(registry, here, tmp_path)
    assert run_experiment(registry, local, tmp_path / "local") == 0
    for name in ("records.jsonl", "texts.jsonl", "scores.parquet"):
        assert (folder / name).read_bytes() == (tmp_path / "local" / name).read_bytes(), name
