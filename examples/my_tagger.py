"""A tagger in one file: in Esperanto, the ending of a word is its part of speech."""

# $ stela --plugin my_tagger.py lambda build --tagger eo-endings --corpus TEXTS.jsonl --k 2 -o eo.json
# $ stela --plugin my_tagger.py profile new --scheme stela --tagger eo-endings --lambda eo.json --model tiny --public-key -o eo.stela

import re

import stela_core as stela

CLOSED = {
    "DET": "la tiu tiuj ĉiu ĉiuj mia nia via lia ŝia ilia sia",
    "PRON": "mi vi li ŝi ĝi ni ili oni si kiu kiuj kio tio",
    "ADP": "al de en el kun sen por pri per sur sub inter dum ĝis ĉe da tra trans kontraŭ",
    "CCONJ": "kaj aŭ sed nek",
    "SCONJ": "ke ĉar se kvankam",
    "PART": "ne ĉu",
}
WORDS = {word: tag for tag, words in CLOSED.items() for word in words.split()}
ENDINGS = (("VERB", r"(as|is|os|us|u|i)$"), ("NOUN", r"oj?n?$"), ("ADJ", r"aj?n?$"), ("ADV", r"en?$"))


class EsperantoEndings(stela.Tagger):
    """Universal tags, from word lists and endings."""

    name, language, tagset = "eo-endings", "eo", "Universal Dependencies"
    window, k = 4, 2
    model, version = "endings", "1"  # raise the version with every change of a tag: profiles keep it

    def tag(self, texts):
        """For each text its words with their tags, in order. The same text gets the same tags, always."""
        stela.require_well_formed(texts)
        words = (re.finditer(r"\w+|[^\w\s]", text) for text in texts)
        return [[stela.Tag(self.tag_of(word.group()), *word.span()) for word in found] for found in words]

    def tag_of(self, word):
        """The tag of one word."""
        if not word[0].isalpha():
            return "NUM" if word[0].isdigit() else "PUNCT"
        lower = word.lower()
        return WORDS.get(lower) or next((tag for tag, end in ENDINGS if re.search(end, lower)), "X")


@stela.hookimpl
def stela_register_taggers():
    """Called by STELA, which makes the taggers available by name."""
    return EsperantoEndings
