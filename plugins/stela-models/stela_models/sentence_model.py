"""Sentence-embedding models of transformers: texts to vectors of whole numbers."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_core.api import require
from stela_models.find import require_on_hub
from stela_models.hub import locate_model, require_plain_config, short_reason

KEPT = 4096
"""Texts whose vectors are kept: contexts come again."""


class SentenceModel:
    """The mean of an encoder's last hidden states, of length 127 and rounded.

    A text is embedded by itself, so that no batch moves its sums. Rounding hides most of what differs between
    processors, not all of it: what a number near a boundary decides may still flip.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._known: OrderedDict[str, npt.NDArray[np.int64]] = OrderedDict()
        tensors = sorted(model.state_dict().items())
        digest = hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode())
        for name, value in tensors:
            digest.update(f"{name} {tuple(value.shape)}".encode() + value.float().cpu().numpy().tobytes())
        self.fingerprint = digest.hexdigest()
        """Hash of its tokenizer and all weights, 64 hex digits."""

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The embedding of each text, (n, dimensions)."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> npt.NDArray[np.int64]:
        kept = self._known.pop(text, None)
        if kept is None:
            kept = self._embed(text)
            if len(self._known) >= KEPT:
                self._known.popitem(last=False)
        self._known[text] = kept
        return kept

    def _embed(self, text: str) -> npt.NDArray[np.int64]:
        import torch

        pieces = self._tokenizer(text, return_tensors="pt", truncation=True)
        if not pieces["input_ids"].shape[1]:  # an empty text, and no token in front
            return np.zeros(self._model.config.hidden_size, dtype=np.int64)
        with torch.inference_mode():
            states = self._model(**pieces).last_hidden_state[0]
        mean = states.double().mean(dim=0).numpy()
        length = float(np.linalg.norm(mean))
        return np.asarray(np.rint(127 * mean / length if length else mean), dtype=np.int64)


def load_sentence_model(name: str, purpose: str = "a sentence-embedding model") -> SentenceModel:
    """A model that the user names, in float32 on the CPU.

    Raises:
        StelaError: as for :func:`load_encoder`.
    """
    return SentenceModel(*load_encoder(name, purpose))


def load_encoder(name: str, purpose: str) -> tuple[Any, Any]:
    """An encoder of transformers and its tokenizer, in float32 on the CPU.

    Args:
        name: folder or Hugging Face name, with ``@REVISION`` or without; fetched where it is not here.
        purpose: what needs it, named where transformers is missing.

    Raises:
        StelaError: there is no such model, or it holds code.
    """
    require("transformers", purpose)
    import torch
    from transformers import AutoModel, AutoTokenizer

    place = locate_model(name)
    require_on_hub(name, place)
    try:
        require_plain_config(place)
        tokenizer = AutoTokenizer.from_pretrained(place.name, **place.options)
        network = AutoModel.from_pretrained(
            place.name, dtype=torch.float32, weights_only=True, **place.options
        )
    except StelaError:
        raise
    except Exception as error:  # OSError, ValueError, and what the hub client raises
        raise StelaError(
            f'sentence model "{name}" cannot be loaded: {short_reason(error)}',
            "give a folder or a Hugging Face name",
        ) from None
    return network.eval(), tokenizer
