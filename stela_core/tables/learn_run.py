"""Learn a value table from human text: what a reference model, or the text alone, says of the next token."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.corpora.sample import TextCorpus
from stela_core.errors import StelaError
from stela_core.interfaces import Tagger
from stela_core.interfaces.weighting import TAIL
from stela_core.models.logits import ModelLogits, model_needed
from stela_core.tables.count_job import identity_of
from stela_core.tables.learn import Expectations, Steps, prune, smooth, unbiased_gini
from stela_core.tables.values import UNIT, Key, Learned, ValueTable
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import tails_before_each
from stela_core.text.token_bytes import TokenBytes

if TYPE_CHECKING:
    from stela_core.models.load import LanguageModel

Quantity = Literal["expected-gain", "spike-entropy", "gumbel-gain", "synthid-gain", "token-gini"]
"""The last counts which tokens follow in the text; the others ask a language model. Of marks by green lists,
Gumbel marks and tournaments; ``gumbel-gain`` holds the best weight of the mean gain g, ``g / (1 + g)``."""

PIECE = 512
"""Tokens of a document that are read at once."""

BATCH = 16
"""Pieces that the model reads at once."""

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Recipe:
    """How a table is learned."""

    quantity: Quantity = "expected-gain"
    longest: int = 10
    """Characters (or tags) of the longest context."""
    smoothing: float = 3.0
    """Weight of a context's suffix, in observations."""
    minimum: int = 3
    """Contexts seen less often are left out."""
    least: float = 0.02
    """Contexts whose value is nearer to that of their suffix, relative to the mean, are left out."""
    temperature: float = 0.7
    """At which the text to be marked is drawn."""
    max_tokens: int = 1_000_000
    """Of all corpora together, the same number of each."""


def learn_table(
    corpora: Sequence[TextCorpus],
    recipe: Recipe,
    tokenizer: Tokenizer,
    source: str,
    model: LanguageModel | None = None,
    tagger: Tagger | None = None,
    language: str = "",
    advance: Advance | None = None,
) -> ValueTable:
    """A table of the recipe's quantity by the last characters, or with a tagger by the last tags.

    Args:
        corpora: human text.
        recipe: what to learn and how.
        tokenizer: cuts the text into tokens: the model's own.
        source: name of the model or tokenizer, for the record.
        model: the reference model; not needed for ``token-gini``.
        tagger: gives the tags; without one the table is by characters.
        language: code of the language, for the record.
        advance: called with the number of tokens read since the last call.

    Raises:
        StelaError: the corpora hold no text, or a model is needed and missing.
    """
    if recipe.quantity != "token-gini" and model is None:
        raise model_needed("quantity", recipe.quantity, "learning")
    tokens = TokenBytes.of(tokenizer)
    key: Key = "characters" if tagger is None else "tags"
    joiner = "" if tagger is None else " "
    contexts = None
    if tagger is not None:
        contexts = CausalContexts(tagger, recipe.longest + 1, tagger.window, tokens)
    expectations = Expectations(recipe.longest, joiner)
    followers: dict[str, Counter[int]] = defaultdict(Counter)
    documents = 0
    for corpus in corpora:
        read = 0
        for batch in _batches(corpus, tokenizer, recipe.max_tokens // len(corpora)):
            documents += len(batch)
            steps = [_steps(ids, contexts, tokens) for ids in batch]
            if recipe.quantity == "token-gini":
                for ids, before in zip(batch, steps, strict=True):
                    expectations.add(before, np.zeros(len(before)))
                    _count(followers, before, ids[1:], recipe.longest, joiner)
            else:
                assert model is not None
                for before, targets in zip(steps, _targets(model, batch, recipe), strict=True):
                    expectations.add(before, targets)
            size = sum(map(len, batch))
            read += size
            if advance is not None:
                advance(size)
    if not expectations.total:
        raise StelaError("the corpora hold no text of two tokens.", 'each line is an object with a "text"')
    means = expectations.means()
    if recipe.quantity == "token-gini":
        means = {context: unbiased_gini(followers[context].values()) for context in means}
    values = smooth(means, expectations.counts, recipe.smoothing, recipe.minimum, joiner)
    if recipe.quantity == "gumbel-gain":
        values = {context: value / (1 + value) for context, value in values.items()}
    kept = prune(values, recipe.least * values[""], joiner)
    learned = Learned(
        source, tuple(corpus.name for corpus in corpora), documents, expectations.total, _settings(recipe)
    )
    table = ValueTable(
        recipe.quantity,
        key,
        recipe.longest,
        kept,
        kept[""],
        learned,
        language,
        None if tagger is None else identity_of(tagger),
    )
    mean = _mean(table, expectations, key)
    return ValueTable(table.quantity, key, table.longest, kept, max(1, mean), learned, language, table.tagger)


def _mean(table: ValueTable, expectations: Expectations, key: Key) -> int:
    """Mean value over the positions that have a context of full length, in thousandths."""
    total = weight = 0.0
    for context, count in expectations.counts.items():
        units = context if key == "characters" else context.split(" ")
        if len(units) == table.longest:
            value = table.of_text(context) if key == "characters" else table.of_tags(tuple(units))
            total += count * value
            weight += count
    return round(total / weight * UNIT) if weight else table.values[""]


def _batches(corpus: TextCorpus, tokenizer: Tokenizer, limit: int) -> Iterator[list[list[int]]]:
    """Pieces of documents of at least two tokens, ``BATCH`` at a time, until ``limit`` tokens."""
    batch: list[list[int]] = []
    read = 0
    for text in corpus:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        for start in range(0, len(ids) - 1, PIECE):
            batch.append(ids[start : start + PIECE])
            read += len(batch[-1])
            if len(batch) == BATCH:
                yield batch
                batch = []
            if read >= limit:
                break
        if read >= limit:
            break
    if batch:
        yield batch


def _steps(ids: list[int], contexts: CausalContexts | None, tokens: TokenBytes) -> list[Steps]:
    """What stands before each token but the first."""
    if contexts is not None:
        return list(contexts.before_each(ids)[1:])
    return list(tails_before_each(ids, tokens, TAIL)[1:])


def _count(
    followers: dict[str, Counter[int]], before: list[Steps], after: list[int], longest: int, joiner: str
) -> None:
    for context, token in zip(before, after, strict=True):
        for length in range(min(longest, len(context)) + 1):
            followers[joiner.join(context[len(context) - length :])][token] += 1


def _targets(model: LanguageModel, batch: list[list[int]], recipe: Recipe) -> list[npt.NDArray[np.float64]]:
    """The quantity at each token but the first of each piece."""
    from stela_core.tables.freedom import expected_gain, spike_entropy
    from stela_core.tables.sampling_gain import gumbel_gain, synthid_gain

    gains = {"expected-gain": expected_gain, "gumbel-gain": gumbel_gain, "synthid-gain": synthid_gain}
    reader = ModelLogits(*model, batch=BATCH)
    rows = [np.asarray(ids, dtype=np.int64) for ids in batch]
    positions = [np.arange(1, len(ids)) for ids in rows]
    targets = [np.zeros(len(at)) for at in positions]
    for chunk in reader.chunks(rows, positions, reader.prefixes(None, len(rows))):
        if recipe.quantity == "spike-entropy":
            values = spike_entropy(chunk.logits)
        else:
            values = gains[recipe.quantity](chunk.logits, recipe.temperature)
        targets[chunk.text][chunk.start : chunk.stop] = values
    return targets


def _settings(recipe: Recipe) -> str:
    settings = f"smoothing {recipe.smoothing:g}, seen {recipe.minimum} times, least {recipe.least:g}"
    if recipe.quantity not in ("spike-entropy", "token-gini"):
        settings = f"temperature {recipe.temperature:g}, {settings}"
    return settings
