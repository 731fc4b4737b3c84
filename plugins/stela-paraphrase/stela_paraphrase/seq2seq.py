"""Load sequence-to-sequence models, and generate with draws that belong to each text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from stela_models.hub import locate_model, require_plain_config

import stela_core as stela
from stela_core.api import require_generation

if TYPE_CHECKING:
    import numpy as np

Dtype = Literal["float32", "bfloat16", "float16"]


class Seq2Seq(NamedTuple):
    """A model in evaluation mode on its device, and its tokenizer."""

    model: Any
    tokenizer: Any


class Decoding(NamedTuple):
    """How tokens are chosen."""

    max_new_tokens: int
    top_p: float | None = None
    """``None`` for beam search, or greedy with one beam; else each token is drawn from the smallest set
    of tokens that has this probability (Holtzman et al., ICLR 2020)."""

    temperature: float = 1.0
    beams: int = 1
    batch_size: int = 8


@lru_cache(maxsize=2)
def load_seq2seq(model: str, tokenizer: str, kind: str, device: str | None, dtype: Dtype | None) -> Seq2Seq:
    """Load a model and its tokenizer; the last two are kept.

    Args:
        model: folder or hub name; ``NAME@REVISION`` pins a commit or a tag of the Hub.
        tokenizer: the same.
        kind: class of transformers, such as ``T5ForConditionalGeneration``.
        device: torch device; ``None`` for ``cuda`` where there is one.
        dtype: of the weights; ``None`` for float32 on the CPU and bfloat16 elsewhere.

    Raises:
        StelaError: a library, the model, the tokenizer or the device is missing.
    """
    require_generation("paraphrasing")
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    number = dtype or ("float32" if device.startswith("cpu") else "bfloat16")
    try:
        place = locate_model(tokenizer)
        pieces = transformers.AutoTokenizer.from_pretrained(place.name, **place.options)
    except stela.StelaError:
        raise
    except Exception as error:  # OSError, ValueError, and what the hub client raises
        raise _missing("tokenizer", tokenizer, error) from None
    try:
        place = locate_model(model)
        require_plain_config(place)
        network = getattr(transformers, kind).from_pretrained(
            place.name, dtype=getattr(torch, number), weights_only=True, **place.options
        )
    except stela.StelaError:
        raise
    except Exception as error:
        raise _missing("model", model, error) from None
    try:
        network = network.to(device)
    except Exception as error:
        raise stela.StelaError(
            f'device "{device}" cannot be used: {_short(error)}', 'device = "cpu"'
        ) from None
    return Seq2Seq(network.eval(), pieces)


def rewrite(
    seq2seq: Seq2Seq, texts: Sequence[str], draws: Sequence[np.random.Generator], decoding: Decoding
) -> list[str]:
    """What the model makes of each text.

    Args:
        seq2seq: model and tokenizer.
        texts: inputs; longer ones than the model takes are an error, never cut.
        draws: a generator for each; one number is drawn for each token of the result.
        decoding: how tokens are chosen.

    Returns:
        One string for each; special tokens and white space around it left out.

    Raises:
        StelaError: an input is too long for the model.
    """
    # Of about equal length together: less padding.
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    made: dict[int, str] = {}
    for start in range(0, len(order), decoding.batch_size):
        batch = order[start : start + decoding.batch_size]
        outputs = _batch(seq2seq, [texts[n] for n in batch], [draws[n] for n in batch], decoding)
        made.update(zip(batch, outputs, strict=True))
    return [made[number] for number in range(len(texts))]


def _batch(
    seq2seq: Seq2Seq, texts: list[str], draws: list[np.random.Generator], decoding: Decoding
) -> list[str]:
    import torch
    from stela_models.generation.per_text_rng import PerTextRng
    from transformers import GenerationConfig

    model, tokenizer = seq2seq
    inputs = tokenizer(texts, return_tensors="pt", padding=True)
    longest = inputs["input_ids"].shape[1]
    limit = getattr(model.config, "max_position_embeddings", None)
    if limit is not None and longest > limit:
        raise stela.StelaError(
            f"a text has {longest} tokens, and the model takes {limit}.", "a smaller number of sentences"
        )
    inputs = {name: inputs[name].to(model.device) for name in ("input_ids", "attention_mask")}
    saved = model.generation_config
    config = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=decoding.max_new_tokens,
        do_sample=False,
        num_beams=1 if decoding.top_p is not None else decoding.beams,
        decoder_start_token_id=saved.decoder_start_token_id,
        pad_token_id=saved.pad_token_id,
        eos_token_id=saved.eos_token_id,
        bad_words_ids=saved.bad_words_ids,
        forced_eos_token_id=saved.forced_eos_token_id,
    )
    processors = []
    if decoding.top_p is not None:
        processors.append(PerTextRng(draws, decoding.top_p, decoding.temperature))
    with torch.inference_mode():
        out = model.generate(**inputs, generation_config=config, logits_processor=processors)
    return [text.strip() for text in tokenizer.batch_decode(out, skip_special_tokens=True)]


PUBLISHED = frozenset({"kalpeshk2011/dipper-paraphraser-xxl", "google/t5-v1_1-xxl"})
"""Names that a hint repeats as part of a command: no word of an experiment file is."""


def _missing(what: str, name: str, error: Exception) -> stela.StelaError:
    online = f"hf download {name}" if name in PUBLISHED else "hf download"
    return stela.StelaError(
        f'{what} "{name}" cannot be loaded: {_short(error)}',
        f"when online: {online}; else give {what} = a folder saved by save_pretrained",
    )


def _short(error: Exception) -> str:
    first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return first.strip()[:160]
