"""What the metrics have in common: each marked text is compared with the reference texts after its prompt."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeVar

import stela_run
from stela_run.intervals import mean_value

import stela_core as stela
from stela_core.api import require

P = TypeVar("P", bound=stela.Parameters)

Pair = tuple[str, Sequence[str]]
"""A text and its references, at least one."""

PIP = '"stela-metrics[reference]"'
"""What installs the libraries of these metrics."""

BY_CHARACTER = frozenset({"zh", "yue", "wuu", "ja", "ko", "th", "lo", "km", "my"})
"""Languages that write no spaces between words, and Korean, whose words take many endings."""


def counts_characters(language: str) -> bool:
    """Whether words of a language (ISO 639 code) are its characters."""
    return language.replace("_", "-").split("-")[0].lower() in BY_CHARACTER


class AgainstReferences(stela_run.Metric[P]):
    """Scores of each marked text against the reference texts after its prompt."""

    library: ClassVar[str]
    """The library that scores."""

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the library.

        Raises:
            MissingLibraryError: it is not installed.
        """
        require(self.library, f'metric "{self.name}"', PIP)

    @abstractmethod
    def scores(self, pairs: Sequence[Pair], sample: stela_run.Sample) -> Mapping[str, Sequence[float]]:
        """Scores by the name of their value, one for each text.

        Args:
            pairs: at least one.
            sample: for the language and what models were loaded.
        """

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """The mean of each score for each kind of reference; kinds without any are left out.

        Raises:
            StelaError: there is no marked text, or none has a reference.
        """
        if not sample.marked:
            raise stela.StelaError(
                f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
            )
        values = []
        for kind, texts in {"human": sample.human, "unmarked": sample.model_text}.items():
            references: dict[str, list[str]] = {}
            for one in texts:
                if one.prompt:  # human text without a prompt continues nothing
                    references.setdefault(one.prompt, []).append(one.text)
            pairs = [
                (one.text, references[one.generated.prompt])
                for one in sample.marked
                if one.generated.prompt in references
            ]
            if pairs:
                values += [
                    mean_value(f"{name}:{kind}", list(scores), sample.seed)
                    for name, scores in self.scores(pairs, sample).items()
                ]
        if not values:
            raise stela.StelaError(
                "no marked text has a reference text after its prompt.", "use more texts, or a smaller length"
            )
        return values
