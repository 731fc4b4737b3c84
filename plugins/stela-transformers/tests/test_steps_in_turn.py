"""Steps of transformers' own loop: known by who calls, marked as by the stateless marker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from stela_kernels.draws import drawn
from stela_kernels.row_seeds import drawing_by, row_seeds
from stela_transformers.batch_texts import BatchTexts
from transformers import LogitsProcessor

import stela_core as stela

from .test_calls_of_generate import model_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import LlamaForCausalLM

PROMPTS = [[5, 60, 70, 80], [80, 70, 60, 5], [5, 60, 70, 80]]
SCHEMES = ("kgw", "gumbel", "gumbel-sglang", "gumbel-vllm", "synthid", "unbiased-delta", "exp")


def count_look_ups(patch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by the length of all rows whenever the texts of a processor look them up."""
    lengths: list[int] = []
    look_up = BatchTexts._look_up

    def counted(texts: BatchTexts, ids: Any) -> None:
        lengths.append(ids.shape[1])
        look_up(texts, ids)

    patch.setattr(BatchTexts, "_look_up", counted)
    return lengths


class Seen(LogitsProcessor):
    """Keeps what it is handed, and hands it on."""

    def __init__(self) -> None:
        self.steps: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.random: list[torch.Tensor] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        self.steps.append((input_ids.clone(), scores.clone()))
        self.random.append(torch.get_rng_state())
        return scores


class Wrapped(LogitsProcessor):
    """Calls a processor from a place of its own: who calls says nothing of the rows then."""

    def __init__(self, inner: LogitsProcessor) -> None:
        self.inner = inner

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        return self.inner(input_ids, scores)


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    return model_of(0)


def mark_of(scheme: str, tokenizer: Tokenizer, registry: stela.Registry) -> stela.Watermark:
    return stela.create(scheme, tokenizer=tokenizer, key=7, registry=registry)


def generate(model: LlamaForCausalLM, processors: list[LogitsProcessor], **how: Any) -> list[list[int]]:
    torch.manual_seed(3)
    options: dict[str, Any] = {"max_new_tokens": 40, "do_sample": True, "top_k": 0, **how}
    out = model.generate(torch.tensor(PROMPTS), logits_processor=processors, **options)
    ids: list[list[int]] = out.tolist()
    return ids


class FewIds(LogitsProcessor):
    """Two ids alone, and after 25 tokens the end: contexts come again, rows end at different steps."""

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        out = torch.full_like(scores, -torch.inf)
        out[:, 200:202] = scores[:, 200:202]
        if input_ids.shape[1] > 4 + 25:
            out[:, 0] = scores[:, 0] - 2
        return out


@pytest.mark.parametrize("scheme", SCHEMES)
def test_sampling_never_looks_rows_up(
    model: LlamaForCausalLM,
    tokenizer: Tokenizer,
    registry: stela.Registry,
    scheme: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its logits are those of all ids, at every step; the record has the weights of the stateless steps.

    Of a mark that samples, each row has the token drawn by the call's nonce, the row and its length.
    """
    mark = mark_of(scheme, tokenizer, registry)
    monkeypatch.setattr(BatchTexts, "_look_up", lambda *args: pytest.fail("rows were looked up"))
    before, after, processor = Seen(), Seen(), mark.logits_processor(record=True)
    generate(model, [FewIds(), before, processor, after])
    assert len(before.steps) > 20
    marker, weights = mark.marker(), []
    torch.set_rng_state(before.random[0])
    nonce = int(torch.randint(2**63 - 1, ()))
    for length, ((ids, scores), (_, marked)) in enumerate(zip(before.steps, after.steps, strict=True)):
        step = marker.step(ids[:, 4:], scores)
        seeds = row_seeds(nonce, range(len(ids)), length)
        with drawing_by(seeds):
            wanted = marker.apply(step, scores)
        if marker.samples:
            wanted = drawn(wanted, seeds)
        assert torch.equal(marked, wanted)
        weights.append(step.weights)
    assert processor.weights == [list(row) for row in zip(*weights, strict=True)]
    assert any(None in row for row in weights[8:25]) == (scheme not in ("kgw", "exp")), "contexts come again"


@pytest.mark.parametrize("scheme", ["kgw", "gumbel"])
def test_a_processor_within_another_looks_rows_up(
    model: LlamaForCausalLM,
    tokenizer: Tokenizer,
    registry: stela.Registry,
    scheme: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And writes the same text."""
    mark = mark_of(scheme, tokenizer, registry)
    lookups = count_look_ups(monkeypatch)
    plain = generate(model, [FewIds(), mark.logits_processor()])
    assert lookups == []
    assert generate(model, [FewIds(), Wrapped(mark.logits_processor())]) == plain
    assert len(lookups) > 20


def test_beams_are_looked_up(
    model: LlamaForCausalLM, tokenizer: Tokenizer, registry: stela.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row as the stateless marker makes it, though rows branch and change places."""
    mark = mark_of("kgw", tokenizer, registry)
    anew: list[int] = []
    begin = BatchTexts._anew
    monkeypatch.setattr(BatchTexts, "_anew", lambda texts, ids: (anew.append(len(ids)), begin(texts, ids))[1])
    before, after = Seen(), Seen()
    generate(model, [before, mark.logits_processor(record=True), after], num_beams=3, do_sample=False)
    for (ids, scores), (_, marked) in zip(before.steps, after.steps, strict=True):
        assert torch.equal(marked, mark.marker()(ids[:, 4:], scores))
    assert len(before.steps) > 20
    assert anew == [], "every row goes on from one of the last step"


def test_rows_that_are_no_next_step_of_ours_are_looked_up(
    model: LlamaForCausalLM, tokenizer: Tokenizer, registry: stela.Registry
) -> None:
    """Within the loop another step is asked for in between: states are made again, and stay right."""
    mark = mark_of("gumbel", tokenizer, registry)
    processor = mark.logits_processor()

    class Between(LogitsProcessor):
        def __call__(self, input_ids: Any, scores: Any) -> Any:
            if input_ids.shape[1] % 3 == 0:
                processor(input_ids[:2, :6], scores[:2])
            return scores

    plain = generate(model, [FewIds(), mark.logits_processor()])
    assert generate(model, [FewIds(), Between(), processor]) == plain


def test_a_custom_loop_may_change_the_rows_places(
    model: LlamaForCausalLM, tokenizer: Tokenizer, registry: stela.Registry
) -> None:
    """Rows whose last ids are alike are not taken for each other: only generate's own loops keep places."""
    mark = mark_of("gumbel", tokenizer, registry)
    one, two, alike = [20, 21, 22, 23], [30, 31, 32, 33], [7] * 20
    ids = torch.tensor([PROMPTS[0] + one + alike + one + [9], PROMPTS[0] + two + alike + one + [9]])
    marked = []

    def loop(model: Any, input_ids: Any, logits_processor: Any, **how: Any) -> Any:
        scores = torch.zeros(2, 400)
        for length in range(4, ids.shape[1] + 1):
            rows = [0, 1] if length < 29 else [1, 0]
            torch.manual_seed(length)
            marked.append((rows, length, logits_processor(ids[rows, :length], scores)))
        return ids

    processor = mark.logits_processor(record=True)
    prompts = ids[:, :4]
    model.generate(
        prompts,
        do_sample=True,
        top_k=0,
        logits_processor=[processor],
        max_new_tokens=60,
        custom_generate=loop,
    )
    for rows, length, scores in marked:
        step = mark.marker().step(ids[rows, 4:length])
        wanted = mark.marker().apply(step, torch.zeros(2, 400))
        for row, weight in enumerate(step.weights):
            assert int(scores[row].isfinite().sum()) == 1
            assert weight is None or torch.equal(scores[row], wanted[row])
    assert processor.weights == [
        [token.weight for token in mark.detector.evidence([text])[0].tokens()]
        for text in ([*ids[1, 4:].tolist(), 300], [*ids[0, 4:].tolist(), 300])
    ]
