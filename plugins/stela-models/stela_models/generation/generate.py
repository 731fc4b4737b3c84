"""Generate marked text for prompts, in batches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stela_core import Watermark
from stela_core.api import LanguageModel, TokenBytes, backend_of, timed
from stela_models.prompts import encode_prompts
from stela_models.threads import threads_for_steps

if TYPE_CHECKING:
    from transformers import PreTrainedModel

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn."""

    max_new_tokens: int = 200
    min_new_tokens: int = 0
    """Fewest new tokens: the end token is not drawn before."""
    temperature: float = 0.7
    """0 is greedy."""
    seed: int = 0
    top_p: float | None = None
    """Draw from the likeliest tokens that have this probability together; ``None`` from all."""
    top_k: int | None = None
    """Draw from this many likeliest tokens; ``None`` from all."""
    round_trip: bool = False
    """Draw only tokens that the text, tokenised again, holds, too."""


@dataclass(frozen=True, slots=True)
class Generated:
    """One generated text, prompt left out."""

    prompt: str
    text: str
    token_ids: list[int]
    """Ids of the text; end and padding tokens left out."""
    weights: list[float | None]
    """Strength weight applied to each; ``None`` where the token was not marked."""
    mean_bias: float
    """Mean over the tokens of the bias on green ids (nats); an unmarked token counts 0."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that ``stela generate --json`` prints."""
        return asdict(self)


def generate(
    watermark: Watermark,
    language_model: LanguageModel,
    prompts: Sequence[str],
    sampling: Sampling,
    batch_size: int,
    keys: Sequence[int] | None = None,
    first: int = 0,
    messages: Sequence[int | str] | None = None,
    heard: Callable[[float], None] | None = None,
) -> Iterator[list[Generated]]:
    """Generate a text for each prompt and yield the batches in order.

    A text's draws go by the seed and the number of its prompt; batches change logits only in their last
    places, by padding. Where there are ``keys``, one for each prompt, its text is marked under that one
    in place of the profile's. ``first`` is the number of the first prompt: part of a longer list, cut where a
    batch ends, has the texts that it has in the whole list. ``messages``, one for each prompt, are those that
    the marks carry. ``heard`` gets after each step how many texts are done, parts of texts counted.

    Raises:
        StelaError: the model's tokenizer is not the profile's, or a prompt has no tokens.
    """
    import torch
    from stela_transformers.final_logits import FinalLogits
    from stela_transformers.processor import WatermarkLogitsProcessor
    from transformers import GenerationConfig, LogitsProcessor

    from stela_models.generation.no_end import NoEnd
    from stela_models.generation.per_text_rng import PerTextRng
    from stela_models.generation.steps_heard import StepsHeard

    model, tokenizer = language_model
    drawing = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=sampling.temperature > 0,
        temperature=sampling.temperature or None,
        top_k=(sampling.top_k or 0) if sampling.temperature > 0 else None,
        top_p=sampling.top_p if sampling.temperature > 0 else None,
    )
    # PerTextRng leaves one token to take, in far less time than transformers draws from a large vocabulary.
    chooses = watermark.parts.hasher.samples
    config = GenerationConfig(do_sample=False)  # type: ignore[no-untyped-call]
    config.update(  # type: ignore[no-untyped-call]
        max_new_tokens=sampling.max_new_tokens,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=model.generation_config.eos_token_id,
    )
    tokens = watermark.tokens
    if len(tokenizer) > len(tokens):  # the model's has tokens that were added at the end
        tokens = TokenBytes.of(backend_of(tokenizer))
    ends = end_ids(model)
    special = tokens.special | ends
    for start in range(0, len(prompts), batch_size):
        batch = list(prompts[start : start + batch_size])
        inputs = encode_prompts(tokenizer, batch)
        torch.manual_seed(sampling.seed + first + start)
        some = None if keys is None else keys[start : start + len(batch)]
        carried = None if messages is None else messages[start : start + len(batch)]
        marker = watermark.marker(tokenizer, sampling.round_trip, some, carried)
        processor = WatermarkLogitsProcessor(marker, record=True, drawing=drawing if chooses else None)
        processors: list[LogitsProcessor] = [processor]
        if sampling.min_new_tokens:
            processors.insert(0, NoEnd(sorted(ends), inputs["input_ids"].shape[1] + sampling.min_new_tokens))
        if drawing.do_sample:
            numbers = range(first + start, first + start + len(batch))
            generators = [np.random.default_rng([sampling.seed, number]) for number in numbers]
            if chooses:
                processors.append(PerTextRng(generators, 1.0, 1.0))
            elif sampling.top_k or sampling.top_p:
                processors += [FinalLogits(drawing), PerTextRng(generators, 1.0, 1.0)]
            else:
                processors.append(PerTextRng(generators, 1.0, sampling.temperature))
        width, most = inputs["input_ids"].shape[1], sampling.max_new_tokens
        listening = None if heard is None else [StepsHeard(heard, start, width, most)]
        with (
            timed(log, "texts %d to %d generated", first + start + 1, first + start + len(batch)),
            torch.inference_mode(),
            threads_for_steps(model, len(batch)),
        ):
            out = model.generate(  # type: ignore[operator]
                **inputs.to(model.device),
                generation_config=config,
                logits_processor=processors,
                stopping_criteria=listening,
            )
        rows = out[:, inputs["input_ids"].shape[1] :].tolist()
        scale = watermark.parts.bias_per_weight
        generated = []
        for number, (prompt, row) in enumerate(zip(batch, rows, strict=True)):
            length = next((t for t, token in enumerate(row) if token in special), len(row))
            ids = row[:length]
            weights = processor.weights_of(ids, number)
            applied = [(weight or 0.0) * scale for weight in weights]
            generated.append(
                Generated(
                    prompt=prompt,
                    text=tokens.decode(ids),
                    token_ids=ids,
                    weights=weights,
                    mean_bias=sum(applied) / len(applied) if applied else 0.0,
                )
            )
        yield generated


def end_ids(model: PreTrainedModel) -> set[int]:
    """Ids that end a text, as a model's ``GenerationConfig`` names them."""
    ids: int | list[int] | None = model.generation_config.eos_token_id
    return set() if ids is None else {ids} if isinstance(ids, int) else set(ids)
