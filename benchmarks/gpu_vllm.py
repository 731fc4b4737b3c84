"""The part of ``benchmarks.gpu`` that runs vLLM."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

VLLM = """
import json, sys, time
from vllm import LLM, SamplingParams
folder, marks, batch, tokens, options = json.loads(sys.argv[1])
if marks:
    options["logits_processors"] = ["stela_vllm:Processor"]
llm = LLM(folder, load_format="dummy", max_model_len=1024, disable_log_stats=True, **options)
asked = [{"prompt_token_ids": [300 + n, 301, 302, 303]} for n in range(batch)]
wanted = SamplingParams(temperature=1.0, max_tokens=tokens, min_tokens=tokens, ignore_eos=True)
rates = []
for _ in range(4):
    began = time.perf_counter()
    llm.generate(asked, wanted, use_tqdm=False)
    rates.append(batch * tokens / (time.perf_counter() - began))
print("RATES", json.dumps(rates[1:]))
"""
"""Tokens a second of a model with random weights; takes a folder, if marked, requests, tokens, options."""


def vllm(
    left: Callable[[], float], every: Mapping[str, Any], model: Any, python: str, options: dict[str, Any]
) -> Iterator[list[Any]]:
    """Rows of tokens a second of vLLM, a process for each mark and one without.

    Args:
        left: gives the seconds that are left.
        every: new watermarks by scheme.
        model: of transformers; only its configuration is taken.
        python: an interpreter that has vLLM and stela-serving.
        options: arguments of vLLM's ``LLM``.
    """
    batch, tokens = 32, 128
    with tempfile.TemporaryDirectory(prefix="stela-gpu-") as name:
        folder = Path(name)
        model.config.save_pretrained(folder)
        next(iter(every.values())).tokenizer.save(str(folder / "tokenizer.json"))
        plain = 0.0
        for scheme in ("no mark", *every):
            if left() < 45:
                yield ["vllm", f"{scheme} and the rest: no time left", batch, float("nan"), ""]
                return
            variables = dict(os.environ)
            if scheme != "no mark":
                every[scheme].save(folder / f"{scheme}.stela")
                variables["STELA_PROFILE"] = str(folder / f"{scheme}.stela")
                variables["STELA_KEY"] = "7"
            asked = json.dumps([name, scheme != "no mark", batch, tokens, options])
            done = subprocess.run(
                [python, "-c", VLLM, asked],
                capture_output=True,
                text=True,
                check=False,
                env=variables,
                timeout=max(60.0, left()),
            )
            lines = [line for line in done.stdout.splitlines() if line.startswith("RATES")]
            if not lines:
                print(done.stderr[-3000:], flush=True)
                yield ["vllm", f"{scheme}: failed", batch, float("nan"), ""]
                continue
            rate = statistics.median(json.loads(lines[0].removeprefix("RATES")))
            plain = rate if scheme == "no mark" else plain
            yield ["vllm", scheme, batch, rate, f"{rate / plain:.3f}" if plain else ""]
