"""Messages in marks: who made a text, with an exact bound on naming the wrong one."""

import stela_core as stela


@stela.hookimpl
def stela_register_encoders() -> type[stela.Encoder]:
    """Register the encoder."""
    from stela_payload.encoder import Payload

    return Payload
