import pytest
from stela_causal.tagger import CausalTagger
from stela_ja import Japanese
from stela_testing import TaggerContract

SAMPLE = (
    "これに不快感を示す住民はいましたが,現在,表立って反対や抗議の声を挙げている住民"
    "はいないようです。 幸福の科学側からは,特にどうしてほしいという要望はいただいて"
    "いません。 星取り参加は当然とされ,不参加は白眼視される。 室長の対応には終始誠"
    "実さが感じられた。 多くの女性が生理のことで悩んでいます。 先生の理想は限りなく"
)


class TestJapanese(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Japanese()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Japanese().tables()) == {2, 3, 4}
