"""Marks that choose tokens, in the marker and in transformers' ``generate``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stela_models.generation.generate import Sampling, generate

import stela_core as stela
from stela_core.insertion.marker import Marker

PLUGIN = Path(__file__).parent / "plain_gumbel.py"
PROMPTS = ["The river rises", "A house is", "We went to the market"]
WIDTH = 8200


@pytest.fixture(scope="module")
def registry() -> stela.Registry:
    return stela.create_registry([PLUGIN])


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create("plain_gumbel", model="tiny", key=f"{5:016x}", registry=registry)


@pytest.fixture(scope="module")
def model(registry: stela.Registry) -> Any:
    return stela.load_model("tiny", registry=registry)


def scores_of(rows: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (rows, WIDTH)).astype("f4"))


def expected(mark: stela.Watermark, ids: list[int], scores: torch.Tensor) -> int:
    """The token chosen after ``ids``, by the definition."""
    hasher = mark.parts.hasher
    seed = hasher.seeds(np.array([ids[-2:]]))
    tokens = np.arange(mark.profile.vocab_size)
    signal = hasher.draws(np.repeat(seed, len(tokens)), tokens)[:, 0]
    u = -np.expm1(-signal) + 0.5 / 2**32
    return int(np.argmax(scores[: len(tokens)].numpy() - np.log(-np.log(u))))


def test_marked_rows_have_one_token_left_and_others_are_as_they_were(mark: stela.Watermark) -> None:
    rows = [[10, 11], [12], [10, 11, 10, 11], [30, 31, 32]]
    scores = scores_of(4)
    out = mark.marker()(rows, scores)
    for row in (0, 3):
        assert torch.isfinite(out[row]).sum() == 1
        assert int(out[row].argmax()) == expected(mark, rows[row], scores[row])
    # Too few ids, and a context that came before.
    assert torch.equal(out[1], scores[1])
    assert torch.equal(out[2], scores[2])


def test_numpy_logits_are_marked_alike(mark: stela.Watermark) -> None:
    rows = [[10, 11], [12], [30, 31, 32]]
    scores = scores_of(3)
    assert np.array_equal(mark.marker()(rows, scores.numpy()), mark.marker()(rows, scores).numpy())


def test_rows_under_keys_of_their_own_are_as_under_each_alone(registry: stela.Registry) -> None:
    keys = [5, 6, 5]
    rows, scores = [[10, 11]] * 3, scores_of(1).repeat(3, 1)
    marks = [stela.create("plain_gumbel", model="tiny", key=key, registry=registry) for key in keys]
    out = marks[0].marker(keys=keys)(rows, scores)
    for row, one in enumerate(marks):
        assert torch.equal(out[row], one.marker()(rows[:1], scores[:1])[0])
    assert not torch.equal(out[0], out[1])


def test_padding_marks_the_first_token(registry: stela.Registry) -> None:
    made = stela.create("plain_gumbel", model="tiny", key=5, registry=registry)
    hasher = type(made.parts.hasher)(made.parts.hasher.Parameters(padded=True), 5)
    assert hasher.contexts(np.array([3, 4, 5]), np.arange(4)).tolist() == [[7, 7], [7, 3], [3, 4], [4, 5]]


@pytest.mark.parametrize(
    ("settings", "said"), [({"num_beams": 3}, "beams"), ({"do_sample": False}, "greedy")]
)
def test_beams_and_greedy_decoding_are_refused(
    mark: stela.Watermark, model: Any, settings: dict[str, Any], said: str
) -> None:
    inputs = model.tokenizer(PROMPTS[0], return_tensors="pt")
    chosen = {"do_sample": True, "max_new_tokens": 6} | settings
    with pytest.raises(stela.StelaError, match=said):
        model.model.generate(**inputs, **chosen, logits_processor=[mark.logits_processor()])


def test_a_call_of_generate_follows_the_definition_at_its_own_temperature(
    mark: stela.Watermark, model: Any
) -> None:
    """Each token after the first two is the one chosen from the logits over the temperature, top-k left."""
    temperature, top_k = 0.6, 20
    prompt = model.tokenizer(PROMPTS[0], return_tensors="pt")["input_ids"]
    torch.manual_seed(0)
    out = model.model.generate(
        prompt, do_sample=True, temperature=temperature, top_k=top_k, max_new_tokens=25, min_new_tokens=25,
        logits_processor=[mark.logits_processor()],
    )  # fmt: skip
    ids = out[0, prompt.shape[1] :].tolist()
    with torch.inference_mode():
        logits = model.model(out).logits[0].float() / temperature
    seen = set()
    for place in range(2, len(ids)):
        context = tuple(ids[place - 2 : place])
        own = logits[prompt.shape[1] + place - 1]
        own = own.masked_fill(own < own.topk(top_k).values[-1], -torch.inf)
        own[model.model.generation_config.eos_token_id] = -torch.inf  # min_new_tokens
        if context not in seen:
            assert ids[place] == expected(mark, ids[:place], own)
        seen.add(context)


def test_config_and_processor_write_the_same(mark: stela.Watermark, model: Any) -> None:
    inputs = model.tokenizer(PROMPTS, return_tensors="pt", padding=True)
    chosen = {"do_sample": True, "temperature": 0.8, "top_p": 0.9, "max_new_tokens": 20, "min_new_tokens": 20}
    written = []
    for how in (
        {"logits_processor": [mark.logits_processor()]},
        {"watermarking_config": mark.watermarking_config()},
    ):
        torch.manual_seed(3)
        written.append(model.model.generate(**inputs, **chosen, **how))
    start = inputs["input_ids"].shape[1]
    # The first two tokens are drawn free, from the same numbers or others; from equal ones on all is chosen.
    assert written[0].shape == written[1].shape
    for one, other in zip(written[0][:, start:].tolist(), written[1][:, start:].tolist(), strict=True):
        if one[:2] == other[:2]:
            assert one[:6] == other[:6]


def test_generate_writes_what_detection_sees(mark: stela.Watermark, model: Any) -> None:
    """Signals of marked tokens are large; positions that were not marked are not scored."""
    [texts] = list(generate(mark, model, PROMPTS, Sampling(60, 60, temperature=1.0), 8))
    for text in texts:
        assert text.mean_bias == 0.0
        [evidence] = mark.detector.evidence([text.token_ids])
        marked = [place for place, weight in enumerate(text.weights) if weight is not None]
        assert evidence.positions.tolist() == marked
        assert evidence.signal.mean() > 2.0
        assert evidence.draws is not None
        assert evidence.draws.shape == (len(marked), 1)
        assert len(np.unique(evidence.groups)) == len(marked)


def test_round_trip_takes_ids_away_before_one_is_chosen(mark: stela.Watermark, model: Any) -> None:
    [texts] = list(generate(mark, model, PROMPTS, Sampling(30, 30, 1.0, round_trip=True), 8))
    for text in texts:
        assert model.tokenizer(text.text, add_special_tokens=False)["input_ids"] == text.token_ids


def test_a_scheme_that_raises_logits_refuses_the_hasher(registry: stela.Registry) -> None:
    from stela_models.tokenizer import load_tokenizer

    from stela_core.profile.create import Settings

    with pytest.raises(stela.StelaError, match="chooses tokens"):
        Settings("kgw", hasher="plain_gumbel").create(registry, load_tokenizer(registry, "tiny"), 1, True)


def test_profile_names_no_gamma(mark: stela.Watermark) -> None:
    assert mark.profile.hasher.gamma is None
    assert b"gamma" not in mark.profile.hasher.model_dump_json().encode()
    assert isinstance(mark.marker(), Marker)
    assert mark.marker().samples
