"""``NAME`` or ``NAME:MODEL`` to a tagger."""

from __future__ import annotations

import logging
from typing import NamedTuple

from stela_core.errors import StelaError
from stela_core.interfaces import Tagger
from stela_core.logs import timed
from stela_core.parameters import Parameters, parse_parameters
from stela_core.registry.components import Registry

log = logging.getLogger(__name__)


class Chosen(NamedTuple):
    """A tagger's class that can run here, and its parameters: nothing is loaded yet."""

    tagger: type[Tagger]
    parameters: Parameters
    model: str | None
    """Model as it was named; ``None`` for the tagger's default."""

    def construct(self) -> Tagger:
        """The tagger.

        Raises:
            StelaError: it takes no such model, or cannot load it.
        """
        with timed(log, "tagger %s loaded", self.tagger.name):
            made = self.tagger(self.parameters)
        takes_model = "model" in self.tagger.Parameters.model_fields
        if self.model and made.model != self.model and not takes_model:
            name = self.tagger.name
            raise StelaError(
                f'tagger "{name}" has no model "{self.model}".', f'write "{name}": its model is {made.model}'
            )
        return made


def make_tagger(registry: Registry, spec: str, threads: int | None = None) -> Tagger:
    """Construct the tagger that the user names: ``penn``, ``penn:en_core_web_sm``, ``penn:./folder``.

    Args:
        registry: where the tagger is looked up.
        spec: ``NAME`` or ``NAME:MODEL``.
        threads: for a tagger with a parameter of this name; counting in processes gives each one.

    Raises:
        StelaError: no tagger has this name, it cannot run here, or it takes no such model.
    """
    return choose_tagger(registry, *split_spec(spec), threads).construct()


def default_tagger(registry: Registry, language: str) -> str:
    """The tagger of a language's new profiles where none is named: ``NAME`` or ``NAME:MODEL``.

    Args:
        registry: whose taggers say of which languages they are the default.
        language: ISO 639-1 code.

    Raises:
        StelaError: none is, or several are.
    """
    names = registry.names(Tagger)
    defaults = [
        name if model is None else f"{name}:{model}"
        for name in names
        for code, model in registry.get(Tagger, name).default_for.items()
        if code == language
    ]
    if len(defaults) != 1:
        several = f"several taggers are ({', '.join(defaults)})" if defaults else "no installed tagger is"
        raise StelaError(
            f'{several} the default for language "{language}".',
            f"add --tagger NAME; installed are: {', '.join(names) or 'none'}",
        )
    return defaults[0]


def split_spec(spec: str) -> tuple[str, str | None]:
    """Name and model of ``NAME`` or ``NAME:MODEL``.

    Raises:
        StelaError: it is neither.
    """
    name, colon, model = spec.partition(":")
    if not name or (colon and not model):
        raise StelaError(f'"{spec}" names no tagger.', "write NAME or NAME:MODEL")
    return name, model or None


def choose_tagger(registry: Registry, name: str, model: str | None, threads: int | None = None) -> Chosen:
    """Look a tagger up, and check that it can run here.

    Raises:
        StelaError: no tagger has this name, or it cannot run here.
    """
    tagger: type[Tagger] = registry.get(Tagger, name)
    # A profile names the model that its tagger reported; a tagger with one model takes no such parameter.
    takes_model = "model" in tagger.Parameters.model_fields
    given: dict[str, object] = {"model": model} if model and takes_model else {}
    if threads is not None and "threads" in tagger.Parameters.model_fields:
        given["threads"] = threads
    parameters = parse_parameters(tagger.Parameters, given, f'tagger "{name}"')
    status = tagger.status()
    if not status.ok:
        raise StelaError(f'tagger "{name}" cannot run here.', status.hint)
    return Chosen(tagger, parameters, model)
