import pytest
from stela_causal.tagger import CausalTagger
from stela_es import Spanish
from stela_testing import TaggerContract

SAMPLE = (
    "De allí procedía la familia del escritor"
    " vallisoletano Blas Pajarero, cuya casa "
    "se encuentra en la Plaza de San Pedro; L"
    "a Provincia de Mamoré es una provincia d"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestSpanish(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Spanish()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Spanish().tables()) == {2, 3, 4}
