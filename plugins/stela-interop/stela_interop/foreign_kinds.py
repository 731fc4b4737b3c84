"""Whose configuration is it? Settings of other algorithms and toolkits are named as such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import stela_core as stela
from stela_core.api import printable

MARKLLM = {"KGW", "SWEET", "EWD", "MorphMark", "SynthID"}
"""Algorithms of MarkLLM that are reproduced."""

VLLM = {
    "deduplicate_contexts",
    "deduplicate_contexts_max_history",
    "prf",
    "sbw_scheme",
    "sbw_gamma",
    "sbw_delta",
}
"""Settings that only vLLM has."""

MARKED = {"gamma", "delta", "seeding_scheme", "keys", "ngram_len", "key"}
"""Settings of marks that several toolkits have."""

GENERATION = {
    "transformers_version",
    "architectures",
    "model_type",
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "do_sample",
    "max_length",
    "max_new_tokens",
    "temperature",
    "top_k",
    "top_p",
}
"""Settings of models and of generation, which no single toolkit's mark has."""

REPRODUCED = (
    "MarkLLM's KGW, SWEET, EWD, MorphMark and SynthID, transformers' configurations, lm-watermarking, sbw, "
    "TextSeal, vLLM and SGLang are: docs/interop.md"
)
SHOWN = 40
"""Characters of an algorithm's name that an error repeats."""


class Kind(NamedTuple):
    """What a configuration is."""

    name: str
    option: str | None
    """Option of ``stela profile import`` for it, where it is reproduced."""


def kind_of(content: Mapping[str, Any]) -> Kind | None:
    """What the names of the settings tell, or ``None``: gamma and delta by themselves are everyone's."""
    names = set(content)
    algorithm = content.get("algorithm_name")
    if "stela_profile" in names:
        return Kind("a STELA profile's own", None)
    if isinstance(algorithm, str):
        return Kind(
            f"MarkLLM's {printable(algorithm[:SHOWN])}", "--markllm" if algorithm in MARKLLM else None
        )
    if {"ngram_len", "keys"} <= names:
        return Kind("transformers' SynthIDTextWatermarkingConfig", "--transformers")
    if names & {"greenlist_ratio", "bias", "hashing_key"}:
        return Kind("transformers' WatermarkingConfig", "--transformers")
    if str(content.get("seeding_scheme")).startswith("gpu-"):
        return Kind("the package sbw's", "--sbw")
    if names & {"secret_key", "secret_key_b", "watermark_type", "mixing_alpha"}:
        return Kind("TextSeal's", "--textseal")
    if names & VLLM:
        return Kind("vLLM's", "--vllm")
    if names & {"key_b", "context_window", "mixing_probability", "max_probability", "enforce_all"}:
        return Kind("SGLang's", "--sglang")
    if names & {"f_scheme", "window_scheme", "prefix_length"}:
        return Kind("MarkLLM's", "--markllm")
    if names & {"hash_key", "select_green_tokens"}:
        return Kind("lm-watermarking's", "--lm-watermarking")
    return None


def require_mark(content: Mapping[str, Any], what: str) -> None:
    """Refuse a model's ``generation_config.json`` or ``config.json`` that says nothing of a mark.

    Raises:
        stela.StelaError: it holds none.
    """
    if GENERATION & set(content) and kind_of(content) is None and not MARKED & set(content):
        raise stela.StelaError(
            f'{what} holds no watermark: it has no "watermarking_config".',
            "the text was made without one, or its settings are in another file: name that",
        )


def require_kind(content: Mapping[str, Any], option: str, what: str) -> None:
    """Refuse settings of another algorithm or toolkit than the option's.

    Raises:
        stela.StelaError: names the algorithm, and the option that takes it where there is one.
    """
    kind = kind_of(content)
    if kind is None or kind.option == option:
        return
    if kind.option is not None:
        raise stela.StelaError(
            f"{what} is {kind.name}, which {option} does not read.", f"give it with {kind.option}"
        )
    hint = "its .stela file is what detect and generate take" if "stela_profile" in content else REPRODUCED
    raise stela.StelaError(f"{what} is {kind.name}, which is not reproduced.", hint)
