"""Gumbel marks (Aaronson 2022): the project's own, and those of vLLM, SGLang and TextSeal, bit for bit."""

from __future__ import annotations

import stela_core as stela
from stela_gumbel.own import Gumbel
from stela_gumbel.schemes import (
    GumbelScheme,
    SglangScheme,
    TextSealDualScheme,
    TextSealScheme,
    VllmDualScheme,
    VllmHmacScheme,
    VllmScheme,
)
from stela_gumbel.sglang import Sglang
from stela_gumbel.textseal import TextSealDual, TextSealGumbel
from stela_gumbel.vllm import VllmDualGumbel, VllmGumbel
from stela_gumbel.vllm_hmac import VllmHmac


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher]]:
    """Register the hashers."""
    return [Gumbel, VllmGumbel, VllmDualGumbel, VllmHmac, Sglang, TextSealGumbel, TextSealDual]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the schemes."""
    return [
        GumbelScheme,
        VllmScheme,
        VllmDualScheme,
        VllmHmacScheme,
        SglangScheme,
        TextSealScheme,
        TextSealDualScheme,
    ]
