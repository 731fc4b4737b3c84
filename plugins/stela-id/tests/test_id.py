import pytest
from stela_causal.tagger import CausalTagger
from stela_id import Indonesian
from stela_testing import TaggerContract

SAMPLE = (
    "Sampul dari dua singel pertama difoto ol"
    "eh Emma Summerton pada bulan April 2010 "
    "dan tiga gambar lainnya diambil oleh art"
    "is yang dirilis untuk mempromosikan albu"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestIndonesian(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Indonesian()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Indonesian().tables()) == {2, 3, 4}
