"""The parts of one watermark, resolved once: what both insertion and detection run on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pydantic import create_model

from stela_core.catalogue import published
from stela_core.errors import StelaError
from stela_core.interfaces import (
    Calibration,
    Encoder,
    Hasher,
    Positions,
    SamplingScheme,
    Scheme,
    SchemeParameters,
    Scorer,
    Weighting,
)
from stela_core.parameters import P, Parameters, parse_parameters
from stela_core.registry.components import Registry

FEW = 64
"""Weights that are compared one by one, which is faster than numpy's two passes."""

if TYPE_CHECKING:
    from stela_core.interfaces import Table


@dataclass(frozen=True)
class SchemeParts:
    """The classes a scheme names, and one model for the parameters of all of them."""

    scheme: type[Scheme]
    strength: type[Weighting]
    evidence: type[Weighting]
    scorer: type[Scorer]
    parameters: type[Parameters]

    @property
    def needs_contexts(self) -> bool:
        """Whether it needs a tagger."""
        return "contexts" in self.strength.needs | self.evidence.needs

    @property
    def uses_table(self) -> bool:
        """Whether it needs a table."""
        return self.table_reader is not None

    @property
    def table_reader(self) -> type[Weighting] | None:
        """The weighting that reads the table, if one does: the other one gets what it read."""
        return next((one for one in (self.strength, self.evidence) if one.uses_table), None)

    @property
    def needs_model_to_detect(self) -> bool:
        """Whether its detection needs the language model's logits."""
        return "logits" in self.evidence.needs

    def hasher_names(self, registry: Registry, hasher: str | None = None) -> frozenset[str]:
        """Names of the parameters that only the hasher has: no option is for them, no other part has them.

        Args:
            registry: where the hasher is looked up.
            hasher: another one than the scheme's.
        """
        fields = registry.get(Hasher, hasher or self.scheme.hasher).Parameters.model_fields
        return frozenset(fields) - {"gamma", "context_width"} - frozenset(self.parameters.model_fields)


def resolve_scheme(registry: Registry, name: str) -> SchemeParts:
    """The parts of a registered scheme; a weighting's name is a scheme with it on both sides.

    ``A+B`` inserts as A does and weighs the evidence as B does (``kgw+ewd``): A and B are schemes or
    weightings.

    Raises:
        StelaError: no such scheme, or one of its parts is not installed.
    """
    inserted, plus, weighed = name.partition("+")
    scheme = _scheme_or_weighting(registry, inserted)
    if plus:
        evidence_of = _scheme_or_weighting(registry, weighed).evidence
        scheme = type(name, (scheme,), {"name": name, "evidence": evidence_of})
    strength = registry.get(Weighting, scheme.strength)
    evidence = registry.get(Weighting, scheme.evidence)
    scorer = registry.get(Scorer, scheme.scorer)
    models = dict.fromkeys(part.Parameters for part in (scheme, strength, evidence, scorer))
    bases = tuple(m for m in models if not any(m is not other and issubclass(other, m) for other in models))
    merged: type[Parameters] = create_model(f"{name}Parameters", __base__=bases)
    return SchemeParts(scheme, strength, evidence, scorer, merged)


def recommended_scheme(registry: Registry) -> type[Scheme]:
    """The scheme of whoever names none: the one that says so, this project's before others.

    Raises:
        StelaError: none is installed that says so, or only several of others.
    """
    ours = published().recommended["scheme"]
    schemes = [registry.get(Scheme, name) for name in registry.names(Scheme)]
    those = [scheme for scheme in schemes if scheme.recommended]
    chosen = [scheme for scheme in those if scheme.name == ours] or those
    if len(chosen) == 1:
        return chosen[0]
    installed = f"add --scheme NAME; installed are: {', '.join(registry.names(Scheme))}"
    if chosen:
        names = ", ".join(scheme.name for scheme in chosen)
        raise StelaError(f"no scheme is named, and several are recommended: {names}.", installed)
    raise StelaError(
        f'no scheme is named, and the recommended one, "{ours}", is not installed.',
        f"pip install {published().distribution_of(Scheme.kind, ours)}; or {installed}",
    )


def with_recommended_evidence(registry: Registry, scheme: type[Scheme], language: str | None) -> str:
    """The scheme's name; with ``+`` its recommended evidence, where that has a table for the language."""
    weighting = scheme.recommended_evidence
    try:
        table = weighting and language and registry.get(Weighting, weighting).own_table(language, None, None)
    except StelaError:  # it is not installed, or has none for the language
        table = None
    return f"{scheme.name}+{weighting}" if table else scheme.name


def _scheme_or_weighting(registry: Registry, name: str) -> type[Scheme]:
    if not registry.has(Scheme, name) and registry.has(Weighting, name):
        return type(name, (Scheme,), {"name": name, "strength": name, "evidence": name})
    return registry.get(Scheme, name)


@dataclass(frozen=True)
class Composition:
    """A watermark ready to run: hasher with its key, two weightings, scorer and strength."""

    hasher: Hasher
    strength: Weighting
    evidence: Weighting
    scorer: Scorer
    delta: float
    """1 where the strength weighting gives the bias itself."""
    mean_strength: float
    """Expected strength weight on human text; the bias is ``delta / mean_strength * weight``."""
    encoder: Encoder | None = None
    """Encoder that puts a message into the mark and reads it; ``None`` where the mark carries none."""

    @property
    def needs_model_to_detect(self) -> bool:
        """Whether its detection needs the language model's logits."""
        return "logits" in self.evidence.needs

    @property
    def bias_per_weight(self) -> float:
        """Bias (nats) on green tokens where the strength weight is 1; 0 where the mark chooses tokens."""
        return 0.0 if self.hasher.samples else self.delta / self.mean_strength

    def under(self, key: int) -> Composition:
        """The same parts under another key."""
        return replace(self, hasher=self.hasher.under(key))


def compose(
    parts: SchemeParts,
    parameters: Mapping[str, Any],
    hasher: Hasher,
    table: Table | None,
    calibration: Calibration,
) -> Composition:
    """Construct a scheme's parts.

    Raises:
        StelaError: a parameter is wrong, the table is missing or of the wrong kind, the mean weight by
            which delta is divided is 0, or the evidence would depend on the key (invariant 4).
    """
    owner = f'scheme "{parts.scheme.name}"'
    if "green" in parts.evidence.needs:
        raise StelaError(
            f'{owner}: weighting "{parts.evidence.name}" looks at the green list, so it cannot weigh '
            "evidence: a detection weight never depends on the key.",
            "use it only for strength, with another evidence, such as uniform",
        )
    if "token" in parts.strength.needs:
        raise StelaError(
            f'{owner}: weighting "{parts.strength.name}" looks at the token itself, which is not chosen yet '
            "when a mark is made.",
            f"use it only for evidence, such as kgw+{parts.strength.name}",
        )
    if hasher.samples != issubclass(parts.scheme, SamplingScheme):
        does = "chooses tokens" if hasher.samples else "splits the vocabulary"
        raise StelaError(
            f'{owner} does not go together with hasher "{type(hasher).name}", which {does}.',
            "a stela.SamplingHasher goes with a stela.SamplingScheme, and a stela.GreenList with any other",
        )
    values = parse_parameters(parts.parameters, parameters, owner)
    for weighting in (parts.strength, parts.evidence):
        if weighting.uses_table:
            if table is None:
                raise StelaError(
                    f'{owner}: weighting "{weighting.name}" reads a table, and there is none.',
                    "get the profile again, or make one with stela profile new --lambda TABLE",
                )
            weighting.check_table(table)
    strength = parts.strength(_own(parts.strength.Parameters, values), table)
    evidence = parts.evidence(_own(parts.evidence.Parameters, values), table)
    scorer = parts.scorer(_own(parts.scorer.Parameters, values))
    if parts.scheme.weights_are_biases:
        return Composition(hasher, strength, evidence, scorer, delta=1.0, mean_strength=1.0)
    mean = strength.mean(calibration)
    if not mean > 0:
        raise StelaError(
            f"{owner}: its weights have mean {mean} on the table's corpora, so no delta gives a mark.",
            "build the table from more text, or let the weighting's mean be above 0",
        )
    return Composition(hasher, strength, evidence, scorer, _own(SchemeParameters, values).delta, mean)


def checked_weights(weighting: Weighting, positions: Positions) -> npt.NDArray[np.float64]:
    """``weighting.weights`` with what it returns checked: shape (n,), finite, not negative.

    Raises:
        StelaError: the weighting breaks its contract.
    """
    return _checked(weighting, weighting.weights(positions), positions.count)


def checked_over_text(weighting: Weighting, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """``weighting.over_text`` with what it returns checked, as :func:`checked_weights` does."""
    return _checked(weighting, weighting.over_text(weights), len(weights))


def _checked(weighting: Weighting, values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    weights = np.asarray(values, dtype=np.float64)
    name = type(weighting).name
    if weights.shape != (count,):
        raise StelaError(
            f'weighting "{name}" gave weights of shape {weights.shape} for {count} positions.',
            "return one weight for each position",
        )
    # All comparisons are false for NaN.
    if len(weights) <= FEW:  # the rows of a step, mostly
        fit = all(0 <= weight < math.inf for weight in weights.tolist())
    else:
        fit = bool(weights.min() >= 0 and weights.max() < np.inf)
    if not fit:
        raise StelaError(
            f'weighting "{name}" gave a weight that is negative or not finite.', "return numbers >= 0"
        )
    return weights


def _own(model: type[P], values: Parameters) -> P:
    """One component's share of the merged parameters."""
    return model.model_validate({name: getattr(values, name) for name in model.model_fields})
