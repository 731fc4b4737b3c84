import pytest
from stela_causal.tagger import CausalTagger
from stela_ru import Russian
from stela_testing import TaggerContract

SAMPLE = (
    "Билли начал играть за резервный состав `"
    "`Черка&#39;&#39; в возрасте 16 лет, а че"
    "рез пару сезонов был приглашён в основно"
    "й состав. Стоимость проезда с 5 января 2"
)


@pytest.mark.deep(
    stand_in="plugins/stela-de/tests/test_de.py::TestGerman",
    only=["test_a_long_text", "test_windows_within_a_text_have_the_tags_they_have_alone"],
)
class TestRussian(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> CausalTagger:
        return Russian()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [SAMPLE[start : start + 12 + start] for start in range(0, 60, 2)]


def test_tables() -> None:
    assert set(Russian().tables()) == {2, 3, 4}
