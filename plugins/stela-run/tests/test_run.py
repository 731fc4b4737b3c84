"""The runner on a small experiment: records, failures, resuming after kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from pyarrow import parquet
from stela_cli.main import run

import stela_core as stela

pytestmark = pytest.mark.slow

RECORDS = ("records.jsonl", "records.parquet", "scores.parquet", "texts.jsonl")
"""Equal byte for byte however a run went; timings are not among them."""


def command(workplace: Path, folder: Path, *options: str, file: str = "small.toml") -> list[str]:
    plugin = ["--plugin", str(workplace / "mine.py")]
    return [*plugin, "run", str(workplace / file), "-o", str(folder), "--data", str(workplace), *options]


@pytest.fixture(scope="module")
def undisturbed(workplace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    assert run(command(workplace, folder)) == 0
    return folder


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()]


def test_records_carry_what_is_needed_to_repeat_them(undisturbed: Path) -> None:
    found = records(undisturbed)
    assert len(found) == 2 * 2 * 2, "schemes, attacks, lengths"
    for record in found:
        assert {"scheme", "parameters", "seed", "profile_sha256", "key_id", "versions", "commit"} <= set(
            record
        )
        assert record["versions"]["stela-core"]
    assert {r["attack"] for r in found} == {"none", "shout(times=3)"}
    assert {r["length"] for r in found} == {10, 20}
    plain = [r["values"] for r in found if r["attack"] == "none"]
    assert all(set(values) == {"vowels", "z", "keys", "bias"} for values in plain)
    assert all(values["keys"]["value"] == 2 for values in plain)
    attacked = [r["values"] for r in found if r["attack"] != "none"]
    assert all(set(values) == {"vowels"} for values in attacked), "depth does not look at attacked texts"


def test_mean_bias_is_matched(undisturbed: Path) -> None:
    """Delta was chosen on other draws, so the measured bias is near the one asked for, not equal to it."""
    [bias] = {
        r["values"]["bias"]["value"]
        for r in records(undisturbed)
        if r["scheme"] == "stela" and "bias" in r["values"]
    }
    [delta] = {r["delta"] for r in records(undisturbed) if r["scheme"] == "stela"}
    assert bias == pytest.approx(1.0, abs=0.15)
    assert delta is not None
    assert delta != 1.0


def test_tables_hold_what_the_lines_hold(undisturbed: Path) -> None:
    rows = parquet.read_table(undisturbed / "records.parquet").to_pylist()
    values = [v for record in records(undisturbed) for v in record["values"].values()]
    assert [row["value"] for row in rows] == [value["value"] for value in values]
    scores = parquet.read_table(undisturbed / "scores.parquet").to_pylist()
    for record in records(undisturbed):
        place = [s for s in scores if (s["cell"], s["length"]) == (record["cell"], record["length"])]
        assert {kind: sum(s["kind"] == kind for s in place) for kind in ("marked", "model", "human")} == {
            "marked": 6,
            "model": 12,
            "human": 12,
        }
        if record["attack"] == "none":
            z = fmean(s["z"] for s in place if s["kind"] == "marked")
            assert z == pytest.approx(record["values"]["z"]["value"])


def test_times_are_kept_apart(undisturbed: Path) -> None:
    assert "seconds" not in (undisturbed / "records.jsonl").read_text(encoding="utf-8")
    timings = [json.loads(line) for line in (undisturbed / "timings.jsonl").read_text().splitlines()]
    assert any("seconds" in of for t in timings for of in t.get("lengths", {}).values())


@pytest.mark.deep(
    stand_in="plugins/stela-run/tests/test_shards.py::test_a_killed_run_goes_on_at_the_next_shard"
)
@pytest.mark.parametrize("cells", [1, 4])
def test_resumed_after_a_kill_gives_the_same_bytes(
    workplace: Path, undisturbed: Path, tmp_path: Path, cells: int
) -> None:
    folder = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-m", "stela_cli", *command(workplace, folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if len(list(folder.glob("cells/*.json.gz"))) >= cells:
            break
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, process.stderr and process.stderr.read()
    if process.stderr is not None:
        process.stderr.close()
    assert not (folder / "records.jsonl").exists()
    finished = {path: path.stat().st_mtime_ns for path in folder.glob("cells/*.json.gz")}
    assert len(finished) >= cells
    assert run(command(workplace, folder)) == 2, "not without --resume"
    assert run(command(workplace, folder, "--resume")) == 0
    for name in RECORDS:
        assert (folder / name).read_bytes() == (undisturbed / name).read_bytes(), name
    assert {path: path.stat().st_mtime_ns for path in finished} == finished, (
        "finished cells are not run again"
    )


@pytest.mark.deep(
    stand_in="plugins/stela-cli/tests/jobs/test_local.py::test_results_in_order_of_a_stream_without_end"
)
def test_two_processes_give_the_same_bytes(workplace: Path, undisturbed: Path, tmp_path: Path) -> None:
    assert run(command(workplace, tmp_path / "two", "--workers", "2")) == 0
    for name in RECORDS:
        assert (tmp_path / "two" / name).read_bytes() == (undisturbed / name).read_bytes(), name


@pytest.fixture(scope="module")
def failing(workplace: Path) -> str:
    text = (workplace / "small.toml").read_text(encoding="utf-8")
    text = text.replace('attacks = ["none",', 'attacks = ["none", "broken", "quits",').replace(
        '"vowels",', '"vowels", "zero", "leaves",'
    )
    text += '[[schemes]]\nname = "gumbel"\nmean_bias = 1.0\n'
    (workplace / "failing.toml").write_text(text, encoding="utf-8")
    return "failing.toml"


@pytest.mark.usefixtures("no_figures")
def test_a_failing_cell_is_recorded_and_the_others_go_on(
    workplace: Path, failing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "failing"
    assert run(command(workplace, folder, file=failing)) == 2, "a scheme without delta is found at once"
    assert not folder.exists()
    assert run(command(workplace, folder, "--keep-going", "--texts", "2", file=failing)) == 1
    printed = capsys.readouterr()
    assert "8 of 12 cells failed" in printed.err
    found = records(folder)
    errors = {(r["scheme"], r["attack"]): r["error"] for r in found if "error" in r}
    assert errors["kgw", "broken"] == errors["stela", "broken"] == "no such luck. hint: try again"
    assert all("would have ended this program" in errors[scheme, "quits"] for scheme in ("kgw", "stela"))
    assert all(
        "has no delta" in errors["gumbel", attack] for attack in ("none", "broken", "quits", "shout(times=3)")
    )
    good = [r for r in found if "error" not in r]
    assert len(good) == 2 * 2 * 2
    assert all(r["errors"].pop("zero") == "ZeroDivisionError: division by zero" for r in good)
    assert all("would have ended this program" in r["errors"].pop("leaves") for r in good)
    assert not any(r["errors"] for r in good)
    assert all("vowels" in r["values"] for r in good)
    assert "Traceback" not in printed.err + printed.out


def test_another_experiment_is_not_mixed_in(
    workplace: Path, undisturbed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command(workplace, undisturbed, "--resume", "--texts", "5")) == 2
    assert "it differs in texts" in capsys.readouterr().err
    assert run(command(workplace, workplace)) == 2
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.usefixtures("no_figures")
def test_hooks_mark_the_life_of_a_run(workplace: Path, tmp_path: Path) -> None:
    seen: list[tuple[str, Path]] = []

    class Watcher:
        @stela.hookimpl
        def stela_before_run(self, plan: Any, folder: Path) -> None:
            seen.append((plan.experiment.title, folder))
            assert not (folder / "records.jsonl").exists()

        @stela.hookimpl
        def stela_after_run(self, plan: Any, folder: Path) -> None:
            seen.append((plan.experiment.title, folder))
            assert (folder / "records.jsonl").exists()

    from stela_run.plan.plan import make_plan
    from stela_run.plan.read import read_experiment
    from stela_run.run import run_experiment

    registry = stela.create_registry([workplace / "mine.py"])
    registry.plugins.manager.register(Watcher())
    experiment = read_experiment(workplace / "small.toml", {"texts": 1, "lengths": [5], "attacks": ["none"]})
    run_experiment(registry, make_plan(registry, experiment, workplace), tmp_path / "watched")
    assert seen == [("Small", tmp_path / "watched")] * 2


def test_environment_is_clean() -> None:
    """The subprocesses above read the same plugins as this process."""
    assert not os.environ.get("STELA_PLUGINS")
