"""What the configuration of a spaCy folder may name: spaCy's own parts, which run no code of the folder.

A pipeline's weights are msgpack and numpy arrays, neither of which can hold code. What could run code is
what the configuration names: functions of other packages, callbacks that load further pipelines, and layers
of torch, whose weights may be pickled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import stela_core as stela
from stela_core.api import read_bounded

CONFIG_LIMIT = 4 << 20
REGISTERED = re.compile(r"(?:spacy|spacy-legacy|stela_[a-z]+)\.(?!.*Torch)[\w.-]+")
OWN_CALLBACKS = re.compile(r"stela_[a-z]+\.[\w.-]+")
"""spaCy's own callbacks load other pipelines."""
ROW_WISE = re.compile(
    r"spacy\.(?:Tagger|Tok2Vec|Tok2VecListener|MultiHashEmbed|MaxoutWindowEncoder|HashEmbedCNN)\.v\d"
)
"""Layers that give a text the same numbers in any batch: convolutions over padded rows, on one gemm."""
FACTORIES = frozenset(
    """
    tok2vec tagger morphologizer attribute_ruler parser senter sentencizer lemmatizer trainable_lemmatizer ner
    beam_ner beam_parser entity_ruler entity_linker span_ruler spancat spancat_singlelabel textcat
    textcat_multilabel merge_noun_chunks merge_entities merge_subtokens token_splitter doc_cleaner
    """.split()  # noqa: SIM905
)
INSTALL = "name a folder with only components of spaCy, or install the model as a package"


def require_safe(folder: Path, model: str, exclude: Sequence[str]) -> None:
    """Check the configuration of a folder before spaCy acts on it.

    Args:
        folder: with a ``config.cfg``.
        model: as the user named it.
        exclude: components that are not loaded, and so not looked at.

    Raises:
        StelaError: it cannot be read, or names what spaCy does not bring, or layers of torch.
    """
    config = read_config(folder, model)
    nlp, components = config.get("nlp"), config.get("components", {})
    if not isinstance(nlp, Mapping) or not isinstance(components, Mapping):
        raise stela.StelaError(
            f'cannot read spaCy model "{model}": config.cfg describes no pipeline.', INSTALL
        )
    if not re.fullmatch(r"[a-z]{2,3}", str(nlp.get("lang"))):
        raise _refused(model, "nlp.lang", nlp.get("lang"))
    kept = {name: part for name, part in components.items() if name not in exclude}
    for name, component in kept.items():
        if not isinstance(component, Mapping) or component.get("factory") not in FACTORIES:
            raise _refused(model, f"components.{name}", component)
    for where, key, value in names_in({"nlp": nlp, "components": kept}):
        allowed = OWN_CALLBACKS if key == "@callbacks" else REGISTERED
        if not isinstance(value, str) or not allowed.fullmatch(value):
            raise _refused(model, where, value)


def read_config(folder: Path, model: str) -> dict[str, Any]:
    """``config.cfg`` as it stands: nothing in it is resolved.

    Raises:
        StelaError: it is missing, or not a configuration.
    """
    from stela_spacy.loading import import_spacy

    import_spacy()
    from thinc.api import Config

    what = f'cannot read spaCy model "{model}": config.cfg'
    data = read_bounded(folder / "config.cfg", CONFIG_LIMIT, what, INSTALL)
    try:
        return dict(Config().from_bytes(data, interpolate=False))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        said = next(iter(str(error).splitlines()), "")[:160]
        raise stela.StelaError(f"{what} is not a configuration: {said}", INSTALL) from None


def is_row_wise(components: Any) -> bool:
    """Whether the networks of components give a text the same tags in any batch."""
    return all(
        isinstance(value, str) and ROW_WISE.fullmatch(value)
        for _, key, value in names_in(components)
        if key == "@architectures"
    )


def names_in(value: Any, where: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every ``@registry`` at any depth: where it stands, which registry, and what is named."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            place = f"{where}.{key}".strip(".")
            if str(key).startswith("@"):
                yield place, str(key), inner
            else:
                yield from names_in(inner, place)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from names_in(inner, where)


def _refused(model: str, where: str, value: Any) -> stela.StelaError:
    shown = value.get("source") or value.get("factory") if isinstance(value, Mapping) else value
    return stela.StelaError(
        f'spaCy model "{model}" asks for {str(shown)[:80]!r} ({where}), which is not loaded.', INSTALL
    )
