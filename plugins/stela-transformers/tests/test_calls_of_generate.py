"""Where the prompt ends: one processor for several calls of ``generate``, for threads, beams, assistants."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from inspect import currentframe
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest
import torch
from tokenizers import Tokenizer

import stela_core as stela
from tests.helpers import LengthTagger

if TYPE_CHECKING:
    from stela_transformers.processor import WatermarkLogitsProcessor
    from transformers import LlamaForCausalLM

A = [5, 60, 70, 80]


def model_of(seed: int, vocabulary: int = 400) -> LlamaForCausalLM:
    """Random weights over the 400 tokens of the small tokenizer, or more."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    special = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}
    config = LlamaConfig(vocab_size=vocabulary, num_key_value_heads=2, **sizes, **special)
    return LlamaForCausalLM(config).eval()


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    return model_of(0)


PLUGIN = """
import numpy as np
import stela_core as stela


class Words(stela.Weighting):
    name = "words"
    needs = frozenset({"contexts"})

    def weights(self, positions):
        return np.array([0.5 + 0.25 * int(c[-1][1:]) if c else 0.5 for c in positions.contexts])


@stela.hookimpl
def stela_register_weightings():
    return Words


@stela.hookimpl
def stela_register_taggers():
    from tests.helpers import LengthTagger

    return LengthTagger
"""
"""Another weight after every length of the last word."""


@pytest.fixture(scope="module")
def mark(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> stela.Watermark:
    """A mark whose weights follow the text before each token."""
    file = tmp_path_factory.mktemp("plugin") / "words.py"
    file.write_text(PLUGIN)
    registry = stela.create_registry([file])
    return stela.create("words", tokenizer=tokenizer, tagger=LengthTagger(), key=7, registry=registry)


def generate(
    model: LlamaForCausalLM, processor: WatermarkLogitsProcessor, prompts: list[list[int]], **how: Any
) -> list[list[int]]:
    options: dict[str, Any] = {"max_new_tokens": 12, "suppress_tokens": [0, 1], "do_sample": False, **how}
    out = model.generate(torch.tensor(prompts), logits_processor=[processor], **options)
    found: list[list[int]] = out[:, len(prompts[0]) :].tolist()
    return found


def detected(mark: stela.Watermark, ids: list[int]) -> list[float | None]:
    return [token.weight for token in mark.detector.evidence([ids])[0].tokens()]


def require_right(
    mark: stela.Watermark, processor: WatermarkLogitsProcessor, texts: list[list[int]], each: int = 1
) -> None:
    """The weights applied are those at detection, and they differ from token to token."""
    for number, ids in enumerate(texts):
        weights = processor.weights_of(ids, number * each)
        assert weights == detected(mark, ids)
        assert len(set(weights)) > 3


NEXT: dict[str, Callable[[list[int]], list[int]]] = {
    "the same": lambda text: A,
    "A B, B short": lambda text: [*A, 90],
    "A B, B as long as the text": lambda text: [*A, *range(200, 212)],
    "A B, B the beginning of the text": lambda text: [*A, *text[:5]],
    "all of the text": lambda text: [*A, *text],
    "all but the last token": lambda text: [*A, *text[:-1]],
    "a chat whose reasoning was cut": lambda text: [*A, *text[8:], 90, 91],
    "a chat that goes on": lambda text: [*A, *text, 90, 91],
    "another": lambda text: [90, 91, 92],
}


@pytest.mark.parametrize("following", NEXT.values(), ids=NEXT)
def test_a_second_call_after_any_prompt(
    mark: stela.Watermark, model: LlamaForCausalLM, following: Callable[[list[int]], list[int]]
) -> None:
    shared = mark.logits_processor(record=True)
    [first] = generate(model, shared, [A])
    require_right(mark, shared, [first])
    prompt = following(first)
    found = generate(model, shared, [prompt])
    require_right(mark, shared, found)
    assert found == generate(model, mark.logits_processor(), [prompt])


@pytest.mark.parametrize("scheme", ["kgw", "synthid"])
def test_sampled_calls_are_those_of_a_processor_each(
    tokenizer: Tokenizer, model: LlamaForCausalLM, scheme: str
) -> None:
    """Token for token: a mark that is missed in one of them is missed for its length, or its few choices."""
    wm = stela.create(scheme, tokenizer=tokenizer, key=7)
    shared = wm.logits_processor()
    for seed, prompt in enumerate([A, A, [*A, 90], A]):
        torch.manual_seed(seed)
        found = generate(model, shared, [prompt], do_sample=True)
        torch.manual_seed(seed)
        assert found == generate(model, wm.logits_processor(), [prompt], do_sample=True)


def test_a_batch_whose_rows_change(mark: stela.Watermark, model: LlamaForCausalLM) -> None:
    shared = mark.logits_processor(record=True)
    for prompts in ([A, A[::-1], A], [A], [[*A, 90], A + A[:1]], [A] * 4):
        found = generate(model, shared, prompts)
        require_right(mark, shared, found)
        assert found == generate(model, mark.logits_processor(), prompts)


def test_threads_share_a_processor(mark: stela.Watermark, model: LlamaForCausalLM) -> None:
    """Prompts of other lengths, and of the same; each thread asks for its own weights."""
    prompts = [A, [*A, 90], A[::-1], A[:2]]
    alone = [generate(model, mark.logits_processor(), [prompt]) for prompt in prompts]
    shared = mark.logits_processor(record=True)
    start, end = Barrier(len(prompts)), Barrier(len(prompts))

    def work(prompt: list[int]) -> list[list[int]]:
        start.wait()
        found = generate(model, shared, [prompt], max_new_tokens=12)
        end.wait()
        require_right(mark, shared, found)
        return found

    with ThreadPoolExecutor(len(prompts)) as pool:
        assert list(pool.map(work, prompts)) == alone
    with pytest.raises(stela.StelaError, match="several threads generated"):
        _ = shared.weights


def test_weights_of_a_thread_that_has_ended(mark: stela.Watermark, model: LlamaForCausalLM) -> None:
    """As where a streamer reads what another thread generates."""
    shared = mark.logits_processor(record=True)
    for prompt in (A, [*A, 90]):
        with ThreadPoolExecutor(1) as pool:
            [ids] = pool.submit(generate, model, shared, [prompt]).result()
        require_right(mark, shared, [ids])


@pytest.mark.parametrize("how", [{"assistant_model": 1}, {"prompt_lookup_num_tokens": 3}, {}])
def test_assisted_decoding(mark: stela.Watermark, model: LlamaForCausalLM, how: dict[str, Any]) -> None:
    """It steps back, and gives the greedy text; then the same processor goes on from within it."""
    [expected] = generate(model, mark.logits_processor(), [A])
    shared = mark.logits_processor(record=True)
    if "assistant_model" in how:
        how = {"assistant_model": model_of(how["assistant_model"])}
        how["assistant_model"].generation_config.num_assistant_tokens = 4
    for prompt in (A, [*A, *expected[:6]]):
        found = generate(model, shared, [prompt], **how)
        assert found == generate(model, mark.logits_processor(), [prompt])
        require_right(mark, shared, found)


def test_beams(mark: stela.Watermark, model: LlamaForCausalLM) -> None:
    shared = mark.logits_processor(record=True)
    for prompts in ([A, A[::-1]], [[*A, 90]]):
        found = generate(model, shared, prompts, num_beams=3)
        require_right(mark, shared, found, each=3)


def test_a_configuration_that_is_used_again(mark: stela.Watermark, model: LlamaForCausalLM) -> None:
    """The user's own object, at every call: transformers copies it."""
    from stela_transformers.generate_call import caller_of
    from transformers import GenerationConfig

    config = GenerationConfig(max_new_tokens=12, min_new_tokens=12, pad_token_id=1)
    seen: list[Any] = []

    def look(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        seen.append(caller_of(currentframe()).call)
        return scores

    for _ in range(2):
        model.generate(torch.tensor([A]), generation_config=config, logits_processor=[look])
    assert len(seen) == 24
    assert len(set(map(id, seen))) == 2
    assert config not in [None, *map(id, seen)]
    assert None not in seen
    assert caller_of(currentframe()).call is None


class TestLoopsOfOnesOwn:
    """Outside of ``generate`` a processor is for one text; what does not go on from it is refused."""

    def step(self, processor: WatermarkLogitsProcessor, rows: list[list[int]]) -> torch.Tensor:
        return processor(torch.tensor(rows), torch.zeros(len(rows), 400))

    def test_steps_rows_that_end_and_the_same_step_again(self, mark: stela.Watermark) -> None:
        processor, marker = mark.logits_processor(record=True), mark.marker()
        rows = [A, A[::-1], [7, 7, 7, 7]]
        for places in ([0, 1, 2], [0, 1, 2], [2, 0], [1, 0], [1]):
            self.step(processor, rows)
            found = self.step(processor, rows)
            assert torch.equal(found, marker([row[4:] for row in rows], torch.zeros(len(rows), 400)))
            last, weights = rows, processor.weights
            rows = [[*rows[place], 90 + place] for place in places]
        for row, applied in zip(last, weights, strict=True):
            assert applied == detected(mark, [*row[4:], 90])

    @pytest.mark.parametrize("after", [[*A, 90], [*A, 90, 91, 92, 93], [*A, 91, 92], A[:2], [3, 4, 5]])
    def test_anything_else_is_refused(self, mark: stela.Watermark, after: list[int]) -> None:
        processor = mark.logits_processor()
        for row in (A, [*A, 90], [*A, 90, 91]):
            self.step(processor, [row])
        with pytest.raises(stela.StelaError, match="do not continue those of the last step") as caught:
            self.step(processor, [after])
        assert "wm.marker()" in caught.value.hint
        processor.reset()
        self.step(processor, [after])

    def test_generate_between_two(self, mark: stela.Watermark, model: LlamaForCausalLM) -> None:
        processor = mark.logits_processor(record=True)
        self.step(processor, [A])
        require_right(mark, processor, generate(model, processor, [A]))
        self.step(processor, [[3, 4]])

    def test_other_prompts_within_a_call(self, mark: stela.Watermark, model: LlamaForCausalLM) -> None:
        """As an assistant with another tokenizer would hand over."""
        processor = mark.logits_processor()

        def alien(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            self.step(processor, [[3, 4]])
            return scores

        with pytest.raises(stela.StelaError, match="other prompts within one call of generate"):
            model.generate(torch.tensor([A]), logits_processor=[processor, alien], max_new_tokens=3)

    def test_without_a_record_there_are_no_weights(self, mark: stela.Watermark) -> None:
        processor = mark.logits_processor()
        self.step(processor, [A])
        with pytest.raises(RuntimeError, match="record=True"):
            _ = processor.weights
