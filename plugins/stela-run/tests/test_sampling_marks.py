"""A mark that chooses tokens beside one that has a strength: in the runner, its records and its report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_cli.main import run
from stela_run.report.strength import Strength

import stela_core as stela

PLUGIN = Path(__file__).parents[3] / "tests" / "sampling" / "plain_gumbel.py"

EXPERIMENT = """
model = "tiny-small"
lengths = [20]
texts = 6
keys = 2
batch_size = 6
metrics = ["roc", "fidelity-bias", { name = "quality-samples", samples = 4, prompts = 2 }]

[languages.en]
tagger = "penn"

[[schemes]]
name = "kgw"
delta = 1.5

[[schemes]]
name = "plain_gumbel"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "it.toml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_it_runs_beside_a_green_list_and_has_no_bias(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert run(["--plugin", str(PLUGIN), "run", str(file), "-o", str(folder)]) == 0
    records = [json.loads(line) for line in (folder / "records.jsonl").read_text("utf-8").splitlines()]
    kgw, gumbel = records
    assert "errors" not in kgw | gumbel
    assert ("samples" in kgw, gumbel["samples"], gumbel["delta"]) == (False, True, None)
    assert "bias" in kgw["values"]
    assert "bias" not in gumbel["values"]
    assert gumbel["values"]["distinct-texts"]["value"] <= 4
    page = (folder / "report.html").read_text("utf-8")
    assert "plain_gumbel none, it chooses tokens" in page
    assert "marks that choose tokens have no strength" in page
    assert "mean −log10 p" in page
    assert "distinct texts of a prompt" in page


def test_a_mean_bias_is_refused_in_one_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(EXPERIMENT + "mean_bias = 1.0\n", encoding="utf-8")
    assert run(["--plugin", str(PLUGIN), "run", str(file), "--dry-run"]) == 2
    [line] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    assert 'scheme "plain_gumbel" has no delta to set its mean bias by' in line


def test_schemes_that_are_not_installed_are_left_out(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the plugin file, one line names the scheme; to keep going is to go on without it."""
    assert run(["run", str(file), "--dry-run"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith('error: unknown scheme "plain_gumbel"')
    assert run(["run", str(file), "--dry-run", "--keep-going"]) == 0
    shown = capsys.readouterr()
    assert 'note: unknown scheme "plain_gumbel"' in shown.err
    file.write_text(EXPERIMENT.replace('"kgw"', '"of-another-time"'), encoding="utf-8")
    assert run(["run", str(file), "--dry-run", "--keep-going"]) == 2
    assert 'error: unknown scheme "of-another-time"' in capsys.readouterr().err


def test_strength_of_a_comparison_with_one_that_chooses() -> None:
    choosing = frozenset({"gumbel", "synthid"})
    mixed = Strength("m", "en", 100, {"kgw": 1.0, "gumbel": None}, choosing & {"gumbel"})
    assert mixed.measured
    assert not mixed.equal
    assert not mixed.alike("kgw", "gumbel")
    assert "compare what each costs" in mixed.warning
    assert mixed.text == "mean bias (nats): kgw 1.00, gumbel none, it chooses tokens"
    both = Strength("m", "en", 100, {"gumbel": None, "synthid": None}, choosing)
    assert not both.equal
    alone = Strength("m", "en", 100, {"gumbel": None}, choosing & {"gumbel"})
    assert (alone.equal, alone.warning) == (True, "")
    unknown = Strength("m", "en", 100, {"kgw": None, "stela": 1.0})
    assert unknown.warning == "strength not measured"


def test_the_registry_of_the_tests_has_no_plain_gumbel(registry: stela.Registry) -> None:
    assert not registry.has(stela.Scheme, "plain_gumbel")
