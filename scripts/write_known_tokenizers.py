"""Write the list of published tokenizers, under which a stranger's profile may decide.

    python -m scripts.write_known_tokenizers --folder TOKENIZERS [--model NAME=FOLDER ...] [--check]

TOKENIZERS holds ``20B_tokenizer.json`` and the ``.tiktoken`` files of :data:`SOURCES`. Each entry says what
it is and where it is from; ``digest`` is of ids, merges, added tokens and steps
(``stela_core/text/tokenizer_digest.py``), ``sha256`` of the file as a profile holds it.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers

from benchmarks.gpt2_tokenizer import gpt2_tokenizer
from stela_core.files.fingerprint import sha256
from stela_core.profile.known_tokenizers import PUBLISHED
from stela_core.text.tokenizer import canonical, parse_tokenizer
from stela_core.text.tokenizer_digest import tokenizer_digest

ROOT = Path(__file__).parents[1]
TINY = ROOT / "plugins" / "stela-tiny" / "stela_tiny"
BEFORE = ROOT / "tests" / "profile" / "data" / "before_rules.stela"

LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
"""Pattern of cl100k_base, as Llama 3 has it, too."""

QWEN = LLAMA.replace(r"\p{N}{1,3}", r"\p{N}")
"""Qwen's, with NFC before it."""

O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
"""Pattern of o200k_base."""

SOURCES = {
    "gpt2": "openai/whisper, whisper/assets/gpt2.tiktoken (MIT)",
    "multilingual": "openai/whisper, whisper/assets/multilingual.tiktoken (MIT)",
    "cl100k_base": "openai/tiktoken, cl100k_base.tiktoken (MIT)",
    "o200k_base": "openai/tiktoken, o200k_base.tiktoken (MIT)",
}
"""Of each ``.tiktoken`` file; transformers' TikTokenConverter makes a ``tokenizer.json`` of it."""

END = "<|endoftext|>"


def tokenizers_in(folder: Path) -> Iterator[tuple[str, str, Tokenizer]]:
    """Name, source and tokenizer of each in the folder."""
    for name, model in (("stela-tiny", "model"), ("stela-tiny, small", "small")):
        yield name, "this project", _read(TINY / model / "tokenizer.json")
    with zipfile.ZipFile(BEFORE) as archive:
        yield (
            "stela-core's tests",
            "this project",
            parse_tokenizer(archive.read("tokenizer.json"), str(BEFORE)),
        )
    yield "GPT-NeoX-20B", "EleutherAI/gpt-neox-20b (Apache-2.0)", _read(folder / "20B_tokenizer.json")
    for name, stem, end in (("GPT-2", "gpt2", 50256), ("Whisper, multilingual", "multilingual", 50257)):
        file = folder / f"{stem}.tiktoken"
        yield f"{name}, ids alone", SOURCES[stem], gpt2_tokenizer(file)
        for normalized in (True, False):
            tokenizer = gpt2_tokenizer(file)
            tokenizer.add_special_tokens([AddedToken(END, normalized=normalized, special=True)])
            assert tokenizer.token_to_id(END) == end
            yield f"{name}, end {'' if normalized else 'not '}normalized", SOURCES[stem], tokenizer
    for name, stem, pattern, nfc in (
        ("cl100k_base", "cl100k_base", LLAMA, False),
        ("cl100k_base, Qwen's steps", "cl100k_base", QWEN, True),
        ("o200k_base", "o200k_base", O200K, False),
    ):
        tokenizer = gpt2_tokenizer(folder / f"{stem}.tiktoken")
        split = pre_tokenizers.Split(Regex(pattern), "isolated")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [split, pre_tokenizers.ByteLevel(False, use_regex=False)]
        )
        if nfc:
            tokenizer.normalizer = normalizers.NFC()
        yield name, SOURCES[stem], tokenizer


def entry(name: str, source: str, tokenizer: Tokenizer) -> dict[str, str]:
    """A line of the list."""
    data = canonical(tokenizer)
    digest = tokenizer_digest(data)
    assert digest is not None
    return {"name": name, "source": source, "digest": digest, "sha256": sha256(data)}


def source_of(folder: Path) -> str:
    """Where a model's folder is from: ``made.json`` says so of one made of a GGUF file."""
    made = folder / "made.json"
    if not made.is_file():
        return "the model's own tokenizer.json"
    return f"GGUF file with SHA-256 {json.loads(made.read_text(encoding='utf-8'))['gguf_sha256']}"


def main() -> int:
    """Write the list, or say whether it is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--model", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    listed = [entry(*one) for one in tokenizers_in(args.folder)]
    for name, _, folder in (model.partition("=") for model in args.model):
        listed.append(entry(name, source_of(Path(folder)), _read(Path(folder) / "tokenizer.json")))
    text = json.dumps(listed, indent=2, ensure_ascii=False) + "\n"
    if args.check:
        return int(text != PUBLISHED.read_text(encoding="utf-8"))
    PUBLISHED.write_text(text, encoding="utf-8")
    return 0


def _read(file: Path) -> Tokenizer:
    return parse_tokenizer(file.read_bytes(), str(file))


if __name__ == "__main__":
    sys.exit(main())
