"""The plugins for engines on the engines themselves: ``python -m scripts.test_engines llamacpp``.

``make test-llamacpp`` and ``make test-mlx``: the embedded model writes marked text in three languages, in
an environment without torch; ``make test-sglang``: SGLang's own classes write it, in an environment that
has this one's packages beside SGLang. ``stela detect`` has to find each text; its weights have to be those
of insertion.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stela_models import ModelSource

import stela_core as stela
from scripts.own_needs import with_needs
from scripts.serving.checks import command, mark_weights
from scripts.serving.clients import PROMPTS
from scripts.serving.environments import has, make, pip

PACKAGES = {
    "llamacpp": ("ik-llama-cpp-python==0.1.5", "gguf==0.19.0"),
    "mlx": ("mlx[cpu]==0.32.4", "mlx-lm==0.32.2"),
    "sglang": (
        *(
            "sglang==0.5.23",
            "apache-tvm-ffi==0.1.11",
            "xgrammar==0.2.7",
            "triton",
            "msgspec",
            "pyzmq",
            "psutil",
            "uvloop",
        ),
        *(
            "aiohttp",
            "aiohappyeyeballs",
            "aiosignal",
            "frozenlist",
            "multidict",
            "propcache",
            "yarl",
            "IPython",
            "traitlets",
        ),
        *(
            "openai",
            "jiter",
            "sniffio",
            "fastapi",
            "starlette",
            "annotated-doc",
            "typing-inspection",
            "setproctitle",
        ),
        *(
            "python-multipart",
            "partial-json-parser",
            "pybase64",
            "einops",
            "interegular",
            "pydantic-settings",
        ),
    ),
}
"""By engine: what its environment gets; of SGLang, what its own classes import without a GPU."""
OURS = ("stela-tiny", "stela-kgw", "stela-gumbel", "stela-learned")
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
    engine = arguments[0]
    python = str(prepare(engine, Path(*arguments[1:] or [f".venv-{engine}"]).absolute()) / "python")
    with tempfile.TemporaryDirectory(prefix=f"stela-{engine}-") as name:
        folder = Path(name)
        os.environ["STELA_STATE"] = str(folder / "state")
        model = stela.create_registry().get(ModelSource, "tiny").location()
        if engine == "llamacpp":
            gguf = str(folder / "tiny.gguf")
            run(python, "-c", WRITE, model, gguf)
            model = gguf
        for profile, options in PROFILES.items():
            file = str(folder / f"{profile}.stela")
            command("profile", "new", *options, "--model", "tiny", "--public-key", "-o", file)
            if engine == "sglang" and profile == "kgw":
                print(run(python, "-m", "scripts.serving.sglang_refusals", model, file), end="", flush=True)
            check([python, "-m", f"scripts.serving.{engine}_texts", model], Path(file), folder)
    print(f"all of it: {time.monotonic() - began:.0f} s")
    return 0


def prepare(engine: str, folder: Path) -> Path:
    """An environment with an engine and without torch; what is there stays. Its folder of programs."""
    programs = make(folder)
    if engine == "sglang":
        if not has(programs, "sglang"):
            see_this_environment(folder)
            pip(programs, "install", "--no-deps", *PACKAGES[engine])
        return programs
    if not has(programs, f"stela_{engine}"):
        needed = sorted(with_needs(("stela-serving", *OURS)) - {"stela-core"})
        own = [part for name in needed for part in ("-e", str(ROOT / "plugins" / name))]
        pip(programs, "install", *PACKAGES[engine], "-e", str(ROOT), *own)
    if has(programs, "torch"):
        raise SystemExit(f"{folder} has torch")
    return programs


def see_this_environment(folder: Path) -> None:
    """Let an environment have the packages of the one that this runs in, the project's own included."""
    [packages] = folder.glob("lib/python3*/site-packages")
    own = Path(sys.prefix, *packages.parts[-3:])
    (packages / "this.pth").write_text(f"import site; site.addsitedir({str(own)!r})\n", encoding="utf-8")


def check(texts: list[str], profile: Path, folder: Path) -> None:
    """Write texts with a profile's mark, and find it.

    Args:
        texts: the command that writes them, but for profile, file and prompts.
        profile: of the mark.
        folder: for the file.

    Raises:
        SystemExit: one is not found, or its weights have changed.
    """
    out = folder / "out.jsonl"
    prompts = [prompt for own in PROMPTS.values() for prompt in own]
    run(*texts, str(profile), str(out), *prompts)
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


def run(*words: str) -> str:
    """What a command prints."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
