"""Green lists of other toolkits, bit for bit: transformers, lm-watermarking, MarkLLM (docs/interop.md)."""

import stela_core as stela
from stela_interop.lefthash import Lefthash
from stela_interop.markllm import MarkLlm
from stela_interop.selfhash import Selfhash


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher]]:
    """Register the hashers."""
    return [Lefthash, Selfhash, MarkLlm]
