"""A pipeline's tokenizer without its special cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language


def without_cases(nlp: Language) -> Any:
    """A tokenizer that cuts by the same patterns as the pipeline's, and knows no special case."""
    rules: Any = nlp.tokenizer
    return type(rules)(
        nlp.vocab,
        rules={},
        prefix_search=rules.prefix_search,
        suffix_search=rules.suffix_search,
        infix_finditer=rules.infix_finditer,
        token_match=rules.token_match,
        url_match=rules.url_match,
    )
