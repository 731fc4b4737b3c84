"""Profiles for ``make serve``, and a text with the mark of each: ``python -m scripts.serve_demo FOLDER``.

What is there already is left as it is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from stela_cli.main import run
from stela_models.cli.demo_texts import HUMAN, PROMPTS

MODEL = "tiny"
TOKENS = 120


def main(arguments: list[str]) -> int:
    """Make what is missing; the exit status is that of the first command that fails."""
    folder = Path(arguments[0])
    profiles, texts = folder / "profiles", folder / "texts"
    for each in (profiles, texts):
        each.mkdir(parents=True, exist_ok=True)
    made = {f"learned-{language}": ("learned-text", language) for language in PROMPTS}
    for name, (scheme, language) in {**made, "kgw": ("kgw", "en")}.items():
        status = profile_of(profiles / f"{name}.stela", scheme, language)
        status = status or text_of(profiles / f"{name}.stela", texts / f"{name}.txt", PROMPTS[language])
        if status:
            return status
    for language, text in HUMAN.items():
        (texts / f"human-{language}.txt").write_text(text + "\n", encoding="utf-8")
    print(f"profiles are in {profiles}, texts to try in {texts}")
    return 0


def profile_of(profile: Path, scheme: str, language: str) -> int:
    """A profile with a public key."""
    if profile.exists():
        return 0
    chosen = ["--scheme", scheme, "--language", language, "--model", MODEL, "--public-key"]
    return run(["profile", "new", *chosen, "-o", str(profile)])


def text_of(profile: Path, text: Path, prompt: str) -> int:
    """A text under its mark."""
    if text.exists():
        return 0
    records = text.with_suffix(".jsonl")
    command = ["generate", "--profile", str(profile), "--model", MODEL, "--prompt", prompt]
    size = ["--min-new-tokens", str(TOKENS), "--max-new-tokens", str(TOKENS)]
    status = run([*command, *size, "-o", str(records), "--force"])
    if not status:
        record = json.loads(records.read_text(encoding="utf-8"))
        records.unlink()
        text.write_text(record["text"] + "\n", encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
