"""Write ``textseal.json``: the package textseal 0.0.5 (MIT), run on a CPU; only its numbers are kept.

``PYTHONPATH=FOLDER python write_textseal.py MODEL`` where FOLDER holds the unpacked wheel and MODEL is stela-
tiny's folder ``model``; torch, SciPy and transformers are needed. What ``gumbelmax`` says is said by the
package's own hash, generator and detector. It has no ``textseal`` yet: two keys are the same hash twice, put
together as main's ``generator.py`` and ``detector.py`` (214407c3091f) do, which were read and not run.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from scipy import special


def alone() -> None:
    """Make ``textseal`` a package without its ``__init__``, which imports all, and what that needs."""
    folder = next(f"{one}/textseal" for one in sys.path if Path(one, "textseal").is_dir())
    for name in ("textseal", "textseal.posthoc", "textseal.common", "textseal.common.watermark"):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [folder + name.removeprefix("textseal").replace(".", "/")]


alone()

from textseal.common.watermark.core import WatermarkConfig  # noqa: E402
from textseal.common.watermark.pseudorandom import prf_uniform  # noqa: E402
from textseal.posthoc.detector import GumbelmaxDetector  # noqa: E402
from textseal.posthoc.generator import GumbelmaxGenerator  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

KEYS = [42, 42 + 12345, 0, 1, 2**40 + 7, 2**62 + 12345, -5]
PROMPTS = ["The history of the city", "Water boils when", "In the morning the market"]


class Given:
    """A tokenizer whose texts are ids, so that nothing is cut anew."""

    add_special_tokens = True
    vocab_size = 0

    def encode(self, ids: list[int], add_special_tokens: bool) -> list[int]:
        return ids


class TwoKeys(GumbelmaxGenerator):
    """The choice under key A or B: argmax of log(r + 1e-30) / (p + 1e-30), the likeliest first."""

    keys = (0, 0)
    alpha = 0.5

    def sample_next(
        self, logits: Any, ngram_tokens: Any, temperature: float = 0.8, top_p: float = 0.95
    ) -> Any:
        p, ids = torch.softmax(logits / temperature, dim=-1).sort(dim=-1, descending=True)
        p[p.cumsum(dim=-1) - p > top_p] = 0.0
        p /= p.sum(dim=-1, keepdim=True)
        key = self.keys[0 if float(torch.rand(1)) < self.alpha else 1]
        r = prf_uniform(ngram_tokens[:, None].expand(-1, ids.shape[1], -1), ids, key)
        best = (torch.log(r + 1e-30) / (p + 1e-30)).argmax(dim=-1, keepdim=True)
        return ids.gather(-1, best).reshape(-1)


def hashes(source: np.random.Generator) -> list[dict[str, Any]]:
    """h of contexts and tokens under keys; the uniform is h / 8191 in single precision."""
    made = []
    for n in range(140):
        key, width = KEYS[n % len(KEYS)], 1 + n % 10
        context, token = source.integers(0, 200_000, width).tolist(), int(source.integers(0, 200_000))
        r = prf_uniform(torch.tensor([context]), torch.tensor([token]), key)
        made.append({"key": key, "context": context, "token": token, "hash": round(float(r) * 8191)})
        assert torch.equal(torch.tensor(made[-1]["hash"]).float() / 8191, r[0])
    return made


def choices(plain: GumbelmaxGenerator, two: TwoKeys, source: np.random.Generator) -> list[dict[str, Any]]:
    """Tokens chosen of 2,000, whose logits are three times numpy's normal numbers of a seed."""
    made = []
    for n in range(60):
        width, key, other = 1 + n % 4, KEYS[n % 6], KEYS[(n + 1) % 6]
        logits = torch.from_numpy(np.random.default_rng(n).standard_normal(2000) * 3).float()[None]
        context = torch.from_numpy(source.integers(0, 2000, (1, width)))
        plain.wm_args = replace(plain.wm_args, secret_key=key, ngram=width)
        two.keys, two.alpha = (key, other), float(n % 2)
        chosen = [int(one.sample_next(logits, context, 1.0, 1.0)) for one in (plain, two)]
        made.append(
            {
                "seed": n,
                "context": context[0].tolist(),
                "keys": [key, other],
                "alpha": n % 2,
                "chosen": chosen,
            }
        )
    return made


def detections(model: Any, tokenizer: Any) -> list[dict[str, Any]]:
    """Texts of the model under one key or two, and what the detectors say of their ids."""
    made = []
    for n, prompt in enumerate(PROMPTS * 3):
        width, alpha = (1, 2, 4)[n // 3], (0.5, 0.3, 0.8)[n % 3]
        config = WatermarkConfig(
            secret_key=KEYS[n % 6], ngram=width, scoring_method=("v2", "v1", "none")[n % 3]
        )
        keys = [config.secret_key, config.secret_key + 12345]
        for kind in (GumbelmaxGenerator, TwoKeys):
            generator = kind(model, tokenizer, config)
            generator.keys, generator.alpha = keys, alpha
            torch.manual_seed(n)
            text = generator.generate([prompt], 160, temperature=1.0, top_p=0.95)[0]
            ids = tokenizer.encode(text, add_special_tokens=False)
            said = {}
            of_keys = []
            for key in keys:
                detector = GumbelmaxDetector(Given(), replace(config, secret_key=key))
                [scores] = detector.get_scores_by_t(
                    [ids], scoring_method=config.scoring_method, seen_windows=set()
                )
                of_keys.append(np.array(scores))
                said[str(key)] = [
                    len(scores),
                    sum(scores),
                    float(detector.get_pvalue(sum(scores), len(scores), 1e-200)),
                ]
            fused = float((alpha * of_keys[0] + (1 - alpha) * of_keys[1]).sum())
            variance = alpha**2 + (1 - alpha) ** 2
            both = [
                len(of_keys[0]),
                fused,
                float(special.gammaincc(len(of_keys[0]) / variance, fused / variance)),
            ]
            settings = {"ngram": width, "scoring": config.scoring_method, "alpha": alpha, "keys": keys}
            made.append(
                {**settings, "by": kind.__name__, "token_ids": ids, "one_key": said, "two_keys": both}
            )
    return made


def main() -> None:
    """Write the file beside this one."""
    folder = sys.argv[1]
    model, tokenizer = (
        AutoModelForCausalLM.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    config, source = WatermarkConfig(), np.random.default_rng(0)
    plain, two = GumbelmaxGenerator(model, tokenizer, config), TwoKeys(model, tokenizer, config)
    content = {
        "hash": hashes(source),
        "choice": choices(plain, two, source),
        "detect": detections(model, tokenizer),
    }
    lines = ",\n".join(f'"{name}": {json.dumps(value)}' for name, value in content.items())
    Path(__file__).with_name("textseal.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
