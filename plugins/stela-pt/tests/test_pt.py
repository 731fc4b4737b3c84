import pytest
from stela_causal.tagger import CausalTagger
from stela_pt import Portuguese
from stela_testing import TaggerContract

SAMPLE = (
    "Folha -- Como você recebeu a notícia de "
    "que seria substituído? Giovane -- Normal"
    "mente. Seleção é isso, joga quem está me"
    "lhor, não tem esse negócio de nome. A me"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestPortuguese(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Portuguese()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Portuguese().tables()) == {2, 3, 4}
