"""Each scheme against the slow reference of its paper, on insertion and on detection."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from stela_testing.colours import green_reference

from stela_core.hashing.keys import seed_of
from stela_core.interfaces.logits import LanguageModel
from stela_core.watermark import Watermark
from tests import oracles
from tests.schemes.conftest import KEY, MakeMark

PADDING = 7
"""Logits past the tokenizer's vocabulary: never green."""

HIGH = 4.0
"""Nats."""


def green_list(context: tuple[int, ...], size: int, gamma: float, width: int) -> list[bool]:
    seed = seed_of(KEY, context)
    return [v < size and green_reference(seed, v, gamma) for v in range(width)]


def rows_of_logits(width: int) -> torch.Tensor:
    """From nearly certain to nearly uniform, and with a forbidden token."""
    scores = torch.randn(4, width, generator=torch.Generator().manual_seed(1))
    scores *= torch.tensor([[12.0], [6.0], [2.0], [0.5]])
    scores[1, 5] = -torch.inf
    return scores


@pytest.mark.deep(keep=[f"{scheme}-0.25" for scheme in ("kgw", "sweet", "ewd", "morphmark", "unigram")])
@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.5, 0.25])
@pytest.mark.parametrize("scheme", ["kgw", "sweet", "ewd", "morphmark", "unigram"])
def test_probabilities_after_one_step(make_mark: MakeMark, scheme: str, gamma: float) -> None:
    mark = make_mark(scheme, gamma=gamma)
    size = mark.profile.vocab_size
    scores = rows_of_logits(size + PADDING)
    before = [17, 4000, 17, 99]
    prompt = torch.tensor([[5], [6], [7], [8]])
    processor = mark.logits_processor()
    processor(prompt, scores)
    out = processor(torch.cat([prompt, torch.tensor(before)[:, None]], dim=1), scores)
    found = out.double().softmax(-1).numpy()
    marked = 0
    for row, token in enumerate(before):
        context = () if scheme == "unigram" else (token,)
        green = green_list(context, size, gamma, size + PADDING)
        logits = scores[row].tolist()
        if scheme == "sweet":
            expected = oracles.sweet(logits, green, 2.0, 0.9)
        elif scheme == "morphmark":
            expected = oracles.morphmark(logits, green, 1.30, 0.15)
        else:
            expected = oracles.kgw(logits, green, 2.0)
        # Two float32 roundings of logits of up to 50: a relative error of some 1e-5.
        assert found[row] == pytest.approx(expected, rel=1e-4, abs=1e-7)
        marked += not np.allclose(expected, oracles.softmax(logits), rtol=1e-3)
    assert marked >= 2, "the reference marks too"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["sweet", "ewd"])
@pytest.mark.parametrize("prompt", [None, "The history of the city"])
def test_evidence_weighed_by_the_model(
    make_mark: MakeMark, tiny: LanguageModel, scheme: str, prompt: str | None
) -> None:
    """The model is run on every prefix alone, and everything after it is plain Python."""
    model, tokenizer = tiny
    # The small model hesitates at most tokens: a high threshold gives both kinds.
    mark = make_mark(scheme, **({"threshold": HIGH} if scheme == "sweet" else {}))
    ids = tokenizer("The city has a long history of trade, and its people read old books.").input_ids
    prefix = [tokenizer.bos_token_id] if prompt is None else tokenizer(prompt).input_ids
    with torch.no_grad():
        rows = [model(torch.tensor([prefix + ids[:t]])).logits[0, -1].tolist() for t in range(1, len(ids))]
    weights = oracles.sweet_weights(rows, HIGH) if scheme == "sweet" else oracles.ewd_weights(rows, 0.5, 2.0)
    green = [green_reference(seed_of(KEY, (a,)), b, 0.5) for a, b in itertools.pairwise(ids)]
    pairs = list(itertools.pairwise(ids))
    [found] = mark.detect_ids([ids], model=tiny, prompts=None if prompt is None else [prompt])
    assert [t.weight for t in found.tokens][1:] == pytest.approx(weights, abs=1e-5)
    assert [t.green for t in found.tokens][1:] == green
    assert found.z_plain == pytest.approx(oracles.plain_z(green, weights, 0.5), abs=1e-4)
    assert found.z == pytest.approx(oracles.grouped_z(green, weights, pairs, 0.5), abs=1e-4)
    assert len(set(weights)) > 1


def test_unigram_scores_the_first_token_and_counts_a_token_once(make_mark: MakeMark) -> None:
    mark: Watermark = make_mark("unigram")
    ids = [300, 301, 300, 302, 301, 300]
    [found] = mark.detect_ids([ids])
    green = [green_reference(seed_of(KEY, ()), token, 0.5) for token in ids]
    assert [t.green for t in found.tokens] == green
    assert (found.scored_tokens, found.unique_pairs) == (6, 3)
    assert found.z == pytest.approx(oracles.grouped_z(green, [1.0] * 6, ids, 0.5))
    assert found.z_plain == pytest.approx(oracles.plain_z(green, [1.0] * 6, 0.5))


@pytest.mark.slow
def test_green_mass_of_a_row_ignores_the_batch(make_mark: MakeMark) -> None:
    """A peer sums the green probability over the whole batch, and so marks a row by its neighbours."""
    mark = make_mark("morphmark")
    scores = rows_of_logits(mark.profile.vocab_size)
    before = torch.tensor([[5, 17], [6, 4000], [7, 17], [8, 99]])

    def step(rows: slice) -> torch.Tensor:
        processor = mark.logits_processor()
        processor(before[rows, :1], scores[rows])
        return processor(before[rows], scores[rows]).clone()

    together = step(slice(None))
    for row in range(4):
        assert torch.equal(step(slice(row, row + 1))[0], together[row])
