"""Content, function or other: the class of a word by its tag.

The line is that of Universal Dependencies between open and closed classes (de Marneffe et al., CL 47,
2021; universaldependencies.org/u/pos): *content* is open (noun, proper noun, verb, adjective, adverb,
interjection), *function* closed (adposition, auxiliary, conjunction, determiner, particle, pronoun), *other*
what is neither: punctuation, symbols, foreign words, links. Numbers, closed there, are other here: they are
free to choose, and no grammar word. The tags of the other sets go where UD's conversion of their treebank
puts them, with the exceptions noted at them.
"""

from __future__ import annotations

from typing import Literal

import stela_core as stela
from stela_core.api import did_you_mean

WordClass = Literal["content", "function", "other"]
CLASSES: tuple[WordClass, ...] = ("content", "function", "other")

Tags = dict[WordClass, str]

UPOS: Tags = {
    "content": "ADJ ADV INTJ NOUN PROPN VERB",
    "function": "ADP AUX CCONJ DET PART PRON SCONJ",
    "other": "NUM PUNCT SYM X SPACE",
}

# The tag of a verb does not say whether it is an auxiliary: be, have and do are content here.
PENN: Tags = {
    "content": "AFX JJ JJR JJS NN NNP NNPS NNS RB RBR RBS UH VB VBD VBG VBN VBP VBZ",
    "function": "BES CC DT EX HVS IN MD PDT POS PRP PRP$ RP TO WDT WP WP$ WRB",
    "other": "# $ '' `` , . : -LRB- -RRB- ADD CD FW GW HYPH LS NFP SYM XX _SP",
}

# Measure words (M) and localisers (LC) are closed classes of few words, though UD calls some nouns.
CTB: Tags = {
    "content": "AD IJ JJ NN NR NT ON VA VE VV",
    "function": "AS BA CC CS DEC DEG DER DEV DT ETC LB LC M MSP P PN SB SP VC",
    "other": "CD EM FW NOI OD PU URL",
}

# Morphemes, not words: stems and roots are content; particles, endings and affixes function. Bound nouns
# (NNB: thing, way, unit) are a closed class. SL and SH, words in Latin or Chinese script, are UD's X.
SEJONG: Tags = {
    "content": "IC MAG NF NNG NNP NV VA VV XR",
    "function": "EC EF EP ETM ETN JC JKB JKC JKG JKO JKQ JKS JKV JX MAJ MM NNB NP VCN VCP VX "
    "XPN XSA XSM XSN XSV Z_CODA Z_SIOT",
    "other": "NA NR SB SE SF SH SL SN SO SP SS SSC SSO SW UN "
    "W_EMAIL W_EMOJI W_HASHTAG W_MENTION W_SERIAL W_URL",
}

TAGSETS: dict[str, Tags] = {
    "Universal Dependencies": UPOS,
    "Penn Treebank": PENN,
    "Penn Chinese Treebank": CTB,
    "Sejong": SEJONG,
}
"""Classes of the tags of each tag set, by the name that a tagger gives it."""


def classes_of(tagset: str) -> dict[str, WordClass]:
    """The class of each tag of a set; a tag that is not there is other.

    Raises:
        StelaError: nothing is known of the tag set.
    """
    if tagset not in TAGSETS:
        raise stela.StelaError(
            f'which tags of the tag set "{tagset}" are content words is not known.',
            f"name a tagger of another one with the parameter tagger; {did_you_mean(tagset, TAGSETS)}",
        )
    return {tag: name for name, tags in TAGSETS[tagset].items() for tag in tags.split()}
