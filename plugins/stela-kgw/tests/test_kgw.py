import stela_core as stela
from stela_core.api import KeyedHasher
from stela_core.composition import compose, resolve_scheme


def test_parts_and_defaults(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "kgw")
    assert (parts.strength.name, parts.evidence.name) == ("uniform", "uniform")
    assert not parts.needs_contexts
    assert not parts.needs_model_to_detect
    made = compose(parts, {}, KeyedHasher(KeyedHasher.Parameters(), 1), None, "tokens")
    assert made.bias_per_weight == 2.0
    assert made.hasher.gamma == 0.5
