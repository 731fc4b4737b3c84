"""A weighting, and so a scheme, in one file: what follows a determiner or an adjective gets twice the mark."""

# $ stela --plugin my_scheme.py profile new --scheme free-nouns --tagger penn --model tiny --public-key -o mine.stela

import numpy as np

import stela_core as stela


class FreeNouns(stela.Weighting):
    """A noun is chosen freely among many; a preposition among few."""

    name = "free-nouns"
    needs = frozenset({"contexts"})

    def weights(self, positions):
        """One weight for each position, from the part of speech of the word before it."""
        last = [context[-1] if context else "" for context in positions.contexts]
        return np.array([2.0 if tag.startswith(("DT", "J")) else 1.0 for tag in last])

    def mean(self, calibration):
        """The weight expected over a text: the mean bias is then delta."""
        return 1.2


@stela.hookimpl
def stela_register_weightings():
    """Called by STELA, which makes the weightings available by name."""
    return FreeNouns
