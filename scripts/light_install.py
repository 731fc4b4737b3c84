"""Install the wheels that detect without torch into an empty environment, and detect there: ``make wheels``.

    python -m scripts.light_install dist [--list]

The wheels are those of a folder, what they depend on comes from the package index, at the versions of
constraints.txt. Marked text is written by the environment that runs this, which has a language model; the
new one has none, and has to find the mark. ``--list`` names the wheels, and does no more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import NamedTuple

from scripts.own_needs import with_needs
from scripts.version import versions

ROOT = Path(__file__).parents[1]
LIGHT = (
    "core", "cli", "kgw", "stela", "unigram", "morphmark", "gumbel", "synthid", "exp", "unbiased", "watme",
    "lsh", "sir", "textgrain", "interop", "learned", "lexical", "penn", "sejong",
)  # fmt: skip
"""Schemes that detect without a model, the taggers for them that are small, and what says more of a text."""

HEAVY = ("torch", "transformers")


class Case(NamedTuple):
    """A profile to make and a text to mark."""

    scheme: str
    tagger: str | None
    language: str
    prompt: str

    @property
    def options(self) -> list[str]:
        """Of ``stela profile new``."""
        tagger = ["--tagger", self.tagger] if self.tagger else []
        return ["--scheme", self.scheme, *tagger, "--language", self.language]

    def __str__(self) -> str:
        return f"{self.scheme} {self.tagger or ''} {self.language}".replace("  ", " ")


CASES = (
    Case("learned-text", None, "en", "The history of the city"),
    Case("stela", "penn", "en", "The history of the city"),
    Case("stela", "penn:causal", "en", "The history of the city"),
    Case("stela", "sejong", "ko", "한국의 역사는"),
)
KEY = "5354454c41303231"
"""Fixed, so that every run finds the same."""

HUMAN = (
    "All human beings are born free and equal in dignity and rights. They are endowed with reason and "
    "conscience and should act towards one another in a spirit of brotherhood."
)


def light_wheels(folder: Path) -> list[Path]:
    """The light ones among a folder's wheels, one each.

    Raises:
        SystemExit: one is missing.
    """
    version = versions()["stela-core"]
    names = sorted(with_needs(f"stela-{name}" for name in LIGHT))
    wheels = [folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl" for name in names]
    missing = [wheel.name for wheel in wheels if not wheel.is_file()]
    if missing:
        raise SystemExit(f"{folder} lacks {', '.join(missing)}: python -m scripts.build_wheels {folder}")
    return wheels


def install(wheels: list[Path], environment: Path) -> Path:
    """A new environment with wheels and what they ask for; returns its folder of programs."""
    venv.create(environment, with_pip=True)
    programs = environment / "bin"
    asked = ["-c", str(ROOT / "constraints.txt"), *map(str, wheels)]
    run([str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *asked])
    run([str(programs / "python"), "-m", "pip", "check"])
    return programs


def run(command: list[str]) -> str:
    """A command's output; it ends here with the command's own words where it fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STELA"))}
    kept["STELA_STATE"] = str(Path(tempfile.gettempdir()) / "stela-light-state")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=kept)
    # 1 says that no mark was found.
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def mark(case: Case, key: Path, folder: Path) -> tuple[Path, Path]:
    """A new profile with a secret key, and a marked text of 120 tokens."""
    profile, text = folder / "p.stela", folder / "out.jsonl"
    stela = [sys.executable, "-m", "stela_cli"]
    model = ["--model", "tiny"]
    run([*stela, "profile", "new", *case.options, *model, "--key-file", str(key),
         "-o", str(profile)])  # fmt: skip
    run([*stela, "generate", "--profile", str(profile), "--key-file", str(key), *model,
         "--prompt", case.prompt, "--max-new-tokens", "120", "--min-new-tokens", "120",
         "-o", str(text)])  # fmt: skip
    return profile, text


def check(stela: str, case: Case, folder: Path) -> str:
    """One line on what the light environment found in a marked text and in human text.

    Raises:
        SystemExit: the mark was not found, or one was found where there is none.
    """
    key, human = folder / "key.txt", folder / "human.txt"
    key.write_text(KEY, encoding="utf-8")
    key.chmod(0o600)
    profile, marked = mark(case, key, folder)
    human.write_text(HUMAN, encoding="utf-8")
    detect = [stela, "detect", "--profile", str(profile), "--key-file", str(key), "--json"]
    detections = [json.loads(run([*detect, str(text)])) for text in (marked, human)]
    verdicts = [one["verdict"] for one in detections]
    if verdicts[0] != "watermarked" or verdicts[1] == "watermarked":
        raise SystemExit(f"{case}: {verdicts}")
    ours, theirs = (one["p_value"] for one in detections)
    return f"{case}: p = {ours:.1e}, human text {theirs:.2f}"


def main(arguments: list[str]) -> int:
    folders = [one for one in arguments if one != "--list"]
    wheels = light_wheels(Path(folders[0] if folders else "dist").resolve())
    if "--list" in arguments:
        print(*wheels, sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="stela-light-") as name:
        home = Path(name)
        programs = install(wheels, home / "environment")
        present = f"from importlib.util import find_spec; print(*filter(find_spec, {HEAVY!r}))"
        heavy = run([str(programs / "python"), "-c", present]).strip()
        if heavy:
            raise SystemExit(f"the light distributions brought {heavy}")
        print(run([str(programs / "stela"), "--version"]).strip(), "without", ", ".join(HEAVY))
        for index, case in enumerate(CASES):
            folder = home / str(index)
            folder.mkdir()
            print(check(str(programs / "stela"), case, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
