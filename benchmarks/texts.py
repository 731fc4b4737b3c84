"""Human text to measure on, and profiles over the embedded model's tokenizer."""

from __future__ import annotations

import ast
import sys
import sysconfig
import tempfile
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics

from stela_corpora.corpus import Corpus
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer
from stela_run.null.shift import cut

import stela_core as stela
from stela_core.composition import resolve_scheme
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger
from stela_core.text.token_bytes import TokenBytes

TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}
PROMPTS = {"zh": "这座城市的历史", "ko": "이 도시의 역사는"}


def needs_contexts(scheme: str) -> bool:
    """Whether a scheme needs a tagger."""
    return resolve_scheme(registry(), scheme).needs_contexts


def has_tagger(language: str) -> bool:
    """Whether the language's tagger is installed and can be constructed here."""
    try:
        make_tagger(registry(), TAGGERS[language])
    except (KeyError, stela.StelaError):
        return False
    return True


@cache
def registry() -> stela.Registry:
    """The installed plugins."""
    return stela.create_registry()


@cache
def watermark(
    scheme: str, language: str, delta: float = 2.0, tagger: str | None = None, hasher: str | None = None
) -> stela.Watermark:
    """A watermark with a fixed key for the embedded model; ``delta`` where the scheme has one.

    ``tagger`` in place of the language's own, where the scheme uses one; ``hasher`` in place of its own.
    """
    has_delta = "delta" in resolve_scheme(registry(), scheme).parameters.model_fields
    created = Settings(
        scheme, {"delta": delta} if has_delta else {}, language=language, hasher=hasher
    ).create(
        registry(),
        load_tokenizer(registry(), "tiny"),
        2026,
        public=True,
        tagger=make_tagger(registry(), tagger or TAGGERS[language]) if needs_contexts(scheme) else None,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.stela"
        created.archive.write(path)
        return stela.load(path, registry=registry())


@cache
def tokens_of_tiny() -> TokenBytes:
    """The bytes of the embedded model's tokens."""
    return TokenBytes.of(load_tokenizer(registry(), "tiny"))


MADE = ("code", "table", "list")
"""Kinds of text that every Python has."""


def made_of(kind: str) -> Iterator[str]:
    """Python's own sources; or tables of Unicode's characters; or lists of what its modules define."""
    if kind == "code":
        for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
            source = file.read_text(encoding="utf-8", errors="replace")
            yield from (source[i : i + 3000] for i in range(0, min(len(source), 30_000), 3000))
        return
    if kind == "table":
        for start in range(0x21, 0x2FFF, 40):
            cells = (
                (hex(n), unicodedata.name(chr(n), ""), unicodedata.category(chr(n)))
                for n in range(start, start + 40)
            )
            lines = [",".join(row) for row in cells if row[1]]
            if len(lines) > 20:
                yield "code,name,category\n" + "\n".join(lines)
        return
    for name in sorted(sys.stdlib_module_names):
        spec = Path(sysconfig.get_paths()["stdlib"]) / f"{name}.py"
        if spec.is_file():
            tree = ast.parse(spec.read_text(encoding="utf-8", errors="replace"))
            names = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
            if len(names) > 30:
                yield f"{name}:\n" + "\n".join(f"- {one}" for one in names[:150])


class Texts:
    """Documents by language."""

    def __init__(self, data: Path | None) -> None:
        self.data = data

    def documents(self, language: str, count: int, tokens: int) -> list[list[int]]:
        """Token ids of up to ``count`` documents, each cut to ``tokens``; shorter ones are left out."""
        tokenizer = load_tokenizer(registry(), "tiny")
        rows: list[list[int]] = []
        for text in self.read(language, count, tokens):
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            if len(ids) >= tokens:
                rows.append(ids[:tokens])
            if len(rows) == count:
                break
        return rows

    def cut(self, language: str) -> tuple[list[list[int]], list[str]]:
        """Token ids of all human documents, cut to 50, 100, 200 and 400 in turn, and the corpus of each.

        Without ``--data`` there is English alone.
        """
        tokenizer = load_tokenizer(registry(), "tiny")
        rows: list[list[int]] = []
        sources: list[str] = []
        for source, texts in self._corpora(language).items():
            rows += [piece.ids for piece in cut(texts, tokenizer, len(texts))]
            sources += [source] * (len(rows) - len(sources))
        return rows, sources

    def _corpora(self, language: str) -> dict[str, list[str]]:
        if language in MADE:
            return {language: list(made_of(language))}
        if self.data is not None:
            return {p.name.partition(".")[0]: texts_of(p) for p in self._paths(language)}
        return {"pydoc": self.read(language, 0, 400)} if language == "en" else {}

    def some(self, language: str, characters: int) -> list[str]:
        """The first documents of each corpus of a language, about so many characters in all."""
        paths = self._paths(language)
        return [text for path in paths for text in beginning(path, characters // len(paths))]

    def _paths(self, language: str) -> list[Path]:
        assert self.data is not None
        return sorted((self.data / "corpora" / language).glob("*.jsonl.gz"))

    def read(self, language: str, count: int, tokens: int) -> list[str]:
        """Documents of a language: all there are, or about ``count`` of ``tokens`` tokens made here."""
        if self.data is not None:
            return [text for path in self._paths(language) for text in texts_of(path)]
        if language == "en":
            prose = "\n".join(topics.values())
            size = 6 * tokens
            return [prose[i : i + size] for i in range(0, len(prose), size)]
        return unmarked(language, min(count, 300), tokens)


def beginning(path: Path, characters: int) -> list[str]:
    """The first texts of one compressed corpus: at least so many characters, where it has them."""
    texts, left = [], characters
    for text in Corpus(path):
        texts.append(text)
        left -= len(text)
        if left <= 0:
            break
    return texts


def texts_of(path: Path) -> list[str]:
    """The texts of one compressed corpus."""
    return list(Corpus(path))


def unmarked(language: str, count: int, tokens: int) -> list[str]:
    """Text of the embedded model with delta 0: no mark."""
    mark = watermark("kgw", language, delta=0.0)
    prompts = [PROMPTS[language]] * count
    batches = generate(mark, load_model(registry(), "tiny"), prompts, Sampling(tokens + 40), batch_size=50)
    return [text.text for batch in batches for text in batch]
