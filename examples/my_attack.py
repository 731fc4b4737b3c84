"""An attack in one file: doubled letters, as fast typists make them."""

# $ stela --plugin my_attack.py run compare.toml  # with "typos" among its attacks

import stela_run
from stela_run.text_rng import draws_of

import stela_core as stela


class Typos(stela_run.Attack):
    """Double one letter in each forty characters."""

    name = "typos"

    def apply(self, texts, circumstances):
        """The texts, changed. The same seed and text give the same typos."""
        return [self.typed(text, draws_of(circumstances.seed, text, self.name)) for text in texts]

    def typed(self, text, rng):
        """One text with its typos."""
        doubled = set(rng.integers(len(text), size=len(text) // 40).tolist()) if text else set()
        return "".join(letter * (2 if at in doubled else 1) for at, letter in enumerate(text))


@stela.hookimpl
def stela_register_attacks():
    """Called by STELA, which makes the attacks available by name."""
    return Typos
