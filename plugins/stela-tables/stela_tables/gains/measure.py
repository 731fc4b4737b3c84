"""Measure a table of gains on human text, as models read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stela_cli.jobs.workers import make_executor
from stela_corpora.sampled import TextCorpus
from stela_models.tokenizer import load_tokenizer

from stela_core import Registry, StelaError
from stela_core.api import make_tagger
from stela_tables.count_job import identity_of
from stela_tables.gains.classes import by_tags, by_values
from stela_tables.gains.job import GainRecipe, MeasureBatches
from stela_tables.gains.sums import GainSums
from stela_tables.gains.table import GainTable
from stela_tables.learning.learn import label_of, other_tagger
from stela_tables.learning.pieces import Place, batches
from stela_tables.values import Learned, ValueTable


def measure_gains(
    registry: Registry,
    models: Sequence[str],
    corpora: Sequence[TextCorpus],
    recipe: GainRecipe,
    folder: Path,
    *,
    values: ValueTable | None = None,
    tagger: str | None = None,
    device: str | None = None,
    language: str = "",
    workers: int | None = None,
    executor: str = "local",
    origin: Mapping[str, Any] | None = None,
    advance: Callable[[int], None] | None = None,
    goes_on: Callable[[int], None] | None = None,
) -> GainTable:
    """A table of gains by classes of the last characters, or with a tagger by the last tags.

    Text is read in a stream, and a later call goes on from what a killed one left in ``folder``. Tokens of
    several models go into the same sums, each model over the same text: a mean over models.

    Args:
        registry: knows models, taggers and executors.
        models: by alias, folder or hub name.
        corpora: human text.
        recipe: what to measure.
        folder: made when there is something to keep.
        values: texts are in classes by this table's value, where there is no tagger.
        tagger: ``NAME[:MODEL]`` gives the tags.
        device: torch device.
        language: code of the language, for the record; by default that of the values or the tagger.
        workers: how many; by default what the executor takes.
        executor: where they run.
        origin: what else the sums depend on; compared when work goes on.
        advance: called with the number of tokens read since the last call.
        goes_on: called with the number of tokens that an earlier call left, where there are any.

    Raises:
        StelaError: neither or both of values and tagger are given, the corpora hold no text, a model or
            tagger cannot be loaded, or the folder cannot be written or holds sums of other settings.
    """
    if (values is None) == (tagger is None):
        raise StelaError("classes are by text or by tags.", "give a table of values or a tagger, not both")
    if values is not None and values.key != "characters":
        raise StelaError(
            f"the table of classes holds values by {values.key}.", "give one by characters, or a tagger"
        )
    identity = None if tagger is None else identity_of(make_tagger(registry, tagger, threads=1))
    tokenizers = [load_tokenizer(registry, model) for model in models]
    settings = {
        "recipe": [recipe.temperatures, recipe.strengths, recipe.longest, recipe.max_tokens],
        "models": list(models),
        "values": None if values is None else values.sha256,
        "tagger": None if identity is None else identity._asdict(),
        "corpora": [[corpus.name, corpus.size] for corpus in corpora],
        "origin": dict(origin or {}),
    }
    try:
        sums = GainSums(folder, settings)
        if goes_on is not None and sums.tokens:
            goes_on(sums.tokens)
        start = Place() if sums.place is None else Place(*sums.place)
        items = batches(corpora, tokenizers, recipe.max_tokens // max(1, len(corpora)), start)
        job = MeasureBatches.of(registry, models, recipe, values, tagger, device)
        with make_executor(registry, executor, workers).start(job) as measuring:
            for measured in measuring.map(items):
                if measured.tagger != identity:
                    raise other_tagger(measured.tagger)
                sums.add(measured.part, measured.place)
                if advance is not None:
                    advance(measured.size)
        if not sums.tokens:
            raise StelaError(
                "the corpora hold no text of two tokens.", 'each line is an object with a "text"'
            )
        sums.checkpoint()
    except OSError as error:
        raise StelaError(
            f'what is measured cannot be kept in "{folder}": {error.strerror}.',
            "give an -o in another folder",
        ) from None
    whole = sums.gathered()
    classed = by_tags(whole, recipe.minimum) if values is None else by_values(whole, values, recipe.bins)
    told = (
        f"classes of {recipe.minimum} tokens"
        if values is None
        else f"{recipe.bins} classes of {values.sha256[:12]}"
    )
    learned = Learned(
        " + ".join(label_of(registry, model) for model in models),
        tuple(corpus.name for corpus in corpora),
        Place(*(sums.place or ())).pieces,
        sums.tokens,
        told,
    )
    return GainTable(
        "tags" if values is None else "characters",
        recipe.longest if values is None else values.longest,
        classed.classes,
        classed.counts,
        recipe.temperatures,
        recipe.strengths,
        classed.effects,
        learned,
        language or (values.language if values is not None else identity.language if identity else ""),
        identity,
    )
