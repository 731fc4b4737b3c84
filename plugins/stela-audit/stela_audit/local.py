"""A language model of this machine as a deployment, with a profile's mark or without."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from stela_audit.finding import Ask
from stela_core import Watermark
from stela_core.api import LanguageModel

BATCH = 128

FIRST = 1
"""Number of a batch's first text. SeedSequence pads with zeros, so [seed, 0] and [seed] have equal draws:
a text with number 0 would repeat one of the first batch."""


def deployment(
    language_model: LanguageModel,
    watermark: Watermark | None = None,
    temperature: float = 1.0,
    seed: int = 0,
    batch_size: int = BATCH,
) -> Callable[[int], Ask]:
    """A deployment for each length of answers in tokens; no two answers share draws.

    Args:
        language_model: model and tokenizer, padding on the left.
        watermark: marks the answers; ``None`` for a plain model.
        temperature: of sampling, above 0.
        seed: of the draws.
        batch_size: answers written at once.

    Returns:
        a function of the number of tokens. What it gives raises StelaError where a prompt has no tokens or
        the model's tokenizer is not the profile's.
    """
    numbers = count(0)

    def of_length(tokens: int) -> Ask:
        def ask(prompt: str, n: int) -> list[str]:
            answers: list[str] = []
            while len(answers) < n:
                many = min(batch_size, n - len(answers))
                draws = seed + (next(numbers) << 32)
                if watermark is None:
                    answers += _plain(language_model, prompt, many, tokens, temperature, draws)
                else:
                    answers += _marked(watermark, language_model, prompt, many, tokens, temperature, draws)
            return answers

        return ask

    return of_length


def _marked(
    watermark: Watermark,
    model: LanguageModel,
    prompt: str,
    n: int,
    tokens: int,
    temperature: float,
    seed: int,
) -> list[str]:
    from stela_models.generation.generate import Sampling, generate

    sampling = Sampling(max_new_tokens=tokens, temperature=temperature, seed=seed)
    [texts] = generate(watermark, model, [prompt] * n, sampling, n, first=FIRST)
    return [one.text for one in texts]


def _plain(
    language_model: LanguageModel, prompt: str, n: int, tokens: int, temperature: float, seed: int
) -> list[str]:
    from stela_models.generation.unmarked import unmarked

    [rows] = unmarked(language_model, [prompt] * n, tokens, temperature, seed, n, FIRST)
    texts: list[str] = language_model.tokenizer.batch_decode(rows, skip_special_tokens=True)
    return texts
