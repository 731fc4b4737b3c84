"""Speculative decoding: drafts are accepted, and a text with drafts is the text without."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import chi2
from stela_models.load import load_model
from transformers import LogitsProcessor

import stela_core as stela
from stela_core.api import LanguageModel
from tests.sampling.test_all_marks import key_of, schemes
from tests.tiers import Draws

from .test_calls_of_generate import A, model_of

PROMPTS = (
    "The history of the city",
    "When the train left the station, she",
    "Dear members of the committee,",
)
TOKENS = 40


class Pair:
    """The embedded model, a copy that drafts for it, and how often the model was called.

    The copy's weight matrices have noise of 0.12 of their standard deviation.
    """

    def __init__(self, loaded: LanguageModel) -> None:
        self.model, self.tokenizer = copy.deepcopy(loaded.model), loaded.tokenizer
        self.drafter: Any = copy.deepcopy(loaded.model)
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for weight in self.drafter.parameters():
                if weight.ndim > 1:
                    weight += 0.12 * weight.std() * torch.randn(weight.shape, generator=generator)
        config = self.drafter.generation_config
        config.num_assistant_tokens, config.num_assistant_tokens_schedule = 4, "constant"
        config.assistant_confidence_threshold = 0.0
        self.calls = 0
        self.model.register_forward_hook(self._count)

    def _count(self, *_: object) -> None:
        self.calls += 1

    def write(self, prompt: str, seed: int, mark: stela.Watermark | None, **how: Any) -> list[list[int]]:
        """Texts of a prompt, each of :data:`TOKENS` tokens unless said otherwise."""
        ids = self.tokenizer([prompt], return_tensors="pt").input_ids
        if mark is not None:
            how["logits_processor"] = [mark.logits_processor()]
        torch.manual_seed(seed)
        chosen = {"do_sample": True, "top_k": 0, "max_new_tokens": TOKENS, "suppress_tokens": [0], **how}
        out: list[list[int]] = self.model.generate(ids, **chosen)[:, ids.shape[1] :].tolist()
        return out

    def drafts(self, way: str) -> dict[str, Any]:
        """The option of ``generate`` that has tokens drafted."""
        return {"assistant_model": self.drafter} if way == "model" else {"prompt_lookup_num_tokens": 4}


@pytest.fixture(scope="module")
def pair(registry: stela.Registry) -> Pair:
    return Pair(load_model(registry, "tiny"))


def mark_of(scheme: str, registry: stela.Registry, number: int = 7) -> stela.Watermark:
    return stela.create(scheme, model="tiny", key=key_of(registry, scheme, number), registry=registry)


KEPT = ("coupling", "gumbel", "gumbel-vllm-dual", "synthid")


@pytest.mark.deep(keep=[*(f"{scheme}-model" for scheme in KEPT), "synthid-n-gram"])
@pytest.mark.slow
@pytest.mark.parametrize("way", ["model", "n-gram"])
@pytest.mark.parametrize("scheme", sorted(schemes().values()))
def test_a_text_with_drafts_is_the_text_without(
    pair: Pair, registry: stela.Registry, scheme: str, way: str, draws: Draws
) -> None:
    """Token for token, whatever the mark leaves free: its first tokens, repeated contexts, a second key.

    Marks that invert a cumulative sum (exp-its, unbiased-delta) have two models agree less than noise does.
    """
    mark = mark_of(scheme, registry)
    for seed, temperature in ((2, 0.7), (1, 1.0))[: draws(2, 1)]:
        plain = pair.write(PROMPTS[seed], seed, mark, temperature=temperature)
        before = pair.calls
        drafted = pair.write(PROMPTS[seed], seed, mark, temperature=temperature, **pair.drafts(way))
        assert drafted == plain
        if way == "model":
            assert pair.calls - before < TOKENS / 1.3


@pytest.mark.slow
def test_a_configurations_mark_is_drafted_likewise(pair: Pair, registry: stela.Registry) -> None:
    how = {"watermarking_config": mark_of("synthid", registry).watermarking_config(), "temperature": 0.8}
    plain = pair.write(PROMPTS[0], 3, None, **how)
    before = pair.calls
    assert pair.write(PROMPTS[0], 3, None, **how, **pair.drafts("model")) == plain
    assert pair.calls - before < TOKENS / 1.8


@pytest.mark.deep(keep=["synthid-1.0"])
@pytest.mark.slow
@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("scheme", ["kgw", "gumbel", "synthid", "coupling"])
def test_drafts_are_accepted(
    pair: Pair, registry: stela.Registry, temperature: float, scheme: str, draws: Draws
) -> None:
    """Tokens per call of the model over those without a mark: 0.9 of many texts (docs/serving.md).

    Of six, the standard error is 0.05; of the three of ``make test``, 0.07. With a random draw synthid has
    0.54, coupling 0.36.
    """
    texts = draws(6, 3)

    def calls(scheme: str | None) -> int:
        before = pair.calls
        for seed in range(texts):
            mark = None if scheme is None else mark_of(scheme, registry, seed + 1)
            pair.write(PROMPTS[seed % 3], seed, mark, temperature=temperature, **pair.drafts("model"))
        return pair.calls - before

    plain = calls(None)
    assert plain < texts * TOKENS / 2
    assert plain / calls(scheme) > 0.7


class TwoIds(LogitsProcessor):
    """Leaves two ids: contexts come again, and what stood after one before is right every second time."""

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        out = torch.full_like(scores, -torch.inf)
        out[:, 200:202] = scores[:, 200:202]
        return out


@pytest.mark.parametrize("scheme", ["gumbel", "synthid"])
def test_prompt_lookup_may_propose_any_token(tokenizer: Any, scheme: str) -> None:
    """It asks what is forbidden with made-up logits; a mark that chooses would forbid all but one."""
    model, calls = model_of(0), []
    model.register_forward_hook(lambda *_: calls.append(1))
    processor = stela.create(scheme, tokenizer=tokenizer, key=7).logits_processor(record=True)
    for given in ([TwoIds()], [TwoIds(), processor]):
        calls.clear()
        torch.manual_seed(1)
        how: dict[str, Any] = {"logits_processor": given, "prompt_lookup_num_tokens": 4}
        out = model.generate(torch.tensor([A]), do_sample=True, top_k=0, max_new_tokens=80, **how)
        assert len(calls) < 60
    assert len(processor.weights_of(out[0, 4:].tolist())) == 80


def test_torch_seeds_say_what_is_drawn(tokenizer: Any) -> None:
    """Equal seeds write equal texts, others and none do not; texts of a call differ."""
    model, mark = model_of(0), stela.create("synthid", tokenizer=tokenizer, key=7)
    processor = mark.logits_processor()

    def texts(prompts: list[list[int]], seed: int | None = None, **how: Any) -> list[tuple[int, ...]]:
        if seed is not None:
            torch.manual_seed(seed)
        chosen = {"do_sample": True, "top_k": 0, "max_new_tokens": 30, "suppress_tokens": [0], **how}
        out = model.generate(torch.tensor(prompts), logits_processor=[processor], **chosen)
        return [tuple(row) for row in out.tolist()]

    first = texts([A], 1, num_return_sequences=3)
    assert texts([A], 1, num_return_sequences=3) == first
    assert texts([A, A, A], 1) == first
    others = [*texts([A], 2, num_return_sequences=3), *texts([A] * 3), *texts([A] * 3)]
    assert len({*first, *others}) == 12


@pytest.mark.parametrize("scheme", ["synthid", "coupling"])
def test_the_law_of_a_token_is_the_marked_distribution(tokenizer: Any, scheme: str) -> None:
    """After one context under one key, over calls; by chi-square, which the unmarked distribution fails."""
    mark, rows = stela.create(scheme, tokenizer=tokenizer, key=7), 6000
    text = [60, 70, 80, 90]  # as if it had been generated: the next token has a context
    logits = torch.randn(1, 400, generator=torch.Generator().manual_seed(1)) * 2
    marked = mark.marker()([text], logits)[0]

    class Given(LogitsProcessor):
        """The first tokens are given, and logits follow them."""

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            done = input_ids.shape[1] - len(A)
            if done == len(text):
                return logits.expand(len(scores), -1).clone()
            out = torch.full_like(scores, -torch.inf)
            out[:, text[done]] = 0.0
            return out

    torch.manual_seed(1)
    how: dict[str, Any] = {"do_sample": True, "top_k": 0, "max_new_tokens": 5, "num_return_sequences": rows}
    given = [Given(), mark.logits_processor()]
    tokens = model_of(0).generate(torch.tensor([A]), logits_processor=given, **how)[:, -1]
    for distribution, agrees in ((marked, True), (logits[0], False)):
        shares = torch.softmax(distribution.double(), 0).numpy()
        often = shares * rows > 10
        counts = np.bincount(tokens.numpy(), minlength=400)
        seen = np.append(counts[often], counts[~often].sum())
        wanted = np.append(shares[often], shares[~often].sum()) * rows
        wanted *= seen.sum() / wanted.sum()
        apart = float(((seen - wanted) ** 2 / np.maximum(wanted, 1e-9)).sum())
        assert (chi2.sf(apart, len(seen) - 1) > 1e-4) == agrees


def test_loops_of_ones_own_may_draw_again(tokenizer: Any) -> None:
    """A loop that throws a token away gets another one; nothing says that generate's own would."""
    model, drawn = model_of(0), []

    def loop(model: Any, input_ids: Any, logits_processor: Any, **how: Any) -> Any:
        drawn.extend(logits_processor(input_ids, torch.zeros(1, 400)).argmax().item() for _ in range(6))
        return input_ids

    processor = stela.create("gumbel", tokenizer=tokenizer, key=7).logits_processor()
    how: dict[str, Any] = {"logits_processor": [processor], "custom_generate": loop, "max_new_tokens": 9}
    model.generate(torch.tensor([A]), do_sample=True, top_k=0, **how)
    assert len(set(drawn)) > 1
