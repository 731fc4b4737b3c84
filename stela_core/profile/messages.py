"""What a profile says of the messages that marks carry, and the encoder that it names."""

from __future__ import annotations

from typing import Any

from stela_core.composition import SchemeParts
from stela_core.errors import StelaError
from stela_core.interfaces import Encoder, Mark
from stela_core.interfaces.encoder import MOST_BITS
from stela_core.parameters import parse_parameters
from stela_core.profile.schema import MessagePart
from stela_core.registry.components import Registry


def encoder_of(registry: Registry, part: MessagePart, mark: Mark[Any]) -> Encoder:
    """The encoder of the messages that a mark carries.

    Raises:
        StelaError: it is not installed, a parameter is wrong, or the mark can carry none.
    """
    encoder_class = registry.get(Encoder, part.code)
    made, owner = encoder_class.Parameters, f'encoder "{part.code}"'
    values = {**made.of_before(), **part.parameters, "bits": part.bits}
    encoder = encoder_class(parse_parameters(made, values, owner, read=True))
    encoder.check(mark)
    return encoder


def chosen_encoder(
    registry: Registry, parts: SchemeParts, bits: int | None, mark: Mark[Any]
) -> tuple[MessagePart | None, Encoder | None]:
    """What a new profile says of messages, and their encoder; nothing where no bits are asked for.

    Raises:
        StelaError: the scheme carries none, or not so many bits; or as for :func:`encoder_of`.
    """
    if bits is None:
        return None, None
    if not parts.scheme.encoder:
        raise StelaError(
            f'scheme "{parts.scheme.name}" carries no message.', "leave --bits out, or take gumbel or kgw"
        )
    if not 1 <= bits <= MOST_BITS:
        raise StelaError(f"{bits} bits are no message.", f"give 1 to {MOST_BITS}")
    code = parts.scheme.encoder
    made = registry.get(Encoder, code).Parameters
    left = parse_parameters(made, {"bits": bits}, f'encoder "{code}"').model_dump(exclude={"bits"})
    part = MessagePart(code=code, bits=bits, parameters=left)
    return part, encoder_of(registry, part, mark)
