"""Chinese sentences written for these tests, and texts made of them."""

from __future__ import annotations

import random

SENTENCES = """
今天早上，我们一起去学校上课。
他在北京大学学习历史，毕业后回到了家乡。
这座城市位于长江下游，人口约三百万。
2004年3月5日，该公司宣布了新的计划。
如果明天下雨，比赛将改在室内进行。
她把钥匙忘在家里了，只好等哥哥回来。
研究人员发现，这种植物可以在沙漠中生长。
“你为什么不告诉我？”他生气地问。
由于天气原因，航班被取消了。
这本书的作者是一位著名的科学家。
第二天，所有人都知道了这个消息。
为了保护环境，政府制定了一系列措施。
我喜欢喝茶，但是不喜欢喝咖啡。
火车站附近有很多饭店、商店和银行。
电影《红高粱》于1987年上映，获得了多个奖项。
他跑得很快，没有人能追上他。
这个软件支持 Windows 和 Linux 两种系统。
孩子们在公园里唱歌、跳舞，玩得非常开心。
经过三年的努力，她终于实现了自己的梦想。
桌子上放着一杯水和两个苹果。
老师让学生们把作业交上来。
虽然困难很多，他们还是完成了任务。
湖水清澈见底，周围的山上长满了松树。
这项技术已经被广泛应用于医学领域。
爷爷每天晚上都要听一会儿广播。
请把 README.md 里的第 3 行改成 pip install stela。
全球气温上升了1.5℃，海平面也随之升高。
他们的房子比我们的大，院子也更漂亮。
春天来了，花儿都开了，小鸟在树上唱歌。
会议讨论了教育、卫生等问题。
""".strip().splitlines()

ODD = [
    "",
    " ",
    "中",
    "。",
    "🙂🙂好",
    "A",
    "我 在　家",
    "第1章\n\t引言",
    "1234567890.55%",
    "龘靐齉",
    "عربي中文",
    "a" * 300 + "中",
    "中" * 300,
    "!!!???",
    "\u200b\ufeff中\x00文",
]


def documents(count: int, seed: int = 0, longest: int = 5) -> list[str]:
    """Texts of 1 to 5 sentences in random order, some parted by blanks and line breaks."""
    chance = random.Random(seed)
    return [
        chance.choice(("", "", " ", "\n")).join(chance.choices(SENTENCES, k=chance.randint(1, longest)))
        for _ in range(count)
    ]


def windows(count: int, seed: int = 0, longest: int = 40) -> list[str]:
    """Pieces of such texts of 1 to 40 characters that begin and end anywhere."""
    chance = random.Random(seed)
    found = []
    for text in documents(count, seed + 1):
        end = chance.randint(1, len(text))
        found.append(text[max(0, end - chance.randint(1, longest)) : end])
    return found
