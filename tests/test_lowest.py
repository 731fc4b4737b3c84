"""What the projects declare as lowest is one version of each dependency, and is what gets installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from packaging.version import Version

ROOT = Path(__file__).parents[1]


def lowest(root: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "scripts" / "lowest.py", out]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_bounds_are_at_most_what_the_tests_run_with(tmp_path: Path) -> None:
    assert lowest(ROOT, tmp_path / "lowest.txt").returncode == 0
    lines = (tmp_path / "lowest.txt").read_text(encoding="utf-8").splitlines()
    bounds = dict(line.split("==") for line in lines)
    assert len(bounds) == len(lines) > 20
    assert bounds["stanza"] == "1.11"
    # One small build of torch is to be had: that of constraints.txt.
    assert f"torch=={bounds['torch']}" in (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    assert [name for name, bound in bounds.items() if Version(bound) > Version(version(name))] == []


def test_one_bound_of_each_in_all_projects(tmp_path: Path) -> None:
    """Two different ones, or none, are refused."""
    for file in (Path("constraints.txt"), Path("pyproject.toml"), Path("scripts/lowest.py")):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    assert lowest(tmp_path, tmp_path / "lowest.txt").returncode == 0
    other = tmp_path / "plugins" / "stela-other" / "pyproject.toml"
    other.parent.mkdir(parents=True)
    for requirement, message in (
        ("numpy>=1.25", "numpy has several lower bounds: 1.25, 1.26"),
        ("numpy", "numpy has no lower bound"),
    ):
        other.write_text(f'[project]\ndependencies = ["{requirement}"]\n', encoding="utf-8")
        refused = lowest(tmp_path, tmp_path / "none.txt")
        assert refused.returncode != 0
        assert message in refused.stderr
        assert not (tmp_path / "none.txt").exists()
