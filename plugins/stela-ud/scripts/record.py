"""Write down how a model was made: data, settings, figures, versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from loop import LEARN_RATE, Pace
from stela_corpora.treebank import Sentence


def write_record(
    file: Path, data: str, documents: list[list[Sentence]], pace: Pace, seed: int, figures: Mapping[str, Any]
) -> None:
    """One JSON object next to the models."""
    record = {
        "data": data,
        "sentences": sum(map(len, documents)),
        "words": sum(len(sentence.words) for document in documents for sentence in document),
        **pace._asdict(),
        "learn_rate": LEARN_RATE,
        "seed": seed,
        **figures,
        "versions": {name: version(name) for name in ("spacy", "thinc")},
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
