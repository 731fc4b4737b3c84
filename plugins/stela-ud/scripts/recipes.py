"""What the taggers of the three languages look at, how large they are, and how long they learn."""

from __future__ import annotations

from typing import Any, NamedTuple

from loop import Pace


class Recipe(NamedTuple):
    """Settings of one tagger."""

    language: str
    data: str
    nlp: dict[str, Any]
    attrs: list[str]
    rows: list[int]
    width: int
    pace: Pace
    raw: bool
    """Whether spaCy cuts the text when training; else the treebank's words are used."""

    def component(self) -> dict[str, Any]:
        """Configuration of the spaCy component."""
        return {
            "model": {
                "@architectures": "spacy.Tagger.v2",
                "nO": None,
                "normalize": False,
                "tok2vec": {
                    "@architectures": "spacy.Tok2Vec.v2",
                    "embed": {
                        "@architectures": "spacy.MultiHashEmbed.v2",
                        "width": self.width,
                        "attrs": self.attrs,
                        "rows": self.rows,
                        "include_static_vectors": False,
                    },
                    "encode": {
                        "@architectures": "spacy.MaxoutWindowEncoder.v2",
                        "width": self.width,
                        "window_size": 1,
                        "maxout_pieces": 3,
                        "depth": 2,
                    },
                },
            }
        }


def _with(callback: str, tokenizer: str) -> dict[str, Any]:
    return {
        "tokenizer": {"@tokenizers": tokenizer},
        "after_creation": {"@callbacks": callback},
    }


RECIPES = {
    "en": Recipe(
        language="en",
        data="UD English EWT (train less the sentences that also stand in dev or test; dev), CC BY-SA 4.0",
        nlp={},
        attrs=["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        rows=[2500, 500, 2000, 1000],
        width=72,
        pace=Pace(epochs=9, batch=16, drop=0.2, auxiliary=1.0),
        raw=True,
    ),
    "ko": Recipe(
        language="ko",
        data="UD Korean GSD (train of April 2018, dev), CC BY-SA 4.0",
        nlp=_with("stela_ud.korean_features.v1", "spacy.Tokenizer.v1"),
        attrs=["ORTH", "SUFFIX", "PREFIX", "SHAPE", "LOWER"],
        rows=[2500, 1500, 1500, 1200, 2500],
        width=64,
        pace=Pace(epochs=12, batch=8, drop=0.35, auxiliary=0.5),
        raw=True,
    ),
    "zh": Recipe(
        language="zh",
        data="UD Chinese GSD (train of April 2016, simplified, UPOS mapped to the current scheme) "
        "and GSDSimp (dev), CC BY-SA 4.0",
        nlp=_with("stela_ud.chinese_features.v1", "stela_ud.segmenter.v1"),
        attrs=["ORTH", "NORM", "PREFIX", "SUFFIX", "SHAPE", "LOWER"],
        rows=[3000, 2000, 2000, 2000, 100, 2000],
        width=32,
        pace=Pace(epochs=12, batch=8, drop=0.2, auxiliary=1.0),
        raw=False,
    ),
}
