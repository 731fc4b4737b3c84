"""Models that were trained on marked text and not, and what they are said to be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom
from stela_audit.radioactivity.places import Ids, Places, places_of
from stela_audit.radioactivity.suspect import Writing, answers, expected
from stela_audit.radioactivity.trace import (
    contexts_of,
    expected_places,
    judged,
    trace_answers,
    trace_closed,
    trace_open,
)

import stela_core as stela
from stela_core.api import LanguageModel
from tests.tiers import Draws

from .conftest import LENGTH, Setting, mark, marked_texts, prompts_of

pytestmark = pytest.mark.slow

KEYS, FEW = 200, 50
"""Keys in ``make test-deep``, and in ``make test``: of 50, 6 p-values of at most 0.01 are too many. Where
repeated contexts are wrongly scored, a quarter is as small.
"""


@pytest.mark.deep(
    stand_in="plugins/stela-audit/tests/radioactivity/test_command.py::test_closed_form_of_a_trained_model_as_json"
)
def test_training_on_marked_text_shows(setting: Setting) -> None:
    writing = Writing(LENGTH, seed=5, batch_size=100)
    closed = trace_answers(setting.watermark, setting.marked, setting.prompts, writing)
    opened = trace_open(setting.watermark, setting.marked, setting.trained)
    for outcome in (closed, opened):
        assert outcome.traced
        assert outcome.p_value < 1e-3
        assert outcome.lines()[0].endswith("it was trained on text of it, or writes with it")


@pytest.mark.deep(
    stand_in="plugins/stela-audit/tests/radioactivity/test_command.py::test_an_untrained_model_shows_no_sign"
)
def test_training_on_unmarked_text_does_not(setting: Setting, plain: LanguageModel) -> None:
    writing = Writing(LENGTH, seed=5, batch_size=100)
    closed = trace_answers(setting.watermark, plain, setting.prompts, writing)
    opened = trace_open(setting.watermark, plain, setting.trained)
    for outcome in (closed, opened):
        assert not outcome.traced
        assert outcome.p_value > 1e-3
        assert "no sign" in outcome.lines()[0]


def test_prompts_hold_out_what_the_model_may_repeat(setting: Setting) -> None:
    """Answers that copy their marked prompts are not a sign of training."""
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


class Marked(NamedTuple):
    """Two texts under each of many keys."""

    watermark: stela.Watermark
    keys: list[int]
    rows: list[list[int]]

    @property
    def texts(self) -> list[str]:
        return [self.watermark.tokens.decode(row) for row in self.rows]

    def p_values(
        self, places: list[Places], held: list[Ids] | None = None, fresh: bool = True
    ) -> list[float]:
        """Of each key's two texts, where there is one."""
        values = []
        for n, key in enumerate(self.keys):
            detector = self.watermark.detector.with_composition(self.watermark.parts.under(key))
            out = None if held is None else np.concatenate(held[2 * n : 2 * n + 2])
            both = Places.pooled(places[2 * n : 2 * n + 2])
            values.append(judged(detector, both, self.watermark.tokens, out, fresh).p_value)
        return values


def require_valid(values: list[float]) -> None:
    """P(p <= a) <= a, as far as so many keys can tell."""
    for alpha in (0.001, 0.01, 0.05, 0.1, 0.25, 0.5):
        below = sum(p <= alpha for p in values)
        assert binom.sf(below - 1, len(values), alpha) > 1e-4, (alpha, below)


@pytest.fixture(scope="module", params=["kgw", "stela", "gumbel"])
def under_many_keys(
    request: pytest.FixtureRequest, registry: stela.Registry, small: LanguageModel, draws: Draws
) -> Marked:
    chosen = {"tagger": "penn"} if request.param == "stela" else {}
    watermark = mark(registry, request.param, **chosen)
    keys = [int(key) for key in np.random.default_rng(7).integers(1, 2**63, draws(KEYS, FEW))]
    each = [key for key in keys for _ in range(2)]
    return Marked(watermark, keys, marked_texts(watermark, small, prompts_of(registry)[: len(each)], each))


@pytest.mark.deep(keep=["kgw"])
def test_p_values_hold_where_the_model_reads_marked_text(
    under_many_keys: Marked, small: LanguageModel
) -> None:
    require_valid(
        under_many_keys.p_values(expected_places(under_many_keys.watermark, small, under_many_keys.texts))
    )


@pytest.mark.deep(keep=["kgw"])
def test_p_values_hold_after_marked_prompts(under_many_keys: Marked, small: LanguageModel) -> None:
    watermark, texts = under_many_keys.watermark, under_many_keys.texts
    written = answers(small, texts, Writing(40, seed=3, batch_size=100))
    held = [contexts_of(watermark, [text]) for text in texts]
    require_valid(under_many_keys.p_values(places_of(watermark, written), held, fresh=False))


@pytest.mark.deep(keep=["kgw"])
def test_p_values_hold_for_a_model_that_only_copies(under_many_keys: Marked) -> None:
    """It expects what followed the last time, as an induction head does; if nothing did, a fixed token."""
    watermark = under_many_keys.watermark
    rows = [np.array(row * 2, dtype=np.int64) for row in under_many_keys.rows]
    places = []
    for text in places_of(watermark, rows, watermark.detector.positions_of(rows, None, None)):
        last: dict[tuple[int, ...], int] = {}
        copied = []
        for context, token in zip(text.contexts.tolist(), text.tokens.tolist(), strict=True):
            copied.append(last.get(tuple(context), -1))
            last[tuple(context)] = token
        places.append(text._replace(tokens=np.array(copied)))
    first = [text._replace(tokens=np.where(text.tokens < 0, 300, text.tokens)) for text in places]
    require_valid(under_many_keys.p_values(first))
    if not watermark.parts.hasher.first_only:  # else no repeated context is scored anyway
        copies = under_many_keys.p_values([text.only(text.tokens >= 0) for text in places], fresh=False)
        assert sum(p <= 0.01 for p in copies) > len(copies) / 4, "without fresh contexts"
