import pytest
from korean_texts import ODD, SENTENCES, windows
from stela_sejong import Sejong
from stela_testing import TaggerContract

pytestmark = pytest.mark.slow

PROSE = (
    "유구한 역사와 전통에 빛나는 우리 대한국민은 조국의 민주개혁과 평화적 통일의 사명에 입각하여 정의와 "
    "인도와 동포애로써 민족의 단결을 공고히 하고, 모든 사회적 폐습과 불의를 타파하며, 기회를 균등히 하였다. "
    "그는 어제 학교에 갔지만 아무도 만나지 못했다고 말했습니다. 값이 3,000원이래요! “정말이야?”라고 물었죠."
)


class TestSejong(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Sejong:
        return Sejong()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [PROSE[start : start + 10 + start % 30] for start in range(0, len(PROSE) - 40, 3)]


class TestCausal(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Sejong:
        return Sejong(Sejong.Parameters(model="causal"))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [*windows(80), *SENTENCES, *ODD]
