"""``NAME`` or ``NAME:MODEL`` to a tagger."""

from __future__ import annotations

from stela_core.errors import StelaError
from stela_core.interfaces import Tagger
from stela_core.parameters import parse_parameters
from stela_core.registry import Registry


def make_tagger(registry: Registry, spec: str, threads: int | None = None) -> Tagger:
    """Construct the tagger that ``spec`` names: ``penn``, ``penn:en_core_web_sm``, ``penn:./folder``.

    Args:
        registry: where the tagger is looked up.
        spec: ``NAME`` or ``NAME:MODEL``.
        threads: for a tagger with a parameter of this name; counting in processes gives each one.

    Raises:
        StelaError: no tagger has this name, it cannot run here, or it takes no such model.
    """
    name, colon, model = spec.partition(":")
    if not name or (colon and not model):
        raise StelaError(f'"{spec}" names no tagger.', "write NAME or NAME:MODEL")
    found: type[Tagger] = registry.get(Tagger, name)
    owner = f'tagger "{name}"'
    # A profile names the model that its tagger reported; a tagger with one model takes no such parameter.
    takes_model = "model" in found.Parameters.model_fields
    given: dict[str, object] = {"model": model} if model and takes_model else {}
    if threads is not None and "threads" in found.Parameters.model_fields:
        given["threads"] = threads
    parameters = parse_parameters(found.Parameters, given, owner)
    status = found.status()
    if not status.ok:
        raise StelaError(f"{owner} cannot run here.", status.hint)
    tagger: Tagger = found(parameters)  # type: ignore[call-arg]
    if model and tagger.model != model and not takes_model:
        raise StelaError(f'{owner} has no model "{model}".', f'write "{name}": its model is {tagger.model}')
    return tagger
