"""No number in a stranger's profile makes a text look marked beyond what trying keys does.

A p-value is over random keys. If it holds for each value of a parameter, then whoever tries N values gets
p <= a / N with probability a at most, as if he had tried N keys: the caveat of a stranger's profile says so.
Each parameter must be one of these: tried value by value, charged (:attr:`.Hasher.log_choices`), bounded, or
not read by detection.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel
from stela_kernels.philox import textseal_hash

import stela_core as stela
from stela_core.interfaces import Hasher, Scheme
from stela_core.profile.provenance import Provenance
from stela_core.profile.schema import HasherPart, MessagePart, Profile, SchemePart, TaggerPart
from tests.strangers.chosen_layers import profile_of

TRIED = "each value has a law of its own, which holds over keys"
UNREAD = "detection does not read it"
CHARGED = "p-values are times the number of what it may name"
STRICT = "require_strict bounds it"
TRUSTED = "without trust, the p-value without it decides, too"
SAID = "verdicts do not depend on it"
LISTED = "its parameters are listed here one by one"

FIELDS: dict[type[BaseModel], dict[str, str]] = {
    Profile: {
        "format": SAID, "created_with": SAID, "language": SAID, "scheme": LISTED, "hasher": LISTED,
        "tagger": LISTED, "k": TRIED, "window": TRIED, "calibration": UNREAD, "tokenizer_sha256": CHARGED,
        "table_sha256": TRUSTED, "vocab_size": TRIED, "min_tokens": STRICT, "alpha": STRICT,
        "null_check": SAID, "further_null_checks": SAID, "message": LISTED, "requires": SAID,
    },
    SchemePart: {"name": TRIED, "parameters": LISTED},
    HasherPart: {
        "name": TRIED, "gamma": TRIED, "context_width": TRIED, "key_id": SAID, "key": TRIED,
        "parameters": LISTED, "device": UNREAD, "salt": SAID, "earlier_keys": CHARGED, "since": TRIED,
        "until": TRIED, "published": SAID,
    },
    TaggerPart: {"name": TRIED, "model": TRIED, "version": SAID, "fingerprint": SAID},
    MessagePart: {"code": TRIED, "bits": CHARGED, "parameters": LISTED},
}  # fmt: skip
"""Of the profile itself."""

GAINS = ("divergence", "kgw_delta", "surprisal", "temperature")

PARAMETERS: dict[str, dict[str, dict[str, str]]] = {
    "hasher": {
        "coupling": {"once": TRIED, "lowering": UNREAD},
        "exp": {"key_length": TRIED},
        "exp-its": {"key_length": TRIED},
        "gumbel": {"once": TRIED},
        "gumbel-sglang": {"mixing_probability": CHARGED, "max_probability": UNREAD},
        "gumbel-textseal": {"scoring_method": UNREAD},
        "gumbel-textseal-dual": {"scoring_method": UNREAD, "mixing_alpha": TRIED, "own_b": CHARGED},
        "gumbel-vllm": {"deduplicate_contexts": TRIED},
        "gumbel-vllm-dual": {"deduplicate_contexts": TRIED, "alpha": TRIED},
        "interop-lefthash": {"vocab_size": TRIED},
        "interop-markllm": {"vocab_size": TRIED, "f_scheme": TRIED},
        "interop-red-green": {"deduplicate_contexts": TRIED},
        "interop-sbw": {"scheme": TRIED, "unread": TRIED, "candidates": UNREAD, "once": TRIED},
        "interop-selfhash": {"vocab_size": TRIED, "table_seed": TRIED, "candidates": UNREAD},
        "interop-textseal": {"scoring_method": UNREAD},
        "lsh": {"bits": TRIED, "embedding": CHARGED, "sha256": CHARGED, "model": CHARGED},
        "pf": {"once": TRIED},
        "sir": {"network": CHARGED, "sha256": CHARGED},
        "synthid": {
            "depth": TRIED, "derived": CHARGED, "layers": TRIED, "leaves": UNREAD, "table_seed": TRIED,
            "table_size": TRIED, "skip_first": TRIED,
        },
        "synthid-textseal": {"depth": TRIED, "stride": TRIED, "layers": TRIED, "scoring_method": UNREAD},
        "synthid-vllm": {"depth": TRIED, "layers": TRIED, "deduplicate_contexts": TRIED},
        "textgrain": {"budget": UNREAD, "blocks": TRIED, "columns": TRIED},
        "unbiased-dip": {"separator": TRIED, "alpha": UNREAD},
        "unbiased-gamma": {"separator": TRIED, "strength": UNREAD},
        "watme": {"clusters": CHARGED, "sha256": CHARGED},
    },
    "scheme": {},
    "weighting": {
        "ewd": {"delta": TRIED, "bos": TRIED},
        "ewd-gain": {"delta": TRIED, "temperature": TRIED},
        "ewd-gumbel-gain": {"temperature": TRIED},
        "ewd-gumbel-likelihood": {"temperature": TRIED},
        "ewd-likelihood": {"delta": TRIED, "temperature": TRIED},
        "ewd-synthid-gain": {"temperature": TRIED, "depth": TRIED},
        "ewd-synthid-likelihood": {"temperature": TRIED, "depth": TRIED},
        **dict.fromkeys(["gain-tags", "gain-text"], dict.fromkeys(GAINS, TRIED)),
        **dict.fromkeys(["gain-tags-strength", "gain-text-strength"], dict.fromkeys(GAINS, UNREAD)),
        "morphmark": {"form": UNREAD, "k": UNREAD, "p0": UNREAD},
        "sweet": {"threshold": TRIED, "bos": TRIED},
    },
    "scorer": {
        "exp-align": {"block": TRIED, "longest": TRIED, "resamples": TRIED},
        "exp-edit": {"block": TRIED, "longest": TRIED, "resamples": TRIED, "edit_cost": TRIED},
        "exp-scan": {"block": CHARGED},
    },
    "encoder": {"payload": {"most_error": STRICT, "permutation": SAID, "n": TRIED, "k": SAID}},
    "tagger": {
        "ctb": {"model": TRIED, "threads": UNREAD},
        "penn": {"model": TRIED},
        "sejong": {"model": TRIED, "threads": UNREAD},
        "ud-spacy": {"model": TRIED},
        "ud-stanza": {"model": TRIED},
    },
}  # fmt: skip
"""Of components, beside those in :data:`COMMON`."""

COMMON = {
    "hasher": {"context_width", "gamma"},
    "scheme": {"delta"},
    "scorer": {"repeats", "ties"},
    "encoder": {"bits"},
}
"""Width and gamma, and how repeats and ties count, are tried; delta is not read, bits are charged."""

EXTREMES: dict[str, tuple[dict[str, object], ...]] = {
    "coupling": ({"once": False, "context_width": 0},),
    "exp": ({"key_length": 1}, {"key_length": 3}),
    "exp-its": ({"key_length": 2},),
    "gumbel": ({"once": False, "context_width": 0},),
    "gumbel-vllm-dual": ({"alpha": 1e-300}, {"alpha": 0.999999, "context_width": 1}),
    "keyed": ({"gamma": 1e-9}, {"gamma": 1e-3}, {"gamma": 1 - 1e-9}),
    "lsh": ({"bits": 1, "context_width": 64}, {"gamma": 1e-3}),
    "pf": ({"once": False, "context_width": 0},),
    "synthid": ({"depth": 1, "table_size": 4096}, {"depth": 64, "table_size": 4096}),
    "textgrain": ({"blocks": 2, "columns": 2, "context_width": 1},),
    "unbiased-dip": ({"separator": 0.001}, {"separator": 0.999}),
    "unigram": ({"gamma": 0.01},),
    "watme": ({"clusters": "tiny", "gamma": 0.05},),
}
"""Values at the ends of their ranges, where a law is most likely to be wrong."""

KEYS = 40
SMOOTH = {
    "interop-sbw": "its top three bits hardly turn; 400 steps reach no further than 400 keys",
    "interop-lefthash": "2**32 keys in all",
    "interop-markllm": "2**32 keys in all",
    "interop-selfhash": "each list takes a permutation, which is too slow here",
}
"""Hashers whose keys are not looked at bit by bit, and why."""


@pytest.mark.parametrize("part", FIELDS)
def test_every_field_of_a_profile_is_accounted_for(part: type[BaseModel]) -> None:
    assert set(FIELDS[part]) == set(part.model_fields)


@pytest.mark.slow
def test_every_parameter_of_a_component_is_accounted_for(registry: stela.Registry) -> None:
    """Whoever adds one says here what keeps a stranger from choosing it for a text."""
    kinds: dict[str, type[stela.Component]] = {
        "hasher": Hasher, "scheme": Scheme, "weighting": stela.Weighting, "scorer": stela.Scorer,
        "encoder": stela.Encoder, "tagger": stela.Tagger,
    }  # fmt: skip
    wrong = []
    for kind, interface in kinds.items():
        for name in registry.names(interface):
            fields = registry.get(interface, name).Parameters.model_fields
            found = set(fields) - COMMON.get(kind, set())
            if found != set(PARAMETERS[kind].get(name, {})):
                wrong.append(f'{kind} "{name}": {sorted(found)}')
    assert not wrong


def bound(registry: stela.Registry, base: stela.Watermark, name: str, **own: object) -> Hasher[Any]:
    """A hasher, bound to the embedded model's tokenizer."""
    cls = registry.get(Hasher, name)
    if "vocab_size" in cls.Parameters.model_fields:
        own = {"vocab_size": base.profile.vocab_size, **own}
    parameters = cls.Parameters.model_validate(own)
    made = cls(parameters, Random(name).getrandbits(64 * cls.key_words(parameters)))
    made.bind(base.tokens)
    return made


@pytest.fixture(scope="module")
def bases(registry: stela.Registry) -> dict[bool, stela.Watermark]:
    """A mark that chooses tokens, and one that splits the vocabulary."""
    return {
        samples: stela.Watermark(profile_of(registry, scheme, 1), None, registry)
        for samples, scheme in ((True, "gumbel"), (False, "kgw"))
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", EXTREMES)
def test_p_values_hold_at_the_ends(
    registry: stela.Registry, bases: dict[bool, stela.Watermark], declaration: str, name: str
) -> None:
    """A level is reached as often as it says, over keys: trying values is then no better than trying keys."""
    base = bases[registry.get(Hasher, name).samples]
    ids, draws = base.detector.ids_of([declaration]), Random(name)
    for own in EXTREMES[name]:
        mark = bound(registry, base, name, **own)
        p_values = []
        for _ in range(KEYS):
            parts = replace(base.parts, hasher=mark.under(draws.getrandbits(64)))
            detector = base.detector.with_composition(parts)
            p_values += [detector.judge(one).p_value for one in detector.evidence(ids)]
        for level in (0.01, 0.1):
            assert sum(p <= level for p in p_values) <= KEYS * level + 4 * (KEYS * level) ** 0.5, (own, level)


@pytest.mark.slow
def test_no_bit_of_a_key_can_be_chosen_by_itself(
    registry: stela.Registry, bases: dict[bool, stela.Watermark]
) -> None:
    """Keys that differ in one bit draw signals that have nothing in common, or every key is charged."""
    draws = np.random.default_rng(0)
    wrong: dict[str, float] = {}
    for name in sorted(set(registry.names(Hasher)) - set(SMOOTH)):
        mark = bound(registry, bases[False], name)
        if mark.log_choices > 0 or mark.key >> 64:
            continue
        contexts = draws.integers(0, 8192, (500, mark.context_width))
        tokens = draws.integers(0, 8192, 500)
        keys = [mark.key, *(mark.key ^ 1 << bit for bit in (*range(0, 56, 8), *range(56, 64)))]
        found = [one.law.signal(one.draws(one.seeds(contexts), tokens)) for one in map(mark.under, keys)]
        largest = np.abs(np.corrcoef(found)[0, 1:]).max()
        if largest > 0.25:
            wrong[name] = float(largest)
    assert not wrong


def test_a_key_that_can_be_fitted_step_by_step_is_charged(
    registry: stela.Registry, bases: dict[bool, stela.Watermark], declaration: str
) -> None:
    """TextSeal's hash is nearly linear: a small step of the key changes every draw a little."""
    base, whole = bases[True], 1 << 64
    mark = bound(registry, base, "gumbel-textseal")
    draws, inverse = np.random.default_rng(0), pow(int(textseal_hash.key_part(1)), -1, whole)
    contexts, tokens = draws.integers(0, 8192, (500, 1)), draws.integers(0, 8192, 500)
    keys = [mark.key, *((mark.key + inverse * (1 << bit)) % whole for bit in range(64))]
    found = [one.draws(one.seeds(contexts), tokens)[:, 0] for one in map(mark.under, keys)]
    assert np.corrcoef(found)[0, 1:].max() > 0.9
    detector = base.detector.with_composition(replace(base.parts, hasher=mark))
    detector.provenance = Provenance("made by someone else", foreign_key=True)
    [evidence] = detector.evidence(base.detector.ids_of([declaration]))
    judged = detector.judge(evidence)
    assert judged.p_chosen == min(1, judged.p_value * 2.0**64) == 1
    assert textseal_hash.CHOSEN in (judged.caveat or "")
