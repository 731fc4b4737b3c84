"""KGW: a static bias on the green list (Kirchenbauer et al., "A Watermark for LLMs", ICML 2023)."""

import stela_core as stela


class Kgw(stela.Scheme):
    """Algorithm 2 (soft red list), detected with the z of eq. 3; every token counts the same."""

    name = "kgw"
    paper = "Kirchenbauer et al., ICML 2023"
    strength = "uniform"
    evidence = "uniform"
    encoder = "payload"


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return Kgw
