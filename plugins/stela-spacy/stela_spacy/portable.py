"""A small tagger as one file for readers in other languages: rules, what is seen of a word, weights.

The first line is JSON, the rest are the network's numbers, 32-bit floats, little-endian: tables of the
embedding one below the other; then weights, bias, scale and shift of the layer that mixes them and of both
convolutions; then weights and bias of the output layer. Those of a network that cuts words follow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_spacy.pieces import LONGEST_RUN
from stela_spacy.plain_rules import without_cases
from stela_spacy.script_patterns import ranges, script_pattern
from stela_spacy.word_parts import spec_of

if TYPE_CHECKING:
    from spacy.language import Language

    from stela_spacy.tails import TailTagger

FORMAT = "stela-tagger/1"


def portable_tagger(identity: Mapping[str, str], nlp: Language, tails: TailTagger) -> bytes:
    """The file of a tagger whose words spaCy's rules cut.

    Args:
        identity: name, model, version, fingerprint and unit; what it was made of, and its licence.
        nlp: the pipeline.
        tails: its fast path, which names its component and the labels.

    Raises:
        StelaError: it is not one of the small ones, or has a rule that cannot be written down.
    """
    seen, numbers = words_of(nlp, tails)
    return file_of(identity, {"rules": rules_of(nlp), "characters": characters(), **seen}, [numbers])


def words_of(nlp: Language, tails: TailTagger) -> tuple[dict[str, Any], npt.NDArray[np.float32]]:
    """What a tagger makes of words: their features and its network's shapes, and the network's numbers."""
    tagger: Any = nlp.get_pipe(tails.component)
    tok2vec, output = tagger.model.layers
    embed, encode = tok2vec.layers
    _, _, tables, mixed, _ = embed.layers
    network, numbers = network_of(tables, mixed, encode, output.layers[0], tails.labels)
    return {"features": features_of(nlp, tails.columns), "network": network}, numbers


def file_of(
    identity: Mapping[str, str], content: Mapping[str, Any], numbers: Sequence[npt.NDArray[np.float32]]
) -> bytes:
    """The bytes of a tagger's file: equal for equal taggers."""
    head = {"format": FORMAT, **identity, **content}
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    return b"\n".join([line, b"".join(one.astype("<f4").tobytes() for one in numbers)])


def network_of(
    tables: Any, mixed: Any, encoder: Any, output: Any, labels: Sequence[str]
) -> tuple[dict[str, Any], npt.NDArray[np.float32]]:
    """Shapes and numbers of a network; arguments as of :class:`stela_spacy.network.TailNetwork`."""
    nodes = [node for node in tables.walk() if node.name == "hashembed"]
    rows = [node.get_param("E") for node in nodes]
    layers = [mixed, *encoder.layers[0].layers]
    parts: list[npt.NDArray[np.float32]] = [table.reshape(-1) for table in rows]
    for layer in layers:
        [maxout] = [node for node in layer.walk() if node.name == "maxout"]
        [norm] = [node for node in layer.walk() if node.name == "layernorm"]
        if maxout.get_param("W").shape[1] != PIECES:
            raise stela.StelaError("the tagger's network is not one of the small ones.")
        parts += [maxout.get_param("W").reshape(-1), maxout.get_param("b").reshape(-1)]
        parts += [norm.get_param("G"), norm.get_param("b")]
    parts += [output.get_param("W").reshape(-1), output.get_param("b")]
    said = {
        "width": int(rows[0].shape[1]),
        "tables": [
            {"rows": len(table), "column": node.attrs["column"], "seed": node.attrs["seed"]}
            for node, table in zip(nodes, rows, strict=True)
        ],
        "labels": list(labels),
    }
    return said, np.concatenate(parts)


PIECES = 3
"""Pieces of each maxout."""


def rules_of(nlp: Language) -> dict[str, Any]:
    """How spaCy's tokenizer cuts, each expression as JavaScript takes it."""
    rules: Any = nlp.tokenizer
    if rules.token_match is not None or not rules.faster_heuristics:
        raise stela.StelaError("the tagger's tokenizer has rules that are not written down.")
    expressions = {
        name: script_pattern(getattr(rules, attribute).__self__.pattern)
        for name, attribute in (
            ("prefix", "prefix_search"),
            ("suffix", "suffix_search"),
            ("infix", "infix_finditer"),
            ("url", "url_match"),
        )
    }
    # Special cases that are looked for in the tokens of a text, too: how they are cut without them.
    plain = without_cases(nlp)
    cut = {case: [token.text for token in plain(case)] for case in rules.rules}
    looked_for = [
        case
        for case in rules.rules
        if " " in case or rules.find_prefix(case) or rules.find_infix(case) or rules.find_suffix(case)
    ]
    return {
        **expressions,
        "longest": LONGEST_RUN,
        "cases": {case: _case(nlp, tokens) for case, tokens in sorted(rules.rules.items())},
        "sought": [cut[case] for case in sorted(looked_for)],
    }


def _case(nlp: Language, tokens: Sequence[Mapping[Any, str]]) -> list[list[str]]:
    """Words of a special case, each with its norm where the case says one."""
    from spacy.attrs import NORM, ORTH, intify_attrs

    said = [intify_attrs(token, strings_map=nlp.vocab.strings, _do_deprecated=True) for token in tokens]
    strings = nlp.vocab.strings
    return [[strings[one[ORTH]], *([strings[one[NORM]]] if NORM in one else [])] for one in said]


def features_of(nlp: Language, columns: Sequence[int | str]) -> dict[str, Any]:
    """What the network sees of a word, in the order of its columns, and what words are hashed to."""
    from spacy.attrs import IDS, NORM, ORTH
    from spacy.symbols import IDS as SYMBOLS  # type: ignore[import-not-found]

    getters: dict[int, Any] = {ORTH: str, **nlp.vocab.lex_attr_getters}  # type: ignore[attr-defined]
    wanted = [IDS[one] if isinstance(one, str) else one for one in columns]
    specs = [spec_of(getters[one]) for one in wanted]
    if None in specs:
        raise stela.StelaError("the tagger sees something of a word that is not written down.")
    norms: dict[str, str] = {}
    if ("norm", 0) in specs:
        for table in reversed(getters[NORM].args[1]):
            norms |= table
    return {
        "columns": specs,
        "norm_column": wanted.index(NORM) if NORM in wanted else -1,
        "norms": norms,
        "symbols": {name: number for name, number in SYMBOLS.items() if name},
    }


@cache
def characters() -> dict[str, Any]:
    """What this Python knows of characters, as first and last code points of runs, laid end to end."""
    lower = [(chr(c), chr(c).lower()) for c, d in ranges(_changes) for c in range(c, d + 1)]
    one = [(upper, low) for upper, low in lower if len(low) == 1]
    return {
        "space": flat(str.isspace),
        "letters": flat(str.isalpha),
        "upper": flat(str.isupper),
        "digits": flat(str.isdigit),
        "lower": ["".join(upper for upper, _ in one), "".join(low for _, low in one)],
    }


def _changes(character: str) -> bool:
    return character.lower() != character


def flat(holds: Any) -> list[int]:
    """First and last code points of the runs of characters of which something holds."""
    return [point for span in ranges(holds) for point in span]
