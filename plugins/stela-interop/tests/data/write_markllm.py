"""Write ``markllm.json``: what MarkLLM's own code says. ``python write_markllm.py FOLDER``, a checkout of it.

Its classes run as they are, on texts that they themselves mark with stela-tiny; scikit-learn and tqdm, which
it imports for a detector that is trained, are stood in for.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import torch
from stela_models.load import load_model

import stela_core as stela

SIZE = 8192
PROMPT = "The history of the city"
CHANGES: dict[str, list[dict[str, Any]]] = {
    "KGW": [{}],
    "SWEET": [{}, {"prefix_length": 3, "gamma": 0.25, "entropy_threshold": 1.7}],
    "EWD": [{}, {"prefix_length": 2, "gamma": 0.25, "delta": 3.0}],
    "MorphMark": [
        {},
        {"type": "linear", "gamma": 0.25, "prefix_length": 2, "f_scheme": "min"},
        {"type": "log", "f_scheme": "additive", "prefix_length": 3},
        {"ewd": True},
    ],
    "SynthID": [{}, {"watermark_mode": "distortionary", "num_leaves": 3, "detector_type": "weighted_mean"}],
}
"""Of the files in ``config``, which are taken as they are first."""


def main(folder: Path) -> None:
    """Mark and detect with each configuration."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    torch.set_num_threads(1)
    model, tokenizer = load_model(stela.create_registry(), "tiny", device="cpu")
    for name in ("sklearn", "tqdm"):
        sys.modules.setdefault(name, MagicMock())
    from utils.transformers_config import TransformersConfig
    from watermark.auto_watermark import AutoWatermark

    options = {"max_new_tokens": 100, "min_new_tokens": 100, "do_sample": True, "top_k": 0}
    theirs = TransformersConfig(model, tokenizer, vocab_size=SIZE, device="cpu", **options)
    theirs.temperature, theirs.top_k = 1.0, -1
    cases = []
    for name, changes in CHANGES.items():
        for number, change in enumerate(changes):
            settings = json.loads(Path(f"config/{name}.json").read_text(encoding="utf-8")) | change
            Path("changed.json").write_text(json.dumps(settings), encoding="utf-8")
            mark = AutoWatermark.load(name, "changed.json", theirs)
            torch.manual_seed(100 + number)
            text = mark.generate_watermarked_text(PROMPT)[len(PROMPT) :]
            tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
            cases.append({"settings": settings, "text": text, "ids": tokens, **said(mark, text, tokens)})
            print(name, change, cases[-1]["score"])
    Path("changed.json").unlink()
    words = json.dumps(cases, ensure_ascii=False).replace('}, {"settings"', '},\n{"settings"')
    Path(__file__).with_name("markllm.json").write_text(words + "\n", encoding="utf-8")


def said(mark: Any, text: str, ids: list[int]) -> dict[str, Any]:
    """Score of a text, colours or bits of its tokens, and more of what leads there."""
    score = mark.detect_watermark(text)["score"]
    utils, tensor = mark.utils, torch.tensor(ids)
    if not hasattr(utils, "get_greenlist_ids"):
        processor = mark.logits_processor
        bits = processor.compute_g_values(tensor[None])[0].numpy().astype(np.uint8)
        mask = processor.compute_context_repetition_mask(input_ids=tensor[None])[0]
        return {"score": score, "bits": np.packbits(bits).tobytes().hex(), "mask": mask.int().tolist()}
    width = mark.config.prefix_length
    lists = [utils.get_greenlist_ids(tensor[:end]) for end in (width, 20, 50)]
    found: dict[str, Any] = {
        "score": score,
        "lists": [hashlib.sha256(np.sort(one.numpy()).astype("<i8").tobytes()).hexdigest() for one in lists],
    }
    more = [utils.calculate_entropy(mark.config.generation_model, tensor)] if needs_model(mark) else []
    found["green"], *weights = utils.score_sequence(tensor, *more)[1:]
    if weights:
        found["weights"] = weights[0]
    scores = torch.sin(torch.arange(SIZE) * 0.7)[None] * 4
    scores[0, lists[1][:40]] += 1.0
    marked = mark.logits_processor(tensor[None, :20], scores.clone())
    found["marked"] = marked.softmax(-1)[0, :64].tolist()
    found["boosted"] = lists[1][:40].tolist()
    return found


def needs_model(mark: Any) -> bool:
    """Whether a detection reads the model's logits."""
    return mark.config.algorithm_name in ("SWEET", "EWD") or getattr(mark.config, "ewd", False)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
