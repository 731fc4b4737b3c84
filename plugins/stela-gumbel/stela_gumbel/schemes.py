"""The schemes: a hasher each, every token marked alike and counted alike."""

from __future__ import annotations

import stela_core as stela

AARONSON = "Aaronson, talk, 2022; Fu et al., ACL 2024"


class GumbelScheme(stela.SamplingScheme):
    """Draw each token by Gumbel noise that the key makes of the tokens before it: no distribution changes."""

    name = "gumbel"
    paper = AARONSON
    hasher = "gumbel"
    encoder = "payload"


class VllmScheme(stela.SamplingScheme):
    """The mark of vLLM's ``gumbel`` (from 0.30), bit for bit."""

    name = "gumbel-vllm"
    paper = "Aaronson, talk, 2022; vLLM 0.32, software, 2026"
    hasher = "gumbel-vllm"


class VllmDualScheme(stela.SamplingScheme):
    """The mark of vLLM's ``dual_key_gumbel``, bit for bit: a second key marks some tokens."""

    name = "gumbel-vllm-dual"
    paper = "Aaronson, talk, 2022; vLLM 0.32, software, 2026"
    hasher = "gumbel-vllm-dual"


class VllmHmacScheme(stela.SamplingScheme):
    """The mark of vLLM's ``gumbel`` by ``hmac_sha256``, bit for bit; it was in no release."""

    name = "gumbel-vllm-hmac"
    paper = "Aaronson, talk, 2022; vLLM, software, 2026"
    hasher = "gumbel-vllm-hmac"


class SglangScheme(stela.SamplingScheme):
    """The mark of SGLang (0.5.23), bit for bit, with one key or two."""

    name = "gumbel-sglang"
    paper = "Aaronson, talk, 2022; SGLang 0.5.23, software, 2026"
    hasher = "gumbel-sglang"


class TextSealScheme(stela.SamplingScheme):
    """The mark of TextSeal's ``gumbelmax``, bit for bit, with one key."""

    name = "gumbel-textseal"
    paper = "Aaronson, talk, 2022; Sander et al., arXiv, 2026"
    hasher = "gumbel-textseal"


class TextSealDualScheme(stela.SamplingScheme):
    """The mark of TextSeal's ``textseal``, bit for bit: a second key marks some tokens."""

    name = "gumbel-textseal-dual"
    paper = "Sander et al., arXiv, 2026"
    hasher = "gumbel-textseal-dual"
