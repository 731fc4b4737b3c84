"""A kind of signal that the core knows nothing of: a die a token. Its law and its mark, in one plugin."""

from dataclasses import dataclass

import numpy as np

import stela_core as stela
from stela_core.api import keyed_seeds, mix

STEPS = 64


@dataclass(frozen=True)
class Die(stela.Law):
    """One draw of 0 to 5, all as likely."""

    draws = "die"
    draw_mean = 2.5
    draw_variance = 35 / 12
    largest = 5.0

    def survival(self, value):
        return min(1.0, max(0.0, (6 - np.ceil(value)) / 6))

    def tail(self, draws, weights, split):
        """Exact, of weights in whole steps: the distribution of their sum, die after die."""
        draws, weights = draws[weights > 0], weights[weights > 0]
        if not len(weights):
            return 1.0
        whole = np.ceil(weights / weights.max() * STEPS).astype(np.int64)
        whole //= np.gcd.reduce(whole)
        chances = np.ones(1)
        for step in whole:
            longer = np.zeros(len(chances) + 5 * step)
            for face in range(6):
                longer[face * step : face * step + len(chances)] += chances / 6
            chances = longer
        return float(min(1.0, max(1e-300, chances[int(whole @ draws) :].sum())))


class Dice(stela.SamplingHasher):
    """Of three tokens of the model, the one with the largest draw."""

    name = "dice"
    key_in_seed = True

    @property
    def law(self):
        return Die()

    def seeds(self, contexts):
        return keyed_seeds(self.key, contexts)

    def draws(self, seeds, tokens):
        return (mix(seeds, tokens) % np.uint32(6)).astype(np.float64)[:, None]

    def mark(self, scores, seeds, vocab_size):
        import torch

        out = torch.full_like(scores, -torch.inf)
        three = torch.multinomial(scores[:, :vocab_size].double().softmax(-1), 3, replacement=True)
        for row, seed in enumerate(seeds):
            drawn = self.draws(np.full(3, seed), three[row].numpy())[:, 0]
            out[row, three[row, int(drawn.argmax())]] = 0.0
        return out


class DiceScheme(stela.SamplingScheme):
    name = "dice"
    hasher = "dice"


@stela.hookimpl
def stela_register_hashers():
    return Dice


@stela.hookimpl
def stela_register_schemes():
    return DiceScheme
