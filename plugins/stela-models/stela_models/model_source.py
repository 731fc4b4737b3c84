"""ModelSource: a short name for a language model that a plugin brings."""

from __future__ import annotations

from abc import abstractmethod

from stela_core import Component


class ModelSource(Component):
    """An alias that ``--model`` takes.

    Copy me::

        class Tiny(stela_models.ModelSource):
            name = "tiny"

            @classmethod
            def location(cls):
                return str(Path(__file__).parent / "model")
    """

    kind = "model"
    hook = "stela_register_models"

    @classmethod
    @abstractmethod
    def location(cls) -> str:
        """What ``AutoModelForCausalLM.from_pretrained`` and ``AutoTokenizer.from_pretrained`` get."""
