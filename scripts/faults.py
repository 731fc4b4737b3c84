"""Faults of one line, each in another package, and the test that catches it.

    .venv/bin/python -m scripts.faults [NAME ...]

Each fault is put into a worktree of the last commit, and of the tests of ``make test`` the nearest run there
until one fails. Exit status 1: a fault was not caught.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Fault(NamedTuple):
    """A line of a source, and what stands in its place."""

    says: str
    file: str
    """Below the package's folder: ``stela_core`` or ``plugins/stela-NAME/stela_NAME``."""
    before: str
    """Stands once in the file."""
    after: str
    tests: str
    """Files or folders, the nearest first: each is run by itself."""


FAULTS = {
    "stela_core": Fault(
        "the grouped p-value is that of plain counts",
        "builtin/scorers.py",
        "p_value = tail_probability(colours, stakes, gamma)",
        "p_value = tail_probability(green, weights, gamma)",
        "tests/builtin/test_grouped_scorer.py tests/statistics tests/detection",
    ),
    "stela_synthid": Fault(
        "deep layers of a tournament count most",
        "layer_weights.py",
        "np.linspace(10.0, 1.0, depth)",
        "np.linspace(1.0, 10.0, depth)",
        "plugins/stela-synthid/tests/test_g_values.py plugins/stela-synthid tests/strangers",
    ),
    "stela_payload": Fault(
        "the second best message is read",
        "decoding.py",
        "int(scores[0].argmax())",
        "int(scores[0].argsort()[-2])",
        "plugins/stela-payload/tests/test_contract.py plugins/stela-payload",
    ),
    "stela_serve": Fault(
        "the service keeps a stranger's caveat to itself",
        "examine.py",
        '    if best.caveat is not None:\n        said["caveat"]',
        '    if best.caveat == "":\n        said["caveat"]',
        "plugins/stela-serve/tests/test_detect.py plugins/stela-serve",
    ),
    "stela_run": Fault(
        "an unmarked text is tested under other keys than the marked one",
        "plan/keys.py",
        "for number in range(self.count)]",
        "for number in range(1, self.count + 1)]",
        "plugins/stela-run/tests/test_keys.py plugins/stela-run",
    ),
    "stela_tables": Fault(
        "a Gini index by n where it takes n - 1",
        "learning/finish.py",
        "np.add.reduceat(counts * (counts - 1), starts)",
        "np.add.reduceat(counts * counts, starts)",
        "plugins/stela-tables/tests/test_learn_table.py plugins/stela-tables",
    ),
    "stela_spacy": Fault(
        "a word's place is that in its piece, not in its text",
        "tagger.py",
        "offset + token.idx, offset + token.idx + len(token)",
        "token.idx, token.idx + len(token)",
        "plugins/stela-penn/tests/test_penn.py plugins/stela-spacy plugins/stela-penn tests/text",
    ),
    "stela_page": Fault(
        "the report rounds p-values to one digit",
        "said.py",
        'return f"{p:.3g}"',
        'return f"{p:.1g}"',
        "plugins/stela-page/tests/test_report.py plugins/stela-page",
    ),
    "stela_ewd": Fault(
        "weights multiply by the temperature",
        "likelihood.py",
        "torch.softmax(logits.double() / temperature, dim=-1)",
        "torch.softmax(logits.double() * temperature, dim=-1)",
        "plugins/stela-ewd/tests/test_likelihood.py plugins/stela-ewd tests/schemes",
    ),
    "stela_gumbel": Fault(
        "the tail of a gamma distribution has a term too many",
        "gamma_tail.py",
        "np.arange(1, shape))",
        "np.arange(1, shape + 1))",
        "plugins/stela-gumbel/tests/test_gamma_tail.py plugins/stela-gumbel",
    ),
}
"""By package."""


def folder_of(package: str) -> Path:
    """Of the package, from the root."""
    return Path(package) if package == "stela_core" else Path("plugins", package.replace("_", "-"), package)


def put_in(package: str, fault: Fault, root: Path) -> None:
    """Write the fault into the source.

    Raises:
        SystemExit: the line is not there, or more than once.
    """
    file = root / folder_of(package) / fault.file
    source = file.read_text(encoding="utf-8")
    if source.count(fault.before) != 1:
        sys.exit(f"{file.relative_to(root)} does not hold this once: {fault.before!r}")
    file.write_text(source.replace(fault.before, fault.after), encoding="utf-8")


def first_failure(package: str, fault: Fault, root: Path) -> str | None:
    """The first test that fails; None: all pass.

    Raises:
        SystemExit: the tests do not import the faulty package, or could not run.
    """
    # These come before the folders of the editable installation.
    paths = [root, *sorted((root / "plugins").iterdir())]
    path = os.pathsep.join(map(str, paths))
    environment = {**os.environ, "PYTHONPATH": path, "HYPOTHESIS_PROFILE": "first"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *words]
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)

    imported = run("-c", f"import {package}; print({package}.__file__)").stdout.strip()
    if not imported.startswith(str(root)):
        sys.exit(f"{package} is imported from {imported or 'nowhere'}.")
    options = ("--tier", "test", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider")
    for tests in fault.tests.split():
        done = run("-m", "pytest", *options, tests)
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+::\S.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
        if done.returncode == 1 and failed:
            return str(failed[0])
        if done.returncode != 0:
            sys.exit(f"pytest ended with {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")
    return None


def main(names: list[str]) -> int:
    """Print each fault and its test."""
    missed = 0
    for package in names or FAULTS:
        fault = FAULTS[package]
        with tempfile.TemporaryDirectory(prefix="stela-fault-") as folder:
            root = Path(folder).resolve() / "tree"
            git = ["git", "-C", str(ROOT), "worktree"]
            subprocess.run([*git, "add", "--quiet", "--detach", str(root)], check=True)
            try:
                put_in(package, fault, root)
                test = first_failure(package, fault, root)
            finally:
                # What is left of it goes with the folder.
                subprocess.run([*git, "remove", "--force", str(root)], check=False, capture_output=True)
        missed += test is None
        print(f"{package}: {fault.says}: {test or 'NOT CAUGHT'}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
