"""What a user chooses of a new profile, said once: ``stela.create`` and ``stela profile new`` are made of it.

A field is a parameter of the one and an option of the other, with its type, its default and one line of help.
Bounds are held where a profile is read, too: by its schema, and by the parameters of scheme and hasher.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, NamedTuple

from stela_core.composition import hasher_names, recommended_scheme, resolve_scheme
from stela_core.interfaces import Calibration, ContextParameters, Mark
from stela_core.parameters import parse_parameters
from stela_core.registry.components import Registry


class About(NamedTuple):
    """What is said of a setting beside its type and its default."""

    line: str
    """What it is."""
    unset: str | None = None
    """What holds where it is not given, if scheme, tagger or profile decide that."""
    option: str | None = None
    """Of the command, where that is called otherwise."""
    metavar: str | None = None
    """What the command's option takes, where its type does not say it."""


def about(
    line: str, unset: str | None = None, *, option: str | None = None, metavar: str | None = None
) -> dict[str, About]:
    """Metadata of a setting's field: see :class:`About`."""
    return {"about": About(line, unset, option, metavar)}


@dataclass(frozen=True)
class Choices:
    """What a user chooses; ``None`` leaves the choice to scheme and tagger."""

    scheme: str | None = field(
        default=None,
        metadata=about(
            "Scheme, or a weighting that is used for marking and detecting.", "the recommended one"
        ),
    )
    _: KW_ONLY
    gamma: float | None = field(
        default=None, metadata=about("Share of green tokens, between 0 and 1.", "the scheme's")
    )
    delta: float | None = field(
        default=None, metadata=about("Mean bias on the logits of green tokens, in nats.", "2.0")
    )
    context_width: int | None = field(
        default=None, metadata=about("Number of preceding tokens that give the seed.", "the scheme's")
    )
    parameters: Mapping[str, Any] | None = field(
        default=None,
        metadata=about(
            "Parameter of the scheme or its hasher. May be repeated.", option="--param", metavar="NAME=VALUE"
        ),
    )
    bits: int | None = field(
        default=None,
        metadata=about("Bits of a message that marks carry, 0 to 16, or 24, 32, .. 64.", "no message"),
    )
    k: int | None = field(
        default=None, metadata=about("n-gram length of part-of-speech contexts.", "the tagger's")
    )
    window: int | None = field(
        default=None,
        metadata=about(
            "Number of words (Chinese: characters) before a token that are tagged.", "the tagger's"
        ),
    )
    calibration: Calibration = field(
        default="tokens",
        metadata=about("Which mean delta is divided by: over the tokens of text, or over context types."),
    )
    language: str | None = field(
        default=None, metadata=about("Language of the texts, as an ISO 639-1 code.", "the tagger's")
    )
    min_tokens: int | None = field(
        default=None, metadata=about('Smallest number of distinct pairs; fewer are "insufficient text".', "8")
    )
    alpha: float | None = field(
        default=None, metadata=about("Largest p-value that is called watermarked.", "0.001")
    )
    allow_lenient: bool = field(
        default=False, metadata=about("Allow alpha above 0.05 and min-tokens below 8.")
    )


def abouts(choices: type[Choices]) -> dict[str, About]:
    """What is said of each field."""
    return {each.name: each.metadata["about"] for each in fields(choices)}


@dataclass(frozen=True)
class Settings(Choices):
    """What :func:`~stela_core.profile.create.create_profile` is told: the user's choices, and what goes with
    a mark of another toolkit.
    """

    scheme: str = field()
    parameters: Mapping[str, Any] = field(default_factory=dict, kw_only=False)
    """Of the scheme's parts; those that its hasher alone has may stand here, too."""
    _: KW_ONLY
    hasher: str | None = None
    """Another hasher than the scheme's."""
    hasher_parameters: Mapping[str, Any] = field(default_factory=dict)
    """Those beside gamma and context_width."""
    device: str | None = None
    """Device of the hasher's generator, where it has one."""

    @classmethod
    def of(cls, choices: Choices, registry: Registry) -> Settings:
        """The choices alone, with the scheme that is recommended where none is chosen.

        Raises:
            StelaError: none is chosen, and none is recommended.
        """
        values = {each.name: getattr(choices, each.name) for each in fields(Choices)}
        scheme = choices.scheme or recommended_scheme(registry).name
        return cls(**{**values, "scheme": scheme, "parameters": choices.parameters or {}})

    def divided(self, registry: Registry) -> Settings:
        """The same, each parameter with the part that has it: ``delta`` with the scheme's, and those of the
        ``parameters`` that the hasher alone has with the hasher's.
        """
        names = hasher_names(registry, resolve_scheme(registry, self.scheme), self.hasher)
        hashers = {name: value for name, value in self.parameters.items() if name in names}
        others = {name: value for name, value in self.parameters.items() if name not in names}
        if self.delta is not None:
            others["delta"] = self.delta
        return replace(
            self, parameters=others, delta=None, hasher_parameters={**self.hasher_parameters, **hashers}
        )

    def hasher_of(self, registry: Registry) -> tuple[type[Mark[Any]], ContextParameters]:
        """The hasher that the user chose, or else the scheme's, with its parameters.

        Raises:
            StelaError: there is none of this name, or a parameter is wrong.
        """
        scheme = resolve_scheme(registry, self.scheme).scheme
        hasher_class = registry.get(Mark, self.hasher or scheme.hasher)
        chosen = {
            **self.divided(registry).hasher_parameters,
            "gamma": self.gamma,
            "context_width": self.context_width,
        }
        values = {name: value for name, value in chosen.items() if value is not None}
        return hasher_class, parse_parameters(
            hasher_class.Parameters, values, f'hasher "{hasher_class.name}"'
        )

    def key_words(self, registry: Registry) -> int:
        """64-bit words of a key of the hasher; errors as for :meth:`hasher_of`."""
        hasher_class, parameters = self.hasher_of(registry)
        return hasher_class.key_words(parameters)
