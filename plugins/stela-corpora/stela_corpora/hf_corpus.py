"""Documents of a Hugging Face dataset, streamed by the library ``datasets``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stela_core import StelaError
from stela_corpora.hf_name import HfName
from stela_corpora.hf_open import open_splits, reading

BUFFER = 1_000
"""Documents among which the next one of a sample is drawn: they are held in memory."""

STRINGS = ("string", "large_string", "string_view")


class HfCorpus:
    """The strings of one column, in order, with bounded memory.

    With ``documents`` a stream from the Hub is not read to its end: its files are put into random order, and
    each document is drawn from the next ``BUFFER`` (``IterableDataset.shuffle``), so a sample is nearly
    but not exactly uniform. The same seed and version of ``datasets`` give the same sample. A folder can be
    read twice and is sampled exactly: see :class:`stela_corpora.sampled.Sampled`.

    Iterating raises StelaError where reading fails, or a document is null, no string or holds lone
    surrogates; with ``skip_bad`` such documents are counted in :attr:`bad` and left out.
    """

    size = 0
    """Length, which is not known before the end."""

    def __init__(
        self,
        name: HfName,
        column: str = "text",
        skip_bad: bool = False,
        documents: int | None = None,
        seed: int = 0,
    ) -> None:
        self.name = name.corpus
        self.path = name.label
        self.skip_bad = skip_bad
        self.bad = 0
        """Documents left out so far."""
        self.position = 0
        """Bytes of text read so far."""
        self._column = column
        self._limit = documents
        stream = self._column_of(self._split_of(open_splits(name), name.split))
        # Before the shuffle: what else a document has need not wait in memory.
        stream = stream.select_columns([column])
        self._stream: Any = stream if documents is None else stream.shuffle(seed=seed, buffer_size=BUFFER)

    def __iter__(self) -> Iterator[str]:
        self.bad = self.position = taken = 0
        for number, record in enumerate(reading(self._stream, self.path), start=1):
            if self._limit is not None and taken >= self._limit:
                return
            try:
                text = check_text(record[self._column])
            except ValueError as error:
                if not self.skip_bad:
                    raise StelaError(
                        f'document {number} of dataset "{self.path}" {error}.', "--skip-bad leaves it out"
                    ) from None
                self.bad += 1
                continue
            taken += 1
            self.position += len(text.encode())
            yield text

    def _split_of(self, splits: dict[str, Any], wanted: str | None) -> Any:
        if wanted is None:
            wanted = "train" if "train" in splits else next(iter(splits)) if len(splits) == 1 else None
        if wanted not in splits:
            problem = f'has no split "{wanted}"' if wanted else "has several splits"
            raise StelaError(
                f'dataset "{self.path}" {problem}.', f"add @SPLIT, one of: {', '.join(map(str, splits))}"
            )
        return splits[wanted]

    def _column_of(self, stream: Any) -> Any:
        """The stream, once it is known to have the column."""
        columns = stream.column_names
        if columns is None:  # some formats tell only with the first record
            columns = list(next(reading(stream, self.path), {self._column: ""}))
        features = stream.features or {}
        if self._column not in columns:
            raise StelaError(
                f'dataset "{self.path}" has no column "{self._column}".',
                f"name one with --text-column: {', '.join(map(str, columns))}",
            )
        kind = getattr(features.get(self._column), "dtype", None)
        if features and kind not in STRINGS:
            strings = [name for name, feature in features.items() if getattr(feature, "dtype", "") in STRINGS]
            raise StelaError(
                f'column "{self._column}" of dataset "{self.path}" holds {kind or "lists"}, not strings.',
                f"columns of strings: {', '.join(strings) or 'none'}; choose with --text-column",
            )
        return stream


def check_text(value: object) -> str:
    """A text that a tagger can take.

    Raises:
        ValueError: saying what is wrong with it.
    """
    if value is None:
        raise ValueError("has no text (null)")
    if not isinstance(value, str):
        raise ValueError(f"is of type {type(value).__name__}, not a string")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"holds a lone surrogate (character {error.start} of its text)") from None
    return value
