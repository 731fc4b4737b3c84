"""The tagger of a profile: of a known name, or named by the user; compared before it is loaded."""

from __future__ import annotations

from stela_core.errors import StelaError
from stela_core.interfaces import Tagger
from stela_core.profile.schema import TaggerPart
from stela_core.registry.components import Registry
from stela_core.registry.tagger_spec import choose_tagger, split_spec


def tagger_of(part: TaggerPart, registry: Registry, given: str | Tagger | None = None) -> Tagger:
    """The tagger with the fingerprint that the profile names.

    A profile is a stranger's file, so a model that it names is loaded only where the tagger knows its name
    (:meth:`Tagger.accepts_from_profile`): never a folder. The bytes of a model are compared with the
    profile's fingerprint before anything in it is loaded (:meth:`Tagger.fingerprint_of`).

    Args:
        part: what the profile says.
        registry: where the tagger is looked up.
        given: the user's own choice, ``NAME`` or ``NAME:MODEL``, or a tagger that is loaded already.

    Raises:
        StelaError: it is another tagger, or missing, or the user has to name its model.
    """
    if isinstance(given, Tagger):
        _compare(part, given.fingerprint, given.version)
        return given
    if given is None:
        if not registry.get(Tagger, part.name).accepts_from_profile(part.model):
            name = registry.get(Tagger, part.name).name
            raise StelaError(
                f'the profile\'s tagger "{part.name}" has a model "{part.model}", which is not one that a '
                "profile may load.",
                f"name the model yourself: --tagger {name}:FOLDER, or tagger= of stela.load",
            )
        chosen = choose_tagger(registry, part.name, part.model)
    else:
        chosen = choose_tagger(registry, *split_spec(given))
    before = chosen.tagger.fingerprint_of(chosen.parameters)
    if before is not None:
        _compare(part, before, f'"{given}"' if given else "another version or other files")
    tagger = chosen.construct()
    _compare(part, tagger.fingerprint, tagger.version)
    return tagger


def _compare(part: TaggerPart, fingerprint: str, version: str) -> None:
    if fingerprint != part.fingerprint:
        raise StelaError(
            f'wrong tagger: the profile names "{part.name}" {part.version}, here is {version} '
            f"(fingerprint {fingerprint}, not {part.fingerprint}).",
            "install the version the profile names, or name its model with --tagger",
        )
