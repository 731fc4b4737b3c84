"""The models that HanLP publishes and this tagger can use, by name: what a profile may ask for."""

from __future__ import annotations

SHIPPED = "shipped"
CAUSAL = "causal"
"""The shipped pair that looks left only."""
TOKENIZER = "COARSE_ELECTRA_SMALL_ZH"
"""The tokenizer for a tagger that is named without one, as in HanLP's documentation."""

TAGGERS = frozenset(
    {
        "CTB9_POS_ELECTRA_SMALL",
        "CTB9_POS_RADICAL_ELECTRA_SMALL",
        "C863_POS_ELECTRA_SMALL",
        "PKU_POS_ELECTRA_SMALL",
    }
)
TOKENIZERS = frozenset(
    {
        TOKENIZER,
        "FINE_ELECTRA_SMALL_ZH",
        "CTB9_TOK_ELECTRA_SMALL",
        "CTB9_TOK_ELECTRA_BASE",
        "CTB9_TOK_ELECTRA_BASE_CRF",
        "MSR_TOK_ELECTRA_BASE_CRF",
    }
)


def is_published(model: str) -> bool:
    """Whether it is ``TAGGER`` or ``TOKENIZER+TAGGER`` of the names above."""
    tokenizer, plus, tagger = model.rpartition("+")
    return tagger in TAGGERS and (not plus or tokenizer in TOKENIZERS)
