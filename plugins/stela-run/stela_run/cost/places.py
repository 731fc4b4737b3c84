"""Sampled positions of marked texts, with the model's logits there, and what a mark costs at one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from stela_models.generation.generate import Generated, end_ids
from stela_models.logits import ModelLogits
from stela_models.threads import on_threads

from stela_core import GreenList, Watermark
from stela_core.api import LanguageModel
from stela_run.cost.value import Cost
from stela_run.plan.keys import message_of

if TYPE_CHECKING:
    import torch

FEW = 1 << 20
"""Marked logits for which one thread is faster: two wait for each other at the end of each operation.
With 32 keys of 8,192 ids on two busy cores a position takes 6 ms of CPU on one thread, 70 ms on two."""

CELLS = 1 << 23
"""Marked logits made at once (keys times vocabulary): 32 MiB in float32, and a few times that at work."""


class Place(NamedTuple):
    """Position at which a token of a text was drawn."""

    text: int
    """Number of the text."""
    ids: list[int]
    """Ids generated before it, prompt left out."""
    logits: torch.Tensor
    """The model's, (width,), without temperature; ids that end a text are ruled out, as experiments do."""


def places_of(
    language_model: LanguageModel, texts: Sequence[Generated], length: int, count: int, seed: int
) -> Iterator[Place]:
    """Positions drawn without replacement from each text's first ``length`` tokens, ``count`` or all.

    Args:
        language_model: the one that wrote the texts; each is read once.
        texts: with prompts and ids; those without ids have no place.
        length: tokens of a text that count.
        count: positions of each text.
        seed: of the draws.

    Yields:
        those of one text after each other, ascending.
    """
    model, tokenizer = language_model
    ends = sorted(end_ids(model))
    ids = [np.asarray(one.token_ids, dtype=np.int64) for one in texts]
    positions = []
    for number, row in enumerate(ids):
        most = min(length, len(row))
        drawn = np.random.default_rng([seed, number]).choice(most, min(count, most), replace=False)
        positions.append(np.sort(drawn).astype(np.intp))
    logits = ModelLogits(model, tokenizer)
    for chunk in logits.chunks(ids, positions, logits.prefixes([one.prompt for one in texts], len(texts))):
        at = positions[chunk.text][chunk.start : chunk.stop]
        for position, row in zip(at.tolist(), chunk.logits, strict=True):
            own = row.detach().float().clone()
            own[ends] = float("-inf")
            yield Place(chunk.text, ids[chunk.text][:position].tolist(), own)


def keys_for(watermark: Watermark, count: int, seed: int, text: int) -> list[int]:
    """Keys of the mark, drawn by seed and number of the text."""
    hasher = watermark.parts.hasher
    draws = np.random.default_rng([seed, text, 1])
    words = type(hasher).key_words(hasher.parameters)
    return [int.from_bytes(draws.bytes(8 * words), "big") for _ in range(count)]


def bias_at(watermark: Watermark, place: Place, keys: Sequence[int]) -> float:
    """Bias on the green logits of a position (nats), the mean over keys; 0 where nothing is marked."""
    marker = watermark.marker(keys=keys)
    rows = [place.ids] * len(keys)
    biases = marker.step(rows, place.logits.expand(len(keys), -1).contiguous()).biases
    return sum(biases) / len(biases)


def reads_no_logits(watermark: Watermark) -> bool:
    """Whether the bias follows from the text: not from the model's logits, nor from a key's colours."""
    return not watermark.parts.strength.needs & {"logits", "green"}


def mean_bias_along(watermark: Watermark, texts: Sequence[Sequence[int]]) -> float:
    """Mean bias over all tokens of texts of ids (nats), where the mark :func:`reads_no_logits`."""
    marker = watermark.marker()
    rows = [list(ids[:end]) for ids in texts for end in range(len(ids))]
    return sum(marker.step(rows).biases) / max(1, len(rows)) if rows else 0.0


def cost_at(watermark: Watermark, place: Place, temperature: float, keys: Sequence[int]) -> Cost:
    """What the mark costs at a position, over keys that know nothing of the text.

    Where it carries a message, each key has another one.

    Args:
        watermark: its key does not matter.
        place: the position.
        temperature: above 0.
        keys: at least 2.
    """
    import torch

    few = len(keys) * len(place.logits) <= FEW
    with on_threads(1 if few else torch.get_num_threads()):
        return _cost_at(watermark, place, temperature, keys)


def _cost_at(watermark: Watermark, place: Place, temperature: float, keys: Sequence[int]) -> Cost:
    from stela_run.cost.keyed_laws import KeyedLaws, pools_of  # torch, which planning does without

    hasher = watermark.parts.hasher
    plain = place.logits / temperature
    if isinstance(hasher, GreenList):
        laws = KeyedLaws(plain, gamma=hasher.gamma)
    else:
        laws = KeyedLaws(plain, pools_of(plain, len(keys)))
    for some in marked_at(watermark, place, temperature, keys):
        laws.add(some.scores, some.green)
    return laws.cost() if laws.keys else Cost()


class MarkedPlace(NamedTuple):
    """What a mark makes of a position under some keys."""

    scores: torch.Tensor
    """Final logits, temperature included, (keys, width)."""
    green: torch.Tensor | None
    """Which ids are green, (keys, width); ``None`` of a mark that chooses tokens."""
    biases: list[float]
    """Bias under each key, in nats."""


def marked_at(
    watermark: Watermark, place: Place, temperature: float, keys: Sequence[int]
) -> Iterator[MarkedPlace]:
    """The marked distributions of a position, some keys at a time; nothing where it is not marked.

    Where the mark carries a message, each key has another one.
    """
    samples = watermark.parts.hasher.samples
    # Bias comes before the temperature, a choice after it.
    shown = place.logits / temperature if samples else place.logits
    carried = watermark.profile.message
    messages = None if carried is None else [message_of(key, "", carried.bits) for key in keys]
    at_once = max(1, CELLS // len(shown))
    for start in range(0, len(keys), at_once):
        some = keys[start : start + at_once]
        own = None if messages is None else messages[start : start + at_once]
        marker = watermark.marker(keys=some, message=own)
        scores, rows = shown.expand(len(some), -1).contiguous(), [place.ids] * len(some)
        step = marker.step(rows, scores)
        if not step.marks:
            return
        # A bias may be 0, or weigh itself by the green list: the list is what a bias of 1 raises.
        raised = None if samples else step._replace(biases=[1.0] * len(some), splits=())
        green = None if raised is None else marker.apply(raised, scores) > scores
        marked = marker.apply(step, scores)
        yield MarkedPlace(marked if samples else marked / temperature, green, step.biases)
