"""Tokens a second of llama.cpp (Gemma 3, 8-bit weights) with marks and without, without numba and with it."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from benchmarks.texts import Texts
from scripts.serving.checks import command
from scripts.serving.environments import pip
from scripts.test_engines import PROFILES, prepare

ROOT = Path(__file__).parents[1]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print ratios of marked texts to unmarked ones, which take turns.

    Raises:
        SystemExit: there is no folder of a Gemma 3.
    """
    if args.model is None or not Path(args.model, "model.safetensors").exists():
        raise SystemExit("llamacpp-serving needs --model FOLDER: a Gemma 3, as transformers saves it")
    programs = prepare("llamacpp", ROOT / ".venv-llamacpp")
    python = str(programs / "python")
    with tempfile.TemporaryDirectory(prefix="stela-llamacpp-") as name:
        folder = Path(name)
        gguf = str(folder / "model.gguf")
        modules = [python, "-m"]
        subprocess.run([*modules, "scripts.serving.gguf_gemma", args.model, gguf], cwd=ROOT, check=True)
        profiles = []
        for mark, options in PROFILES.items():
            profiles.append(str(folder / f"{mark}.stela"))
            command("profile", "new", *options, "--model", args.model, "--public-key", "-o", profiles[-1])
        speed = [*modules, "scripts.serving.llamacpp_speed", gguf, str(args.rounds), *profiles]
        for numba in (False, True):
            pip(
                programs, *(["install", "numba>=0.60"] if numba else ["uninstall", "-y", "numba", "llvmlite"])
            )
            print("with numba:" if numba else "without numba:", flush=True)
            done = subprocess.run(speed, cwd=ROOT, check=True, capture_output=True, text=True)
            print(done.stdout, end="", flush=True)
        pip(programs, "uninstall", "-y", "numba", "llvmlite")
