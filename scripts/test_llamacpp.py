"""stela-llamacpp on llama.cpp itself: ``python -m scripts.test_llamacpp``, or ``make test-llamacpp``.

The embedded model becomes a GGUF file, and llama.cpp writes marked text in three languages in an environment
without torch. ``stela detect`` has to find each text; weights at detection have to be those of insertion.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import stela_core as stela
from scripts.serving.checks import command, mark_weights
from scripts.serving.clients import PROMPTS
from scripts.serving.environments import has, make, pip

LLAMA = ("ik-llama-cpp-python==0.1.5", "gguf==0.19.0")
OURS = ("stela-llamacpp", "stela-tiny", "stela-kgw", "stela-gumbel", "stela-learned")
PROFILES = {
    "kgw": ["--scheme", "kgw"],
    "learned": ["--scheme", "learned-text", "--language", "en"],
    "gumbel": ["--scheme", "gumbel"],
}
ROOT = Path(__file__).parents[1]
WRITE = "from scripts.serving.gguf_model import write_gguf; from pathlib import Path; import sys; \
write_gguf(*map(Path, sys.argv[1:]))"


def main(arguments: list[str]) -> int:
    began = time.monotonic()
    python = str(prepare(Path(arguments[0] if arguments else ".venv-llamacpp").absolute()) / "python")
    with tempfile.TemporaryDirectory(prefix="stela-llamacpp-") as name:
        folder = Path(name)
        os.environ["STELA_STATE"] = str(folder / "state")
        tiny = stela.create_registry().get(stela.ModelSource, "tiny").location()
        run(python, "-c", WRITE, tiny, str(folder / "tiny.gguf"))
        for profile, options in PROFILES.items():
            file = str(folder / f"{profile}.stela")
            command("profile", "new", *options, "--model", "tiny", "--public-key", "-o", file)
            check(python, Path(file), folder)
    print(f"all of it: {time.monotonic() - began:.0f} s")
    return 0


def prepare(folder: Path) -> Path:
    """An environment with llama.cpp and without torch; what is there stays. Its folder of programs."""
    programs = make(folder)
    if not has(programs, "ik_llama_cpp"):
        pip(programs, "install", *LLAMA)
    if not has(programs, "stela_llamacpp"):
        own = [part for name in OURS for part in ("-e", str(ROOT / "plugins" / name))]
        pip(programs, "install", "-e", str(ROOT), *own)
    if has(programs, "torch"):
        raise SystemExit(f"{folder} has torch")
    return programs


def check(python: str, profile: Path, folder: Path) -> None:
    """Write texts with a profile's mark, and find it.

    Raises:
        SystemExit: one is not found, or its weights are others.
    """
    out = folder / "out.jsonl"
    prompts = [prompt for own in PROMPTS.values() for prompt in own]
    run(
        python,
        "-m",
        "scripts.serving.llamacpp_texts",
        str(folder / "tiny.gguf"),
        str(profile),
        str(out),
        *prompts,
    )
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    said = command("detect", "--profile", str(profile), "--json", str(out)).splitlines()
    detections = [json.loads(line) for line in said]
    marked = sum(one["verdict"] == "watermarked" for one in detections)
    worst = max(one["p_value"] for one in detections)
    print(f"{profile.stem}: {marked} of {len(lines)} found, largest p {worst:.1e}")
    if marked < len(lines):
        raise SystemExit("not all of them")
    mark = stela.load(profile)
    for line, detection in zip(lines, mark.detect_ids([line["ids"] for line in lines]), strict=True):
        if mark_weights(detection) != line["weights"]:
            raise SystemExit(f"other weights at detection: {line['prompt']}")
    tokens = sum(len(line["ids"]) for line in lines)
    print(f"{profile.stem}: weights of {tokens} tokens are those of insertion", flush=True)


def run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
