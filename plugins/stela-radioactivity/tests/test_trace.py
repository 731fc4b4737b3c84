"""Models that were trained on marked text and not, and what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from stela_radioactivity.suspect import Writing, answers, expected
from stela_radioactivity.trace import contexts_of, trace_answers, trace_closed, trace_open

import stela_core as stela
from stela_core.api import LanguageModel
from stela_core.creation import NewProfile

from .conftest import LENGTH, Setting, marked_texts, prompts_of

pytestmark = pytest.mark.slow

KEYS = 200


def test_training_on_marked_text_shows(setting: Setting) -> None:
    writing = Writing(LENGTH, seed=5)
    closed = trace_answers(setting.watermark, setting.marked, setting.prompts, writing)
    opened = trace_open(setting.watermark, setting.marked, setting.trained)
    for outcome in (closed, opened):
        assert outcome.traced
        assert outcome.p_value < 1e-3
        assert outcome.lines()[0].endswith(": the model was trained on text of this mark")


def test_training_on_unmarked_text_does_not(setting: Setting) -> None:
    writing = Writing(LENGTH, seed=5)
    closed = trace_answers(setting.watermark, setting.plain, setting.prompts, writing)
    opened = trace_open(setting.watermark, setting.plain, setting.trained)
    for outcome in (closed, opened):
        assert not outcome.traced
        assert outcome.p_value > 1e-3
        assert "no sign" in outcome.lines()[0]


def test_prompts_hold_out_what_the_model_may_repeat(setting: Setting) -> None:
    """Answers that copy their marked prompts are no sign of training."""
    watermark = setting.watermark
    rows = [np.array(watermark.detector.ids_of([text])[0]) for text in setting.trained]
    assert trace_closed(watermark, rows, [""], unmarked=True).traced
    held = contexts_of(watermark, setting.trained)
    assert {tuple(row) for row in held.tolist()} >= {(int(token),) for row in rows for token in row}
    with pytest.raises(stela.StelaError, match="no token of the model counts"):
        trace_closed(watermark, rows, setting.trained)


def test_what_the_model_expects_is_its_likeliest_text_token(setting: Setting) -> None:
    import torch

    watermark, model = setting.watermark, setting.marked
    [row] = watermark.detector.ids_of([" ".join(setting.trained[:12])])
    assert len(row) > 600, "longer than a window"
    ids = np.array(row)
    is_text = np.array([watermark.tokens.is_text(n) for n in range(len(watermark.tokens))])
    at = np.arange(1, len(ids), 7)
    [chosen] = expected(model, [ids], [at], is_text)
    first = model.tokenizer.bos_token_id
    for place, token in list(zip(at.tolist(), chosen.tolist(), strict=True))[::9]:
        begin = place - place % 512
        with torch.no_grad():
            logits = model.model(torch.tensor([[first, *row[begin:place]]])).logits[0, -1]
        logits[torch.from_numpy(~is_text)] = -torch.inf
        assert logits[token].item() == pytest.approx(logits.max().item(), abs=1e-4)


@pytest.mark.parametrize("scheme", ["kgw", "gumbel"])
def test_p_values_hold_over_keys(registry: stela.Registry, small: LanguageModel, scheme: str) -> None:
    """The untrained model reads and repeats texts that bear the mark of each key: still P(p <= a) <= a."""
    making = NewProfile(model="tiny-small", scheme=scheme, language="en", registry=registry)
    assembly, first = making.assembly()
    watermark = assembly.under(first)
    keys = [int(key) for key in np.random.default_rng(7).integers(1, 2**63, KEYS)]
    prompts = prompts_of(registry)[: 2 * KEYS]
    rows = marked_texts(watermark, small, prompts, [key for key in keys for _ in range(2)])
    p_values: dict[str, list[float]] = {"open": [], "closed": []}
    texts = [watermark.tokens.decode(row) for row in rows]
    written = answers(small, texts, Writing(40, seed=3, batch_size=100))
    for n, key in enumerate(keys):
        part = slice(2 * n, 2 * n + 2)
        under = assembly.under(key)
        p_values["open"].append(trace_open(under, small, texts[part]).p_value)
        p_values["closed"].append(trace_closed(under, written[part], texts[part]).p_value)
    for name, values in p_values.items():
        for alpha in (0.01, 0.05, 0.1, 0.25, 0.5):
            below = sum(p <= alpha for p in values)
            assert binom.sf(below - 1, KEYS, alpha) > 1e-4, (name, alpha, below)
