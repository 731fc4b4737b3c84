"""What the page's program works the expected power out of: how marked texts look, as far as that is known."""

from __future__ import annotations

from stela_detection.power.expected import freedoms_of

import stela_core as stela


def expected_of(watermark: stela.Watermark) -> dict[str, list[float]]:
    """Numbers of marked texts, by the program's name for them; empty where weights or biases differ.

    ``gains`` are :attr:`.SamplingHasher.gains` of the profile's model; ``freedom`` is the bias in nats, then
    mean and standard deviation of how free the model's texts are.
    """
    parts, profile = watermark.parts, watermark.profile
    known = freedoms_of(profile.tokenizer_sha256, profile.language)
    if parts.evidence.name != "uniform":
        return {}
    if isinstance(parts.hasher, stela.SamplingHasher):
        gains = parts.hasher.gains.get(known.model)
        return {} if gains is None else {"gains": [*gains]}
    if parts.strength.name != "uniform":
        return {}
    return {"freedom": [parts.bias_per_weight, *known.alike]}
