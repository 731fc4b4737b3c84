"""The metric ``reference-bertscore``: how alike texts are in the states of an encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import stela_run
from pydantic import Field
from stela_models.sentence_model import load_encoder

import stela_core as stela
from stela_metrics.reference.references import AgainstReferences, Pair

LONGEST = 512
"""Pieces of a text that are read, where the tokenizer does not say."""


class BertScoreParameters(stela.Parameters):
    """Parameters of ``reference-bertscore``."""

    model: str = Field(min_length=1)
    """Folder or Hugging Face name of an encoder, such as ``FacebookAI/roberta-large``."""

    layer: int | None = Field(None, ge=1)
    """Layer whose states are compared; by default the last. Its paper takes 17 of ``roberta-large``."""


class BertScore(AgainstReferences[BertScoreParameters]):
    """BERTScore, F1 of at most 1 (Zhang et al., ICLR 2020), without idf weights and not rescaled.

    ``bertscore:human`` and ``bertscore:unmarked``, means over texts with 95 % bootstrap intervals. A text's
    score is that of its best reference. What a text has beyond the encoder's length is not read.
    """

    name = "reference-bertscore"
    library = "torchmetrics"
    Parameters = BertScoreParameters

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the library and the encoder."""
        super().check(preflight)
        preflight.model(self.parameters.model)

    def scores(self, pairs: Sequence[Pair], sample: stela_run.Sample) -> Mapping[str, Sequence[float]]:
        """``bertscore``, by torchmetrics.

        Raises:
            StelaError: there is no such encoder, or it has fewer layers.
        """
        from torchmetrics.functional.text import bert_score

        network, tokenizer = encoder_of(self.parameters.model)
        layers, layer = network.config.num_hidden_layers, self.parameters.layer
        if layer is not None and layer > layers:
            raise stela.StelaError(
                f'encoder "{self.parameters.model}" has {layers} layers, no layer {layer}.',
                f"give a layer from 1 to {layers}",
            )
        pieces = Pieces(tokenizer)
        made = []
        for text, references in pairs:
            # Pair by pair: what its batches sort by length is not put back in order.
            told: list[Any] = [
                bert_score([text], [one], model=network, user_tokenizer=pieces, num_layers=layer)["f1"]
                for one in references
            ]
            made.append(max(float(score) for score in told))
        return {"bertscore": made}


@lru_cache(maxsize=1)
def encoder_of(name: str) -> tuple[Any, Any]:
    """The encoder and its tokenizer; the last one is kept, since each mark and length asks again."""
    return load_encoder(name, "reference-bertscore")


class Pieces:
    """A tokenizer as torchmetrics calls it."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._longest = min(LONGEST, tokenizer.model_max_length)

    def __call__(self, texts: Sequence[str], *_: object, **__: object) -> dict[str, Any]:
        """Ids and attention mask, (texts, pieces) each."""
        made = self._tokenizer(
            list(texts), padding=True, truncation=True, max_length=self._longest, return_tensors="pt"
        )
        return {"input_ids": made["input_ids"], "attention_mask": made["attention_mask"]}
