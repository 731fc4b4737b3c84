"""Penn Chinese Treebank tags of Chinese, by HanLP, with a small tokenizer and tagger that come along."""

import stela_core as stela
from stela_ctb.tagger import Ctb

__all__ = ["Ctb"]


@stela.hookimpl
def stela_register_taggers() -> type[stela.Tagger]:
    """Register the tagger."""
    return Ctb
