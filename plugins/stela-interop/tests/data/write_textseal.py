"""Write ``textseal.json``, here and for stela-synthid: the package textseal 0.0.5 (MIT), run on a CPU.

``PYTHONPATH=FOLDER python write_textseal.py MODEL`` where FOLDER holds the unpacked wheel and MODEL is stela-
tiny's folder ``model``; torch, SciPy and transformers are needed. Hash, generators and detectors are the
package's own; only its numbers are kept. ``main`` is its hash at the ids that main (046cec45d186) asks for.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch


def alone() -> None:
    """Make ``textseal`` a package without its ``__init__``, which imports all, and what that needs."""
    folder = next(f"{one}/textseal" for one in sys.path if Path(one, "textseal").is_dir())
    for name in ("textseal", "textseal.posthoc", "textseal.common", "textseal.common.watermark"):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [folder + name.removeprefix("textseal").replace(".", "/")]


alone()

from textseal.common.watermark.core import WatermarkConfig  # noqa: E402
from textseal.common.watermark.pseudorandom import prf_binary  # noqa: E402
from textseal.posthoc.detector import build_detector  # noqa: E402
from textseal.posthoc.generator import build_generator  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

KEYS = [42, 0, 1, 2**40 + 7, 2**62 + 12345, -5]
GAMMAS = [0.25, 0.3, 0.5, 0.75]
PROMPTS = ["The history of the city", "Water boils when", "In the morning the market"]
IDS = 24


class Given:
    """A tokenizer whose texts are ids, so that nothing is cut anew."""

    add_special_tokens = True
    vocab_size = 0

    def encode(self, ids: list[int], add_special_tokens: bool) -> list[int]:
        return ids


def colours(source: np.random.Generator) -> list[Any]:
    """Key, context and token, and whether the token is green at each gamma."""
    made = []
    for n in range(120):
        key, width = KEYS[n % len(KEYS)], 1 + n % 10
        context, token = source.integers(0, 200_000, width).tolist(), int(source.integers(0, 200_000))
        given = torch.tensor([context]), torch.tensor([token]), key
        made.append([key, context, token, [int(prf_binary(*given, gamma)[0]) for gamma in GAMMAS]])
    return made


def layers(source: np.random.Generator, stride: int) -> list[Any]:
    """Key, context and token, and the bits of 64 layers at gamma 0.5 and 0.25."""
    made = []
    for n in range(60 if stride == 1 else 20):
        key, width = KEYS[n % len(KEYS)], 1 + n % 10
        context, token = source.integers(0, 200_000, width).tolist(), int(source.integers(0, 200_000))
        ids = token + stride * torch.arange(64)
        grams = torch.tensor([context]).expand(64, -1)
        bits = [prf_binary(grams, ids, key, gamma).tolist() for gamma in (0.5, 0.25)]
        made.append([key, context, token, ["".join(map(str, one)) for one in bits]])
    return made


def marked(model: Any, tokenizer: Any, kind: str, source: np.random.Generator) -> list[dict[str, Any]]:
    """Logits of a few ids, and what the generators make of them: logits, or probabilities."""
    made = []
    for n in range(12):
        width, key = 1 + n % 4, KEYS[n % len(KEYS)]
        settings = {"gamma": (0.5, 0.25)[n % 2], "delta": 2.5, "depth": (30, 8, 1)[n % 3]}
        config = WatermarkConfig(
            secret_key=key, ngram=width, watermark_type=kind, method="binary", **settings
        )
        generator = build_generator(model, tokenizer, config)
        logits = torch.from_numpy(source.standard_normal(IDS)).float()[None]
        context = torch.from_numpy(source.integers(0, IDS, (1, width)))
        case = {"key": key, "context": context[0].tolist(), "logits": logits[0].tolist(), **settings}
        if kind == "greenlist":
            case["marked"] = generator.logits_processor(logits.clone(), context)[0].tolist()
        probabilities = generator.sample_next(logits.clone(), context, 1.0, 1.0, return_probs=True)[1][0]
        made.append({**case, "probabilities": probabilities.tolist()})
    return made


def detections(model: Any, tokenizer: Any, kinds: tuple[str, ...]) -> list[dict[str, Any]]:
    """Texts of the model, marked, and what the detectors say of their ids."""
    made = []
    for n, prompt in enumerate(PROMPTS * 2):
        config = {
            "secret_key": KEYS[n],
            "ngram": (1, 3)[n // 3],
            "gamma": (0.5, 0.25)[n % 2],
            "method": "binary",
        }
        config["depth"] = (30, 12)[n // 3]
        own = WatermarkConfig(watermark_type=kinds[0], **config)
        torch.manual_seed(n)
        text = build_generator(model, tokenizer, own).generate([prompt], 120, temperature=1.0, top_p=0.95)[0]
        ids, said = tokenizer.encode(text, add_special_tokens=False), []
        for kind in kinds:
            for scoring in ("v1", "v2", "none"):
                for key in (KEYS[n], 7):
                    wanted = {**config, "secret_key": key, "watermark_type": kind, "scoring_method": scoring}
                    detector = build_detector(Given(), WatermarkConfig(**wanted))
                    [scores] = detector.get_scores_by_t([ids], scoring_method=scoring, seen_windows=set())
                    p_value = float(detector.get_pvalue(sum(scores), len(scores), 1e-200))
                    said.append([kind, scoring, key, len(scores), sum(scores), p_value])
        made.append({**config, "token_ids": ids, "said": said})
    return made


def write(path: Path, content: dict[str, Any]) -> None:
    """One line a list."""
    lines = ",\n".join(f'"{name}": {json.dumps(value)}' for name, value in content.items())
    path.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def main() -> None:
    """Write both files."""
    folder, here = sys.argv[1], Path(__file__).resolve().parent
    model, tokenizer = (
        AutoModelForCausalLM.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    source = np.random.default_rng(0)
    green = {
        "gammas": GAMMAS,
        "green": colours(source),
        "marked": marked(model, tokenizer, "greenlist", source),
    }
    green["detect"] = detections(model, tokenizer, ("greenlist",))
    write(here / "textseal.json", green)
    synthid = {"bits": layers(source, 1), "marked": marked(model, tokenizer, "synthid", source)}
    synthid["detect"] = detections(model, tokenizer, ("synthid", "synthid-weighted"))
    synthid["main"] = layers(source, 659101)
    write(here.parents[2] / "stela-synthid/tests/data/textseal.json", synthid)


if __name__ == "__main__":
    main()
