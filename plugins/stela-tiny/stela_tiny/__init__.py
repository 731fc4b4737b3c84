"""Embedded language models: small enough to ship, good enough to write text a tagger can tag."""

from pathlib import Path

from stela_models import ModelSource

import stela_core as stela


class Tiny(ModelSource):
    """A Llama of 6 M parameters for English, Chinese and Korean."""

    name = "tiny"

    @classmethod
    def location(cls) -> str:
        """The folder of the model, in the format of ``save_pretrained``."""
        return str(Path(__file__).parent / "model")


class TinySmall(ModelSource):
    """A Llama of 1.3 M parameters with another tokenizer: another model, to measure with."""

    name = "tiny-small"

    @classmethod
    def location(cls) -> str:
        """The folder of the model, in the format of ``save_pretrained``."""
        return str(Path(__file__).parent / "small")


@stela.hookimpl
def stela_register_models() -> list[type[ModelSource]]:
    """Register the aliases."""
    return [Tiny, TinySmall]
