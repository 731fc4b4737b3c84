"""Prompts, and text by people to compare with, for ``stela demo``."""

from __future__ import annotations

PROMPTS = {
    "en": "The history of the city began in the early nineteenth century, when",
    "zh": "这座城市的历史始于十九世纪初，",
    "ko": "이 도시의 역사는 19세기 초에 시작되었으며,",
}

HUMAN = {
    "en": """We the People of the United States, in Order to form a more perfect Union, establish
Justice, insure domestic Tranquility, provide for the common defence, promote the general Welfare, and
secure the Blessings of Liberty to ourselves and our Posterity, do ordain and establish this
Constitution for the United States of America. All legislative Powers herein granted shall be vested in
a Congress of the United States, which shall consist of a Senate and House of Representatives.""",
    "zh": """我冒了严寒，回到相隔二千余里，别了二十余年的故乡去。时候既然是深冬；渐近故乡时，天气又阴晦了，
冷风吹进船舱中，呜呜的响，从篷隙向外一望，苍黄的天底下，远近横着几个萧索的荒村，没有一些活气。我的心禁不住
悲凉起来了。阿！这不是我二十年来时时记得的故乡？我所记得的故乡全不如此。我的故乡好得多了。但要我记起他的
美丽，说出他的佳处来，却又没有影像，没有言辞了。仿佛也就如此。""",
    "ko": """유구한 역사와 전통에 빛나는 우리 대한국민은 3·1운동으로 건립된 대한민국임시정부의 법통과
불의에 항거한 4·19민주이념을 계승하고, 조국의 민주개혁과 평화적 통일의 사명에 입각하여 정의·인도와
동포애로써 민족의 단결을 공고히 하고, 모든 사회적 폐습과 불의를 타파하며, 자율과 조화를 바탕으로
자유민주적 기본질서를 더욱 확고히 하여 정치·경제·사회·문화의 모든 영역에 있어서 각인의 기회를
균등히 하고, 능력을 최고도로 발휘하게 하며, 자유와 권리에 따르는 책임과 의무를 완수하게 한다.""",
}
"""Preambles of two constitutions, and the beginning of a story by Lu Xun (1921): in the public domain."""
