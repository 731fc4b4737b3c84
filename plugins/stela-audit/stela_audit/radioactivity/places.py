"""Which tokens of a suspect model count: each distinct pair once, over all texts together.

Why the p-value is valid. H0: the model never saw text of this key, so its tokens depend on the key only
through what it was given to read. Over random keys, a pair's draw then has the mark's law, whatever the
mark: Bernoulli(gamma) for green lists, Exp(1) for Gumbel marks, and so on. Three rules keep it so.

1. **Each pair once.** A repeated (hash context, token) pair is one draw. A model repeats itself, so without
   this rule p-values are far too small (Sander et al., NeurIPS 2024, section 4; ``v2`` in their code).
2. **Closed form: nothing from prompts.** Prompts may have the mark, and a model repeats what it reads. All
   hash contexts of all prompts are held out. Given the prompts, draws under other contexts are still those
   of a random key, and the model's answers do not depend on them. The test is exact.
3. **Open form: fresh contexts.** A text may have the mark, so what follows a context depends on its draws.
   A place counts only if its context is at no place before, in this text or in those before it. What the
   model has read by then is independent of the draws under a fresh context. So each counted draw has the
   mark's law given all before it. The paper leaves out contexts in the model's window. Earlier texts count
   here, too, since a place in each may depend on the other's draws. Weights may depend on earlier draws, by
   way of the text, so all are 1. What is left: how many places count may depend on draws a little. ``most``
   fixes the number, and where it is reached the test is exact.

Where prompts or texts surely have no mark of this key, rules 2 and 3 are not needed. Nothing that the model
reads then depends on the key. The test is exact given all its tokens, with the scheme's own weights.

Statistic and tail are the core's (``Detector.judge``): a weighted count with the exact tail of independent
coins, an exact sum of exponentials, and whatever else the law of a mark brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import Hasher, StelaError, Watermark
from stela_core.api import Evidence, TokenBytes

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Places(NamedTuple):
    """Tokens that may count, in reading order: of one text, or of several after each other."""

    contexts: Ids
    """Hash context of each, (n, context width)."""
    tokens: Ids
    """Ids, (n,)."""
    weights: Floats
    """Weights, at least 0, (n,)."""

    def only(self, keep: Flags) -> Places:
        """Places that are kept, by flags (n,)."""
        return Places(self.contexts[keep], self.tokens[keep], self.weights[keep])

    @classmethod
    def pooled(cls, texts: Sequence[Places]) -> Places:
        """Places of several texts, at least one."""
        return cls(*(np.concatenate(column) for column in zip(*texts, strict=True)))


def require_traceable(watermark: Watermark, unmarked: bool) -> None:
    """Find out whether there is a valid p-value for this mark.

    Args:
        watermark: the profile's.
        unmarked: prompts or texts are known to have no mark of this key.

    Raises:
        StelaError: saying in one line why there is none.
    """
    parts, scheme = watermark.parts, watermark.profile.scheme.name
    if parts.needs_model_to_detect:
        raise StelaError(
            f'scheme "{scheme}" weighs tokens by the logits of the model that marks: '
            "tokens of another model have no valid p-value.",
            "trace text of a scheme that detects without a model, such as kgw or stela",
        )
    if parts.encoder is not None:
        raise StelaError(
            "the profile's marks carry messages: tokens of many texts have no message in common.",
            "trace text of a profile without bits",
        )
    if parts.scorer.reads_ids:
        raise StelaError(
            f'scheme "{scheme}" aligns a whole text with its key: separate tokens have no p-value.',
            "trace text of a scheme with hash contexts, such as kgw, stela or gumbel",
        )
    if not unmarked and (parts.hasher.context_width == 0 or parts.hasher.coins_hold_token):
        raise StelaError(
            f'the draws of scheme "{scheme}" are shared by all contexts: '
            "what the model only repeats cannot be held out.",
            "take prompts or texts that surely have no mark of this key, and add --unmarked",
        )


def places_of(
    watermark: Watermark, rows: Sequence[Ids], positions: Sequence[npt.NDArray[np.intp]] | None = None
) -> list[Places]:
    """The places of texts that the detector would score, with the texts' tokens.

    Args:
        watermark: the profile's.
        rows: token ids of each text, (tokens,).
        positions: of the places; then all weights are 1. By default the detector's, with
            the scheme's weights.
    """
    parts, rows = watermark.parts, list(rows)
    if positions is None:
        raw = watermark.detector.raw_weights(rows, None, None, {"": parts.evidence})[""]
        positions = [at for at, _ in raw]
        weights = [parts.evidence.over_text(values) for _, values in raw]
    else:
        weights = [np.ones(len(at)) for at in positions]
    return [
        Places(parts.hasher.contexts(ids, at), ids[at], weighed)
        for ids, at, weighed in zip(rows, positions, weights, strict=True)
    ]


def counted(
    mark: Hasher[Any], places: Places, held: Ids | None = None, fresh: bool = False, most: int | None = None
) -> Flags:
    """Whether each of n places counts, (n,).

    Args:
        mark: with its key; which places count depends on no draw of it.
        places: of all texts, in reading order.
        held: contexts that do not count, (m, context width).
        fresh: count only the first place of each context.
        most: number of places that count at most, the first ones.
    """
    n = len(places.tokens)
    seeds = mark.seeds(places.contexts)
    keep = np.ones(n, dtype=np.bool_)
    # Contexts of one seed have the same draws, so that they are one context here.
    if held is not None:
        numbers = _numbers(np.concatenate([seeds, mark.seeds(held)]))
        keep = ~np.isin(numbers[:n], numbers[n:])
    if fresh:
        keep &= _first(_numbers(seeds))
    left = np.flatnonzero(keep)
    free = mark.independent(seeds[left], places.tokens[left])
    left = left if free is None else left[free]
    left = left[_first(mark.groups(seeds[left], places.tokens[left]))][:most]
    keep[:] = False
    keep[left] = True
    return keep


def evidence_of(mark: Hasher[Any], places: Places, tokens: TokenBytes) -> Evidence:
    """What the detector judges: these places in a row, each behind its context, and each a group.

    Args:
        mark: with its key.
        places: those that count, no pair twice.
        tokens: bytes of the token ids.
    """
    count, width = places.contexts.shape
    green, draws = mark.colours(mark.seeds(places.contexts), places.tokens)
    return Evidence(
        ids=np.concatenate([places.contexts, places.tokens[:, None]], axis=1).ravel().tolist(),
        positions=np.arange(width, count * (width + 1), width + 1, dtype=np.intp),
        green=green,
        weights=places.weights,
        groups=np.arange(count, dtype=np.int64),
        contexts=(),
        token_bytes=tokens,
        law=mark.law,
        draws=draws,
    )


def _numbers(seeds: npt.NDArray[np.uint64]) -> Ids:
    """Numbers of distinct seeds, (n,) or (n, words), -> (n,)."""
    axis = None if seeds.ndim == 1 else 0
    return np.unique(seeds, return_inverse=True, axis=axis)[1].reshape(-1)


def _first(numbers: Ids) -> Flags:
    """Whether each of n numbers is there for the first time, (n,)."""
    first = np.zeros(len(numbers), dtype=np.bool_)
    first[np.unique(numbers, return_index=True)[1]] = True
    return first
