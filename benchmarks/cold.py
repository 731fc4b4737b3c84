"""Commands in a fresh process: CPU seconds and memory, beside the libraries that all of them need.

Packages lie as pip lays them: where they are edited in place, Python itself takes 0.1 s to start.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from benchmarks.texts import Texts
from benchmarks.wide_vocabulary import write_wide

PROFILES = {
    "kgw": ("--scheme", "kgw"),
    "gumbel": ("--scheme", "gumbel"),
    "synthid": ("--scheme", "synthid"),
    "learned-text": ("--scheme", "learned-text"),
    "stela, Penn": ("--scheme", "stela", "--tagger", "penn"),
    "stela, penn:causal": ("--scheme", "stela", "--tagger", "penn:causal"),
}
TEXT = "In the end the harbour was quiet, and nobody on the quay said a word about the storm of that night."
FLOOR = "import numpy, pydantic, rich.table, click, tokenizers; pydantic.create_model('M', a=(int, 1))()"
"""What every command that reads a profile and prints a table takes of libraries."""
REPEATS = 5
ROOT = Path(__file__).parents[1]
PYTHON = ("-S",)
STELA = (*PYTHON, "-m", "stela_cli")
CREATE = """
import sys, stela_core as stela
stela.create("kgw", model=sys.argv[1], language="en", key="public")
"""

LAUNCH = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, to, os.devnull, os.O_WRONLY, 0) for to in (1, 2)]
_, status, used = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(status != 0)
"""
"""A small process that starts another: memory is counted from what its parent had."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print the best of five runs of each command, one at a time, and its ratio to the imports.

    Of a vocabulary of 262,144 tokens also the first run, before anything of it was kept on the machine, and
    its profile's first two tests on another machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STELA_STATE"] = str(Path(folder, "state"))
        os.environ["PYTHONPATH"] = os.pathsep.join(
            (laid_out(Path(folder, "site")), sysconfig.get_path("purelib"))
        )
        text = Path(folder, "text.txt")
        text.write_text(TEXT, encoding="utf-8")
        wide = args.model or str(write_wide(Path(folder, "wide")))
        commands: dict[str, tuple[str, ...]] = {
            "python -c pass": (*PYTHON, "-c", "pass"),
            "libraries": (*PYTHON, "-c", FLOOR),
            "python -c 'import spacy'": (*PYTHON, "-c", "import spacy"),
            "stela --help": (*STELA, "--help"),
            "stela plugins": (*STELA, "plugins"),
        }
        for vocabulary, model in {"tiny": "tiny", "262,144 tokens": wide}.items():
            for name, settings in PROFILES.items():
                file = str(Path(folder, f"{len(commands)}.stela"))
                made = ("--model", model, "--language", "en", "--public-key", "--force", "-o", file)
                new = (*STELA, "profile", "new", *settings, *made)
                show(f"profile new, {name}, {vocabulary}, at first", [measure(new)])
                commands |= {
                    f"profile new, {name}, {vocabulary}": new,
                    f"detect, {name}, {vocabulary}": (*STELA, "detect", str(text), "--profile", file),
                }
                if name == "kgw":
                    shutil.rmtree(os.environ["STELA_STATE"])
                    for time in ("first", "second"):
                        show(
                            f"detect, {name}, {vocabulary}, {time} test",
                            [measure(commands[f"detect, {name}, {vocabulary}"])],
                        )
            commands[f"stela.create, kgw, {vocabulary}"] = (*PYTHON, "-c", CREATE, model)
        floor = min(measure(commands["libraries"])[0] for _ in range(REPEATS))
        for name, command in commands.items():
            measure(command), measure(command)  # what is kept from now on
            show(name, [measure(command) for _ in range(REPEATS)], floor)


def laid_out(folder: Path) -> str:
    """A folder with a link to each package of this project."""
    folder.mkdir()
    for package in (ROOT / "stela_core", *ROOT.glob("plugins/stela-*/stela_*")):
        if (package / "__init__.py").exists():
            (folder / package.name).symlink_to(package)
    return str(folder)


def show(name: str, runs: list[tuple[float, float]], floor: float = 0.0) -> None:
    """Print a line of figures: of seconds the best, of megabytes the most."""
    seconds, megabytes = zip(*runs, strict=True)
    ratio = f"; ratio {min(seconds) / floor:.2f}" if floor else ""
    print(f"{name:52}{min(seconds):6.2f} s{max(megabytes):6.0f} MB{ratio}", flush=True)


def measure(command: tuple[str, ...]) -> tuple[float, float]:
    """CPU seconds (user and system) and peak memory in MB of one process."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", LAUNCH, sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes) / 1024
