import pytest
from stela_causal.tagger import CausalTagger
from stela_testing import TaggerContract
from stela_vi import Vietnamese

SAMPLE = (
    "Thanh bắt chuyện với Hùng và nói :  Tôi "
    "trông ông quen quen ?  . Hùng giật mình "
    ":  Sao tôi không biết ông nhỉ ?  . Thanh"
    " quay sang Hùng :  ông quê đâu nhỉ ? À ,"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestVietnamese(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Vietnamese()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Vietnamese().tables()) == {2, 3, 4}
