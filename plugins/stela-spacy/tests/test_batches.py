"""Which pipelines tag many windows at once: those whose networks give a text the same bits in any batch."""

from __future__ import annotations

from typing import Any

import pytest
from stela_spacy.safety import is_row_wise

spacy = pytest.importorskip("spacy")

TEXTS = [
    "A dog.",
    "",
    " ",
    "It did not rain, did it?",
    "a" * 40,
    "x",
    "The city\n\ngrew  for years :)",
    "7 🙂",
]
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32}
TAGGER = {"@architectures": "spacy.Tagger.v2", "nO": None, "tok2vec": LISTENER}


def like_spacys_own(vectors: bool) -> Any:
    """A pipeline built as spaCy's small models are (medium ones have vectors), its weights random."""
    import numpy as np
    from spacy.util import fix_random_seed

    fix_random_seed(3)
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2", "width": 32, "include_static_vectors": vectors,
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY"], "rows": [500, 100, 250, 250, 50],
    }  # fmt: skip
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2", "width": 32, "depth": 4, "window_size": 1,
        "maxout_pieces": 3,
    }  # fmt: skip
    model = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": model})
    tagger = nlp.add_pipe("tagger", config={"model": TAGGER})
    for label in ("NN", "VB", "DT"):
        tagger.add_label(label)
    if vectors:
        for word in ("A", "dog", "rain"):
            nlp.vocab.set_vector(word, np.random.default_rng(len(word)).normal(size=20).astype(np.float32))
    nlp.initialize()
    random = np.random.default_rng(5)
    for name in nlp.pipe_names:
        for node in nlp.get_pipe(name).model.walk():
            for one in node.param_names:
                node.set_param(one, random.normal(size=node.get_param(one).shape).astype(np.float32))
    return nlp


@pytest.mark.parametrize("vectors", [False, True])
def test_networks_like_spacys_give_the_same_bits_in_any_batch(vectors: bool) -> None:
    nlp = like_spacys_own(vectors)
    assert is_row_wise(nlp.config["components"])
    tok2vec, tagger = nlp.get_pipe("tok2vec").model, nlp.get_pipe("tagger").model
    output = tagger.get_ref("softmax")

    def bits(docs: list[Any]) -> list[bytes]:
        return [output.predict(vectors).tobytes() for vectors in tok2vec.predict(docs)]

    docs = [doc for doc in map(nlp.make_doc, TEXTS) if len(doc)]
    alone = [bits([doc])[0] for doc in docs]
    for size in (2, 3, len(docs)):
        assert [one for at in range(0, len(docs), size) for one in bits(docs[at : at + size])] == alone


@pytest.mark.parametrize(
    "name",
    [
        "spacy.TransitionBasedParser.v2",
        "spacy.TorchBiLSTMEncoder.v1",
        "spacy-curated-transformers.RobertaTransformer.v1",
        "spacy-transformers.TransformerModel.v3",
        "of_a_stranger.Tok2Vec.v1",
        "spacy.Tok2Vec.v1.of_a_stranger",
        7,
    ],
)
def test_others_tag_one_text_at_a_time(name: object) -> None:
    """Layers that pad texts to the longest of a batch, or that are not known."""
    embed = {"@architectures": name}
    assert not is_row_wise({"tagger": {"model": {**TAGGER, "tok2vec": {"embed": [embed]}}}})
    assert is_row_wise({"tagger": {"model": TAGGER}})
