from pydoc_data.topics import topics

import pytest
from stela_penn import Penn

from stela_core.testing import TaggerContract


class TestPenn(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Penn:
        return Penn()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        prose = topics["assert"] + topics["class"]
        return [prose[start : start + 30 + start % 50] for start in range(0, 3000, 61)]
