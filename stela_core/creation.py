"""``stela.create``: a new profile in one call, as a Watermark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_core.errors import StelaError
from stela_core.files.write import require_free
from stela_core.hashing.key_file import write_key_file
from stela_core.hashing.keys import format_key, new_key
from stela_core.hashing.slow_keys import new_salt
from stela_core.interfaces import Calibration, Tagger
from stela_core.models.load import load_tokenizer
from stela_core.profile.archive import write_archive
from stela_core.profile.create import Created, Settings, create_profile, key_words_of
from stela_core.profile.key import Key, number_of
from stela_core.profile.provenance import remember
from stela_core.registry.components import Registry, default_registry
from stela_core.registry.tagger_spec import make_tagger
from stela_core.tables.file import read_table_bytes
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.tokenizer import backend_of
from stela_core.watermark import Watermark

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerBase

PUBLIC = "public"


class NewWatermark(Watermark):
    """What :func:`create` returns: a watermark whose profile is not in a file yet.

    Args:
        created: the profile, what lies beside it and its parts.
        key: the key, 64 bits.
        drawn: the key is secret and is known nowhere else.
        registry: the plugins.
        contexts: those of the tagger that is loaded already.
    """

    def __init__(
        self, created: Created, key: int, drawn: bool, registry: Registry, contexts: CausalContexts | None
    ) -> None:
        super().__init__(created.archive, key, registry, contexts, parts=created.parts)
        self._archive = created.archive
        self._key = key
        hasher = created.parts.composition.hasher
        self._words = hasher.key_words(hasher.parameters)
        self._drawn = drawn

    @property
    def key(self) -> str:
        """The key as 16 hex digits (for each of its words): keep it, if it is secret."""
        return format_key(self._key, self._words)

    def save(self, path: str | Path, *, key_file: str | Path | None = None, force: bool = False) -> None:
        """Write the profile, for ``stela.load`` and every command.

        Args:
            path: of the new ``.stela`` file.
            key_file: write a secret key there, readable by its owner alone; for a secret key that was
                drawn there has to be one, or the key would be lost with this object.
            force: replace a profile of this name; a key file is never replaced.

        Raises:
            StelaError: a file is there already or cannot be written, or ``key_file`` is missing, or
                was given for a key that is public.
        """
        if self._drawn and key_file is None:
            raise StelaError(
                "the key is secret and nobody else has it: without it this profile is of no use.",
                'save("p.stela", key_file="key.txt"), or create(..., key="public")',
            )
        if key_file is not None and self.profile.hasher.key is not None:
            raise StelaError("the key is public: it is in the profile.", "leave key_file out")
        require_free(Path(path), force)
        if key_file is not None:
            write_key_file(key_file, self._key, self._words)
        write_archive(path, self._archive, replace=force)
        remember(self._archive.profile)
        self._drawn = False


def create(
    scheme: str,
    model: str | None = None,
    tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
    tagger: str | Tagger | None = None,
    key: Key | None = None,
    *,
    delta: float | None = None,
    gamma: float | None = None,
    context_width: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    table: str | Path | None = None,
    k: int | None = None,
    window: int | None = None,
    calibration: Calibration = "tokens",
    language: str | None = None,
    min_tokens: int | None = None,
    alpha: float | None = None,
    allow_lenient: bool = False,
    registry: Registry | None = None,
) -> NewWatermark:
    """Make a profile, as ``stela profile new`` does; ``.save("p.stela")`` writes it.

    ``None`` leaves a choice to the scheme and the tagger.

    Args:
        scheme: name of a scheme, or of a weighting to use on both sides.
        model: alias, folder or Hugging Face name of the model, for its tokenizer; or
        tokenizer: the tokenizer itself.
        tagger: ``NAME`` or ``NAME:MODEL``, or a tagger object, for schemes that use POS contexts.
        key: a secret key (an integer of 64 bits, 16 hex digits, or the ``Path`` of a key file); ``"public"``
            draws one and writes it into the profile; ``None`` draws a secret one, which ``.save`` writes into
            a file of its own.
        delta: mean bias on green logits, nats.
        gamma: share of green tokens, in (0, 1).
        context_width: preceding tokens that seed the split.
        parameters: others of the scheme, and of its hasher.
        table: file of an indeterminacy table; by default the tagger's own.
        k: n-gram length of the POS contexts.
        window: words (or characters) tagged before a token.
        calibration: which mean delta is divided by: over text (``tokens``) or contexts (``types``).
        language: ISO 639-1 code.
        min_tokens: fewer distinct pairs are "insufficient text", whatever they show; 8 by default.
        alpha: largest p-value called watermarked.
        allow_lenient: let alpha be above 0.05, or min_tokens below 8.
        registry: the plugins to use; by default the installed ones.

    Raises:
        StelaError: a part is missing or does not fit the others, or not one of ``model`` and
            ``tokenizer`` was given.
    """
    registry = registry or default_registry()
    if (model is None) == (tokenizer is None):
        raise StelaError(
            "give either model=NAME or tokenizer=TOKENIZER.",
            "one of the two: an alias, folder or Hugging Face name, or the tokenizer itself",
        )
    public = key == PUBLIC
    settings = Settings(
        scheme=scheme,
        parameters=parameters or {},
        gamma=gamma,
        context_width=context_width,
        k=k,
        window=window,
        calibration=calibration,
        language=language,
        min_tokens=min_tokens,
        alpha=alpha,
        allow_lenient=allow_lenient,
    ).with_delta(delta)
    salt, words = None if public else new_salt(), key_words_of(registry, settings)
    number = new_key(words) if public or key is None else number_of(key, salt, words)
    backend = load_tokenizer(registry, model) if model is not None else backend_of(_given(tokenizer))
    if isinstance(tagger, str):
        tagger = make_tagger(registry, tagger)
    data = None if table is None else read_table_bytes(table)
    return assemble(registry, settings, backend, number, public, tagger, data, salt, drawn=key is None)


def assemble(
    registry: Registry,
    settings: Settings,
    tokenizer: Tokenizer,
    key: int,
    public: bool,
    tagger: Tagger | None = None,
    table: bytes | None = None,
    salt: str | None = None,
    drawn: bool = False,
) -> NewWatermark:
    """:func:`create_profile`, and the watermark of what it made; the tagger is not loaded twice."""
    created = create_profile(registry, settings, tokenizer, key, public, tagger, table, salt)
    profile = created.archive.profile
    contexts = None
    if tagger is not None and profile.tagger is not None and profile.k and profile.window:
        contexts = CausalContexts(tagger, profile.k, profile.window, created.parts.tokens)
    return NewWatermark(created, key, drawn, registry, contexts)


def _given(tokenizer: PreTrainedTokenizerBase | Tokenizer | None) -> PreTrainedTokenizerBase | Tokenizer:
    assert tokenizer is not None
    return tokenizer
