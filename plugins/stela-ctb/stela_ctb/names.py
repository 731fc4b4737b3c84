"""The models that HanLP publishes and this tagger can use, by name: what a profile may ask for."""

from __future__ import annotations

SHIPPED = "shipped"
PARTS = ("tok", "pos")
OWN = "stela_ctb.components."
"""What the class paths of the shipped models begin with."""
TOKENIZER = "COARSE_ELECTRA_SMALL_ZH"
"""The tokenizer for a tagger that is named without one, as in HanLP's documentation."""

TAGGERS = frozenset(
    f"{name}_ELECTRA_SMALL" for name in ("CTB9_POS", "CTB9_POS_RADICAL", "C863_POS", "PKU_POS")
)
TOKENIZERS = frozenset(
    (
        *(TOKENIZER, "FINE_ELECTRA_SMALL_ZH", "CTB9_TOK_ELECTRA_SMALL", "CTB9_TOK_ELECTRA_BASE"),
        *("CTB9_TOK_ELECTRA_BASE_CRF", "MSR_TOK_ELECTRA_BASE_CRF"),
    )
)


def is_published(model: str) -> bool:
    """Whether it is ``TAGGER`` or ``TOKENIZER+TAGGER`` of the names above."""
    tokenizer, plus, tagger = model.rpartition("+")
    return tagger in TAGGERS and (not plus or tokenizer in TOKENIZERS)
