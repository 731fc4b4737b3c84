from __future__ import annotations

from collections.abc import Callable

import pytest
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.interfaces.logits import LanguageModel
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger
from stela_core.watermark import Watermark

KEY = 0x5EED
SCHEMES = ["kgw", "sweet", "ewd", "morphmark", "unigram", "stela"]
MakeMark = Callable[..., Watermark]


@pytest.fixture(scope="session")
def tiny_tokenizer(registry: stela.Registry) -> Tokenizer:
    return load_tokenizer(registry, "tiny")


@pytest.fixture(scope="session")
def tiny(registry: stela.Registry) -> LanguageModel:
    """The embedded model, in float32 on the CPU, where its numbers are the tests' numbers."""
    return load_model(registry, "tiny", "cpu")


@pytest.fixture(scope="session")
def make_mark(registry: stela.Registry, tiny_tokenizer: Tokenizer) -> MakeMark:
    """A watermark of the embedded model, by scheme and its parameters; each is made once."""
    made: dict[object, Watermark] = {}

    def make(
        scheme: str, gamma: float = 0.5, plugins: stela.Registry | None = None, **parameters: object
    ) -> Watermark:
        asked = (scheme, gamma, id(plugins), tuple(sorted(parameters.items())))
        if asked in made:
            return made[asked]
        used = plugins or registry
        tagger = make_tagger(used, "penn") if scheme == "stela" else None
        settings = Settings(scheme, parameters, gamma=gamma)
        created = settings.create(used, tiny_tokenizer, KEY, public=True, tagger=tagger)
        return made.setdefault(asked, Watermark(created.archive, None, used))

    return make
