"""The keys of an experiment, all from its seed: one for each text, or one for all texts of a seed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from stela_run.plan.plan import Cell
from stela_run.plan.schema import Experiment, KeyPer


def key_of(seed: int, number: int = 0, owner: str = "") -> int:
    """The 64-bit key of a seed; numbers from 1 on are further keys, for unmarked texts.

    Args:
        seed: of the cell.
        number: 0 for the mark's own key.
        owner: the prompt whose texts have this key; nothing where all texts of the seed share it.
    """
    source = f"stela experiment {seed} {number}{' ' if owner else ''}{owner}"
    digest = hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def message_of(key: int, prompt: str, bits: int) -> int:
    """The message that the text after a prompt carries, marked under a key."""
    source = f"stela experiment message {key} {prompt}"
    digest = hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 64 - bits


@dataclass(frozen=True)
class Keys:
    """The keys of one cell.

    With a key for each text no figure rests on one key, and drawing prompts anew draws keys anew. The texts
    of one prompt have the same keys under every scheme, so that they can be paired.
    """

    seed: int
    per: KeyPer
    count: int = 1
    """Number of keys under which an unmarked text is tested, the mark's own among them."""

    @classmethod
    def of_cell(cls, cell: Cell, experiment: Experiment) -> Keys:
        """The keys of a cell of an experiment."""
        return cls(cell.seed, experiment.key_per or "text", experiment.keys)

    def of(self, prompt: str) -> int:
        """The key that the text after a prompt is marked under."""
        return key_of(self.seed, 0, self._owner(prompt))

    def all_of(self, prompt: str) -> list[int]:
        """The keys that an unmarked text is tested under: first the one a marked text there would have."""
        return [key_of(self.seed, number, self._owner(prompt)) for number in range(self.count)]

    def _owner(self, prompt: str) -> str:
        return prompt if self.per == "text" else ""
