"""Write tests/golden: texts that the embedded model writes under the main schemes.

``python -m scripts.write_golden [FOLDER [NAME ..]]``; a test of ``make test-deep`` writes them again.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stela_testing import run_cli

from stela_core import create_registry
from tests.marked import ANSWERS, FOLDER, Golden

PROMPT = "The city"
TOKENS = "120"


class Order(NamedTuple):
    """How the texts of a scheme are made."""

    new: Sequence[str]
    messages: Sequence[str] = ("",)
    """A text for each; empty for none."""
    weighed_by_a_model: bool = False
    tokens: str = TOKENS
    temperature: str = "1"


ORDERS = {
    "kgw": Order(["--scheme", "kgw"]),
    "stela": Order(["--scheme", "stela", "--tagger", "penn"]),
    "learned-text": Order(["--scheme", "learned-text", "--language", "en"]),
    "unigram": Order(["--scheme", "unigram"]),
    "gumbel": Order(["--scheme", "gumbel"]),
    "synthid": Order(["--scheme", "synthid"]),
    "exp": Order(["--scheme", "exp"]),
    "coupling": Order(["--scheme", "coupling"]),
    "ewd": Order(["--scheme", "ewd"], weighed_by_a_model=True),
    "sweet": Order(["--scheme", "sweet"], weighed_by_a_model=True),
    "gumbel-16-bits": Order(
        ["--scheme", "gumbel", "--bits", "16"],
        ["cafe", "00fe", "0109", "0002"],
        tokens="200",
        temperature="0.7",
    ),
    "gumbel-32-bits": Order(["--scheme", "gumbel", "--bits", "32"], ["c0ffee07"], tokens="300"),
    "gumbel-64-bits": Order(["--scheme", "gumbel", "--bits", "64"], ["0123456789abcdef"], tokens="300"),
}


def run(*words: object) -> list[dict[str, Any]]:
    """What a command prints as JSON lines."""
    done = run_cli(*words)
    if done.status:
        raise SystemExit(done.err)
    return done.json


def made(order: Order, folder: Path) -> Golden:
    """The texts of one file, and what detection says of them."""
    new = [*order.new, "--model", "tiny"]
    profile = Golden(new, []).write_profile(folder / "p.stela")
    length = (
        "--max-new-tokens",
        order.tokens,
        "--min-new-tokens",
        order.tokens,
        "--temperature",
        order.temperature,
    )
    asked = ("generate", "--profile", profile, "--model", "tiny", "--prompt", PROMPT, *length, "--json")
    records: list[dict[str, Any]] = []
    for message in order.messages:
        records += run(*asked, *(("--message", message) if message else ()))
    for record in records:
        del record["weights"]
    file = folder / "texts.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    model = ("--model", "tiny") if order.weighed_by_a_model else ()
    detections = [
        {name: one[name] for name in ("verdict", "z", "p_value", "message") if one.get(name) is not None}
        for one in run("detect", "--profile", profile, *model, file, "--json")
    ]
    pairs = zip(records, detections, strict=True)
    return Golden(new, [{"record": record, "detection": detection} for record, detection in pairs])


def answers() -> list[list[str]]:
    """What the model answers without a mark (``tests.marked.golden_answers``)."""
    from stela_audit.local import deployment
    from stela_audit.red_green import STEMS
    from stela_models.load import load_model

    ask = deployment(load_model(create_registry(), "tiny", device="cpu"), seed=3)(3)
    return [ask(f"{stem} 199", 400) for stem in STEMS]


def write(folder: Path, names: Sequence[str] = ()) -> None:
    """Write the files of these names, or of all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or ORDERS:
        with tempfile.TemporaryDirectory() as place:
            written = made(ORDERS[name], Path(place))
        lines = [{"new": written.new}, *written.texts]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    if not names:
        text = ",\n".join(json.dumps(some, ensure_ascii=False) for some in answers())
        (folder / ANSWERS).write_text(f"[\n{text}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if sys.argv[1:] else FOLDER, sys.argv[2:])
