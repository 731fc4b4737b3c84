"""A small real sample to test metrics on: generated, cut and detected as ``stela run`` does it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from stela_models import ModelSource
from stela_models.generation.generate import Generated, Sampling, generate
from stela_models.loaded import Models
from stela_models.logits import ModelLogits

from stela_core import Registry, StelaError, Tagger, Watermark
from stela_core.api import resolve_scheme
from stela_run.cells.detecting import Tester
from stela_run.cells.marks import Marks
from stela_run.cells.model_weights import ModelWeights
from stela_run.metric import Marked, Sample, Unmarked
from stela_run.plan.keys import Keys
from stela_run.plan.plan import UNMARKED, GenerateCell
from stela_run.plan.schema import SchemeEntry, TagSet
from stela_run.testing.texts import HUMAN, PROMPTS

LANGUAGE = "en"


def make_sample(
    registry: Registry,
    scheme: str = "uniform",
    tagger: str | None = None,
    model: str | None = None,
    length: int = 40,
    keys: int = 3,
    prompts: Sequence[str] = PROMPTS,
    seed: int = 0,
    **entry: Any,
) -> Sample:
    """A sample in English: each prompt's marked, unmarked and human continuation.

    Args:
        registry: the plugins.
        scheme: the watermark.
        tagger: for schemes that use one; by default the first by name that is installed for English.
        model: writes the texts, on the CPU; by default the first alias that is installed.
        length: tokens generated, and tested; the human texts are tested whole, at up to this length.
        keys: under which unmarked texts are tested, the mark's own among them.
        prompts: the first of :data:`PROMPTS`.
        seed: of key and sampling.
        **entry: further fields of a scheme of an experiment file, such as ``delta``.

    Raises:
        StelaError: no model is installed, or no tagger where the scheme needs one.
    """
    model = model or _installed(registry, ModelSource)
    if tagger is None and resolve_scheme(registry, scheme).needs_contexts:
        tagger = _installed(registry, Tagger)
    models = Models(registry, "cpu")
    marks = Marks(registry, Path())
    language_model = models.load(model)
    tagset = TagSet(tagger=tagger or "none")

    def watermark_of(scheme: SchemeEntry) -> Watermark:
        return marks.watermark(GenerateCell(model, LANGUAGE, seed, scheme, tagset, id=""))

    def texts(mark: Watermark) -> tuple[list[Generated], float]:
        began = perf_counter()
        batches = generate(mark, language_model, list(prompts), Sampling(length, length, seed=seed), 50)
        generated = [one for batch in batches for one in batch]
        return generated, (perf_counter() - began) / sum(len(one.token_ids) for one in generated)

    watermark = watermark_of(SchemeEntry(name=scheme, **entry))
    weights = None
    if watermark.needs_model_to_detect:
        weights = ModelWeights(model, ModelLogits(*language_model), [watermark.parts.evidence], None)
    tester = Tester(watermark, language_model, weights)
    of_seed = Keys(seed, "seed", keys).all_of("")
    marked, seconds = texts(watermark)
    plain, plain_seconds = texts(watermark_of(UNMARKED))

    def tested(continuations: Sequence[str]) -> list[Unmarked]:
        rows = tester.detect(continuations, prompts, [of_seed] * len(continuations))
        return [Unmarked(*row) for row in zip(prompts, continuations, rows, strict=True)]

    cut = [tester.cut(one.text, length) or one.text for one in marked]
    human = [tester.cut(text, length) or text for text in HUMAN[: len(prompts)]]
    detections = [detection for [detection] in tester.detect(cut, prompts, [of_seed[:1]] * len(cut))]
    return Sample(
        language=LANGUAGE,
        length=length,
        seed=seed,
        marked=[Marked(*row) for row in zip(marked, cut, detections, strict=True)],
        model_text=tested([tester.cut(one.text, length) or one.text for one in plain]),
        human=tested(human),
        watermark=watermark,
        model=model,
        models=models,
        seconds_per_token=seconds,
        plain_seconds_per_token=plain_seconds,
    )


def _installed(registry: Registry, kind: type[ModelSource] | type[Tagger]) -> str:
    """The first by name that is installed; of taggers, that is for English."""
    for name in registry.names(kind):
        if kind is ModelSource or getattr(registry.get(kind, name), "language", None) == LANGUAGE:
            return name
    raise StelaError(f"no {kind.kind} for the sample is installed.", f"install one, or name it: {kind.kind}=")
