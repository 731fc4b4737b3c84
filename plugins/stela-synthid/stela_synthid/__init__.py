"""SynthID-Text: tournament sampling (Dathathri et al., "Scalable watermarking ...", Nature 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela
from stela_synthid.hasher import SynthIdHasher
from stela_synthid.textseal import SynthIdTextSeal
from stela_synthid.vllm import SynthIdVllm

if TYPE_CHECKING:
    import click


class SynthId(stela.SamplingScheme):
    """Each token is the winner of a tournament of ``depth`` layers, each refereed by keyed bits."""

    name = "synthid"
    paper = "Dathathri et al., Nature 2024"
    hasher = "synthid"
    recommended = (
        "leaves much evidence and keeps the model's distribution over keys, while texts of one prompt still "
        "differ (greedy decoding needs a bias: --scheme kgw)"
    )
    recommended_evidence = "learned-likelihood"


class SynthIdOfVllm(stela.SamplingScheme):
    """The mark of vLLM's ``synthid``, bit for bit: the same tournament, its bits those of Philox."""

    name = "synthid-vllm"
    paper = "Dathathri et al., Nature 2024; vLLM, software, 2026"
    hasher = "synthid-vllm"


class SynthIdOfTextSeal(stela.SamplingScheme):
    """The mark of TextSeal's ``synthid``, bit for bit: its layers share their bits, which distorts."""

    name = "synthid-textseal"
    paper = "Dathathri et al., Nature 2024; Sander et al., arXiv, 2026"
    hasher = "synthid-textseal"


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.SamplingHasher]]:
    """Register the hashers."""
    return [SynthIdHasher, SynthIdVllm, SynthIdTextSeal]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the schemes."""
    return [SynthId, SynthIdOfVllm, SynthIdOfTextSeal]


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela posterior``."""
    from stela_synthid.posterior_command import posterior

    cli.add_command(posterior)
