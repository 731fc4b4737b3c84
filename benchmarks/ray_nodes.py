"""A table built on a Ray cluster on this machine: on one node, and on two, of one CPU each."""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stela_tables.build import build_tables
from stela_tables.table import table_bytes

from benchmarks.building import corpus_of
from benchmarks.texts import Texts, registry

TAGGER = "sejong"
ROUNDS = 2


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print seconds by the clock, the start of workers included, and how much faster two nodes are."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    seconds: dict[int, list[float]] = {1: [], 2: []}
    made = set()
    with tempfile.TemporaryDirectory() as folder:
        file, characters = corpus_of(texts, "ko", Path(folder))
        for nodes in (1, 2) * ROUNDS:
            with cluster_of(nodes):
                began = time.perf_counter()
                built = build_tables(registry(), TAGGER, [file], [4], executor="ray")
                seconds[nodes].append(time.perf_counter() - began)
            made.add(b"".join(table_bytes(table) for table in built.tables.values()))
    one, two = min(seconds[1]), min(seconds[2])
    print(f"{TAGGER}, {characters:,} characters: one node {one:.1f} s, two {two:.1f}, ratio {one / two:.2f}")
    print(f"all tables equal: {len(made) == 1}")


@contextmanager
def cluster_of(nodes: int) -> Iterator[None]:
    """A cluster of so many nodes, connected to."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        for _ in range(nodes - 1):
            cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()  # type: ignore[no-untyped-call]
