"""Korean sentences written for these tests, and texts made of them."""

from __future__ import annotations

import random

SENTENCES = """
한국의 역사는 오래되었고 그 문화는 다양하다.
사람들은 봄에 산을 오르고 가을에 책을 읽는다.
정부는 올해 예산을 12.5% 늘리기로 했다고 "공식" 발표하였다.
이 도시는 조선 시대부터 상업의 중심지였으며, 지금도 시장이 열린다.
걸어서 갔다가 도와 주셨어요! 아름다운 강물이 흘렀습니다.
국민 여러분께 간곡히 부탁드립니다. 왜 아무도 책임지지 않습니까?
그는 1998년 서울에서 태어나 대학교(경제학)를 졸업하고 회사에 들어갔다.
내일 비가 오면 경기를 실내에서 한대요.
할머니께서는 아침마다 라디오를 들으셨다.
README.md 의 3번째 줄을 pip install stela 로 고쳐 주세요.
기온이 1.5℃ 올라 바다의 높이도 달라졌다.
""".strip().splitlines()

ODD = [
    "",
    " ",
    "가",
    ".",
    "🙂🙂좋아",
    "A",
    "나 집　에",
    "제1장\n\t서론",
    "1234567890.55%",
    "뷁쀍꿻뛣",
    "漢字와 عربي 그리고 ひらがな",
    "ㅋㅋㅋ ㅠㅠ ㅎㄷㄷ",
    "\u1112\u1161\u11ab글",
    "a" * 300 + "가",
    "가" * 300,
    "!!!???",
    "\u200b\ufeff한\x00글",
]


def documents(count: int, seed: int = 0, longest: int = 4) -> list[str]:
    """Texts of 1 to 4 sentences in random order."""
    chance = random.Random(seed)
    return [
        chance.choice((" ", "\n", "")).join(chance.choices(SENTENCES, k=chance.randint(1, longest)))
        for _ in range(count)
    ]


def windows(count: int, seed: int = 0, longest: int = 40) -> list[str]:
    """Pieces of such texts of 1 to 40 characters that begin and end anywhere."""
    chance = random.Random(seed)
    pieces = []
    for text in documents(count, seed + 1):
        end = chance.randint(1, len(text))
        pieces.append(text[max(0, end - chance.randint(1, longest)) : end])
    return pieces
