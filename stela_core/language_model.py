"""``stela.load_model``: a language model and its tokenizer by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stela_core.registry.components import Registry, default_registry
from stela_core.registry.published import lent

if TYPE_CHECKING:
    from stela_core.interfaces.logits import LanguageModel


def load_model(name: str, device: str | None = None, registry: Registry | None = None) -> LanguageModel:
    """Load a causal language model: ``model, tokenizer = stela.load_model("tiny")``.

    torch and transformers are imported here, not before.

    Args:
        name: an alias that a plugin registers (``tiny``), a folder of ``save_pretrained``, or a Hugging
            Face name.
        device: torch device; by default ``cuda`` where there is one.
        registry: the plugins to use; by default the installed ones.

    Returns:
        (model, tokenizer): float32 on the CPU, as saved on a GPU; the tokenizer pads on the left.

    Raises:
        StelaError: there is no such model or device, or torch or transformers is missing.
    """
    load = lent("load_model", "loading a language model")
    model: LanguageModel = load(registry or default_registry(), name, device)
    return model
