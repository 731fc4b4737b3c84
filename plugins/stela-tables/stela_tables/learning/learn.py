"""Learn a value table from human text: what reference models, or only the text, say of the next token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stela_cli.jobs.workers import make_executor
from stela_corpora.sampled import TextCorpus
from stela_models import ModelSource
from stela_models.tokenizer import load_tokenizer

from stela_core import Registry, StelaError
from stela_core.api import make_tagger
from stela_tables.count_job import identity_of
from stela_tables.counts import TaggerIdentity
from stela_tables.learning.finish import finish
from stela_tables.learning.job import LearnBatches
from stela_tables.learning.pieces import Place, batches
from stela_tables.learning.recipe import Recipe
from stela_tables.learning.sums import Sums, remove_sums
from stela_tables.values import Learned, ValueTable

Advance = Callable[[int], None]


def learn_table(
    registry: Registry,
    models: Sequence[str],
    corpora: Sequence[TextCorpus],
    recipe: Recipe,
    folder: Path,
    *,
    tagger: str | None = None,
    device: str | None = None,
    language: str = "",
    workers: int | None = None,
    executor: str = "local",
    origin: Mapping[str, Any] | None = None,
    advance: Advance | None = None,
    goes_on: Advance | None = None,
) -> ValueTable:
    """A table of the recipe's quantity by the last characters, or with a tagger by the last tags.

    Memory does not grow with the text: sums that do not fit lie in ``folder``, and a later call goes on from
    what a killed one left there. Sums are of whole numbers, and on a CPU a model runs on one thread of each
    worker: the table is the same for any number of workers on machines of one kind, also where work went on.

    Args:
        registry: knows models, taggers and executors.
        models: reference models, by alias, folder or hub name. Observations of several go into the same sums,
            over the same text; ``token-gini`` takes one, and only its tokenizer.
        corpora: human text.
        recipe: what to learn and how.
        folder: made when there is something to keep. :func:`forget` removes it, once the table is written.
        tagger: ``NAME[:MODEL]`` gives the tags; without one the table is by characters.
        device: torch device.
        language: code of the language, for the record; by default the tagger's.
        workers: how many; by default what the executor takes.
        executor: where they run.
        origin: what else the sums depend on, such as the seed of a sample; compared when work goes on.
        advance: called with the number of tokens read since the last call.
        goes_on: called with the number of observations that an earlier call left, where there are any.

    Raises:
        StelaError: the corpora hold no text, a model or tagger cannot be loaded, a worker was lost, or the
            folder cannot be written or holds the sums of other settings.
    """
    if not models:
        raise StelaError(
            f'quantity "{recipe.quantity}" weighs each token by a model\'s distribution, so learning has to '
            "run that model.",
            "add --model NAME (in Python, model=(model, tokenizer))",
        )
    if recipe.counts_followers and len(models) > 1:
        raise StelaError(
            f'quantity "{recipe.quantity}" counts the tokens of one tokenizer.', "give one --model"
        )
    identity = None if tagger is None else identity_of(make_tagger(registry, tagger, threads=1))
    tokenizers = [load_tokenizer(registry, model) for model in models]
    settings = {
        "quantity": recipe.quantity,
        "temperature": recipe.temperature,
        "longest": recipe.longest,
        "max_tokens": recipe.max_tokens,
        "models": list(models),
        "tagger": None if identity is None else identity._asdict(),
        "corpora": [[corpus.name, corpus.size] for corpus in corpora],
        "origin": dict(origin or {}),
    }
    try:
        sums = Sums(folder, recipe.longest, recipe.counts_followers, settings)
        if goes_on is not None and sums.totals.observations:
            goes_on(sums.totals.observations)
        items = batches(
            corpora,
            tokenizers,
            recipe.max_tokens // max(1, len(corpora)),
            Place() if sums.place is None else Place(*sums.place),
        )
        job = LearnBatches.of(registry, models, recipe, tagger, device)
        with make_executor(registry, executor, workers).start(job) as learners:
            for learnt in learners.map(items):
                if learnt.tagger != identity:
                    raise other_tagger(learnt.tagger)
                sums.add(learnt.shard, list(learnt.place))
                if advance is not None:
                    advance(learnt.size)
        if not sums.totals.observations:
            raise StelaError(
                "the corpora hold no text of two tokens.", 'each line is an object with a "text"'
            )
        sums.checkpoint()
        finished = finish(sums, recipe, "" if identity is None else " ")
    except OSError as error:
        raise StelaError(
            f'what is learned cannot be kept in "{folder}": {error.strerror}.', "give an -o in another folder"
        ) from None
    learned = Learned(
        " + ".join(label_of(registry, model) for model in models),
        tuple(corpus.name for corpus in corpora),
        Place(*(sums.place or ())).pieces,
        sums.totals.observations,
        recipe.described(len(models)),
    )
    return ValueTable(
        recipe.quantity,
        "characters" if identity is None else "tags",
        recipe.longest,
        finished.values,
        max(1, finished.mean),
        learned,
        language or (identity.language if identity is not None else ""),
        identity,
    )


def forget(folder: Path) -> None:
    """Remove what :func:`learn_table` left in a folder, and the folder where it holds nothing else."""
    remove_sums(folder)


def label_of(registry: Registry, model: str) -> str:
    """A model's name for the record: no path of this machine."""
    return model if registry.has(ModelSource, model) else Path(model).name


def other_tagger(other: TaggerIdentity | None) -> StelaError:
    """What is said where a worker has another tagger."""
    version = "none" if other is None else f"{other.version} (fingerprint {other.fingerprint})"
    return StelaError(
        f"a worker has another version of the tagger: {version}.", "install the same everywhere"
    )
