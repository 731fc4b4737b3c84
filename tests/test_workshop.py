"""What is around the code: news fragments, hooks before a commit, and the CI of a fork."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
HOOKS = ROOT / ".pre-commit-config.yaml"
SPOILT = {
    "ruff-check": ("a.py", "import os\n"),
    "ruff-format": ("a.py", "x = {  'a':1 }\n"),
    "check-toml": ("a.toml", "a = \n"),
    "check-yaml": ("a.yaml", "a: [\n"),
    "end-of-file-fixer": ("a.md", "no line feed"),
    "trailing-whitespace": ("a.md", "white space \n"),
}
"""A file that each hook must not let pass."""


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def hooks() -> list[dict[str, Any]]:
    [repo] = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))["repos"]
    assert repo["repo"] == "local"  # nothing is fetched
    return list(repo["hooks"])


@pytest.mark.slow
def test_a_release_is_made_of_fragments(tmp_path: Path) -> None:
    """Those that are there now have valid names, or towncrier would refuse them."""
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    before = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "changes", tmp_path / "changes")
    kinds = {"new": "New", "changed": "Changed", "fixed": "Fixed", "notice": "What you may notice"}
    for kind in kinds:
        (tmp_path / "changes" / f"+word.{kind}.md").write_text(f"A line on {kind}.\n", encoding="utf-8")
    towncrier = (sys.executable, "-m", "towncrier", "build", "--version", "9.9.9", "--date", "2030-01-02")
    built = run(*towncrier, "--yes", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    after = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    head, _, last = before.partition("\n## ")
    assert after.startswith(f"{head}\n## 9.9.9 - 2030-01-02\n")
    assert after.endswith(f"\n## {last}")
    made = after[len(head) : -len(last)]
    at = [made.index(f"\n### {title}\n") for title in kinds.values()]
    assert at == sorted(at)
    assert all(made.count(f"- A line on {kind}.\n") == 1 for kind in kinds)
    assert [file.name for file in (tmp_path / "changes").iterdir()] == [".gitkeep"]
    (tmp_path / "changes" / "word.news.md").write_text("No kind is called so.\n", encoding="utf-8")
    assert run(*towncrier, "--draft", cwd=tmp_path).returncode != 0


def test_hooks_are_well_formed() -> None:
    assert run(BIN / "pre-commit", "validate-config", HOOKS, cwd=ROOT).returncode == 0
    assert {hook["id"] for hook in hooks()} == set(SPOILT)


@pytest.mark.slow
@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: hook["id"])
def test_a_hook_lets_no_spoilt_file_pass(hook: dict[str, Any], tmp_path: Path) -> None:
    """It stops, or mends the file, in which case git stops the commit; what is mended passes."""
    program, *options = shlex.split(hook["entry"])
    command = (BIN / Path(program).relative_to(".venv/bin"), *options)
    name, content = SPOILT[hook["id"]]
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    stopped = run(*command, name, cwd=tmp_path).returncode != 0
    assert stopped or file.read_text(encoding="utf-8") != content
    file.write_text('"""Nothing."""\n' if name.endswith(".py") else "# a\n", encoding="utf-8")
    assert run(*command, name, cwd=tmp_path).returncode == 0


def test_a_fork_runs_what_every_change_must_pass() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    # YAML 1.1 reads the word on as true.
    assert {"push", "pull_request"} <= set(workflow[True])
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert ".ci/run" in [step.get("run") for step in steps]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    needed = {key: value for step in steps for key, value in step.get("with", {}).items()}
    assert (needed["python-version"], needed["node-version"]) == ("3.11", "20")


def test_a_release_is_uploaded_by_a_workflow_that_made_and_tried_it() -> None:
    """By trusted publishing: the only step with a right to it uploads what the other job left."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    made, upload = workflow["jobs"]["make"], workflow["jobs"]["upload"]
    assert "make release" in [step.get("run") for step in made["steps"]]
    assert "permissions" not in made
    assert workflow["permissions"] == {"contents": "read"}
    assert (upload["needs"], upload["permissions"]) == ("make", {"id-token": "write"})
    assert upload["if"] == "github.event_name == 'push'"
    assert upload["steps"][-1]["run"] == "uv publish --trusted-publishing always dist/stela_*"
    assert "secrets." not in str(workflow)
    nightly = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8"))
    assert "make release" in [step.get("run") for step in nightly["jobs"]["run"]["steps"]]
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nrelease:")[2].partition("\n\n")[0]
    assert "scripts.release dist" in recipe
    script = (ROOT / "scripts" / "release.py").read_text(encoding="utf-8")
    assert not re.search(r"\b(publish|upload)\b", f"{recipe}{script}")


@pytest.mark.slow
def test_a_release_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    refused = run(sys.executable, "-m", "scripts.release", "--check", tmp_path, cwd=ROOT)
    assert refused.returncode == 1
    lines = refused.stderr.splitlines()
    files = [
        ROOT / "pyproject.toml",
        *ROOT.glob("bundle/pyproject.toml"),
        *ROOT.glob("plugins/stela-*/pyproject.toml"),
    ]
    assert len(lines) == 2 * len(files) > 100
    assert all(
        re.fullmatch(r"stela_\w+-[\d.]+(?:-py3-none-any.whl|\.tar\.gz) is missing", line) for line in lines
    )


def test_tests_run_commands_and_import_none() -> None:
    """What a test needs lies with the tests or in a package; the workshop is run as its users run it."""
    imports = re.compile(r"^\s*(?:from|import) (?:scripts|benchmarks)\b", re.MULTILINE)
    files = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("plugins/*/tests/**/*.py")]
    assert [file.name for file in files if imports.search(file.read_text(encoding="utf-8"))] == []
