"""Language models by name, loaded once."""

from __future__ import annotations

from collections import OrderedDict

from stela_core import Registry
from stela_core.api import LanguageModel
from stela_models.load import load_model

REMEMBERED = 2


class Models:
    """Load language models, and keep the last few that were used.

    Args:
        registry: knows the aliases.
        device: torch device; ``None`` for ``cuda`` where there is one.
        dtype: of the models; ``None`` for the device's.
    """

    def __init__(self, registry: Registry, device: str | None = None, dtype: str | None = None) -> None:
        self.registry = registry
        self.device = device
        self.dtype = dtype
        self._loaded: OrderedDict[str, LanguageModel] = OrderedDict()

    def load(self, name: str) -> LanguageModel:
        """A causal model and its tokenizer, by alias, folder or hub name.

        Raises:
            StelaError: there is no such model, or a library is missing.
        """
        model = self._loaded.pop(name, None)
        if model is None:
            while len(self._loaded) >= REMEMBERED:
                self._loaded.popitem(last=False)
            model = load_model(self.registry, name, self.device, self.dtype)
        self._loaded[name] = model
        return model
