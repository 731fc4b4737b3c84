"""A small sample of prompts and human text: enough to see an experiment run, too little to conclude from."""

from pathlib import Path

import stela_core as stela
from stela_core.api import did_you_mean

TEXTS = Path(__file__).parent / "texts"


class Sample(stela.TextSource):
    """The Universal Declaration of Human Rights: a paragraph as prompt, those after it as continuation."""

    name = "sample"
    stands_in = True

    @classmethod
    def location(cls, language: str) -> Path:
        """The rows of one language.

        Raises:
            stela.StelaError: there are none.
        """
        path = TEXTS / f"{language}.jsonl"
        languages = sorted(file.stem for file in TEXTS.glob("*.jsonl"))
        if language not in languages:
            raise stela.StelaError(
                f'the shipped sample has no texts in "{language}".',
                f"{did_you_mean(language, languages)} or give prompts = a file of JSON lines",
            )
        return path


@stela.hookimpl
def stela_register_corpora() -> type[stela.TextSource]:
    """Register the source."""
    return Sample
