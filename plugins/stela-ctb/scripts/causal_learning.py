"""What the causal networks are taught: to cut and to tag with few characters behind, and with none."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from stela_ctb.shipped import NO_WORD, B, S
from torch import Tensor
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent))
from looking_left import DELAY, CausalNetwork, by_delay
from samples import Batch


def at_delay(scores: Tensor, delay: int) -> Tensor:
    """(n, delays, labels) by place to (n, labels) by character, judged ``delay`` places later.

    Of no meaning for the last ``delay`` characters.
    """
    return torch.roll(scores[:, delay], -delay, 0)


def lasts(inside: Tensor, delay: int) -> Tensor:
    """(n,) whether a text goes on for ``delay`` characters behind each of its characters."""
    goes_on = torch.roll(inside, -delay, 0) > 0
    if delay:
        goes_on[-delay:] = False
    return goes_on & (inside > 0)


def cutting_loss(network: CausalNetwork, batch: Batch, inputs: tuple[Tensor, ...]) -> Tensor:
    """Whether a word begins at each character, at every delay; next to it the label with the word's tag."""
    chars, left, _, inside = inputs
    features = network.features(chars, left, inside)[0]
    begins = by_delay(network.labels(features))
    assert network.side is not None
    side = by_delay(network.side(features))
    tags = torch.cat([batch.tags, batch.tags.new_zeros(1)])[batch.word]
    first = (batch.labels == B) | (batch.labels == S)
    loss = features.new_zeros(())
    for delay in range(DELAY + 1):
        here = lasts(inside[0], delay) & (batch.labels != NO_WORD)
        logits = at_delay(begins, delay)[here]
        loss = loss + functional.cross_entropy(logits, first[here].long())
        both = (tags * 4 + batch.labels)[here]
        loss = loss + 0.5 * functional.cross_entropy(at_delay(side, delay)[here], both)
    return loss / (DELAY + 1)


def tagging_by_word_loss(network: CausalNetwork, batch: Batch, inputs: tuple[Tensor, ...]) -> Tensor:
    """The tag of each word, where the text ends none to ``DELAY`` characters behind it."""
    chars, left, _, inside = inputs
    scores = network(chars, left, inside)[0]
    words = len(batch.tags)
    place = torch.arange(len(batch.word))
    of_word = batch.word < words
    ends = torch.zeros(words + 1, dtype=torch.long).scatter_reduce(0, batch.word, place + 1, "amax")
    # Half of the words with all that a label waits for.
    more = torch.randint(0, 2 * DELAY, (words + 1,)).clamp(max=DELAY)
    seen = (ends + more)[batch.word]
    delays = (seen - 1 - place).clamp(max=DELAY)
    # Where the text ends before, as far as it goes.
    for delay in range(DELAY, 0, -1):
        delays = torch.where((delays == delay) & ~lasts(inside[0], delay), delay - 1, delays)
    judged = (place + delays).clamp(max=len(place) - 1)
    own = scores[judged, delays]
    first = (batch.labels == B) | (batch.labels == S)
    half = own.shape[1] // 2
    own = torch.where(first[:, None], own[:, :half], own[:, half:])[of_word]
    total = own.new_zeros(words, half).index_add(0, batch.word[of_word], own)
    size = torch.bincount(batch.word[of_word], minlength=words).clamp(min=1)
    return functional.cross_entropy(total / size[:, None], batch.tags)
