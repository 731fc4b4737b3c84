"""Tags of the UD Chinese GSD treebanks (XPOS, relation, word) to the Penn Chinese Treebank's 33 tags.

Works for both annotation schemes: UD v1 (``case:dec``, ``auxpass``, ``nsubj``) and v2 (``case``,
``mark:rel``, ``aux:pass``). Definitions: Xia, *The Part-Of-Speech Tagging Guidelines for the Penn Chinese
Treebank (3.0)*, 2000.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class Word(NamedTuple):
    """What a row of a treebank says of a word; ``head`` counts from 1, 0 is the root."""

    form: str
    upos: str
    xpos: str
    head: int
    relation: str
    features: str = "_"


ALWAYS = {
    "NNP": "NR",
    "PRP": "PN",
    "WP": "PN",
    "SFN": "NN",
    "SFA": "NN",
    "SFV": "VV",
    "PFA": "JJ",
    "PFN": "JJ",
    "AS": "AS",
    "UH": "SP",
    "FW": "FW",
    "XX": "FW",
    "ADD": "FW",
    "LS": "OD",
    "CC": "CC",
    "MD": "VV",
    "VC": "VC",
}
PUNCTUATION = frozenset([",", ".", "EC", "(", ")", "''", "``", "/", ":", "HYPH", "...", '"'])


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


TIME_WORDS = _set(
    """
    今天 明天 昨天 今年 去年 明年 当时 现在 目前 后来 以前 以后 之后 之前 最近 近年
    同年 次年 翌年 此后 其后 最后 最初 最终 当年 当天 当日 当晚 早期 初期 晚期 后期
    中期 近代 现代 古代 当代 春天 夏天 秋天 冬天 春季 夏季 秋季 冬季 早上 上午 中午
    下午 晚上 凌晨 傍晚 夜间 星期 周末 每年 每天 日前 如今 现今 将来 现时 现 不久
    此时 此前 早年 当初 当前 未来 过去 从前 平时 同时 战后 战前 清代 明代 唐代 宋代
    元代 清朝 明朝 唐朝 宋朝 元朝 汉代 汉朝
    """
)
DATE_UNITS = _set("年 月 日 世纪 年代 时")
HAVE = _set("有 没有 无 没")
OTHER_PARTICLES = _set("所 来 去 而 以")
JOINING_ADVERBS = _set("并 而且 并且")
SUBORDINATING_ADVERBS = _set("虽然 虽 尽管 即使 不但 不仅 既然 只有 只要 除非 无论 不论 不管 一旦")
SUBORDINATING = _set(
    "因为 如果 由于 若 因 虽然 虽 尽管 即使 就算 只要 只有 除非 无论 不论 不管 既然 假如 一旦 倘若 若是"
)
LOCALIZERS = _set(
    """
    上 中 后 时 内 前 下 里 外 间 之间 以上 以下 以来 之后 之前 以后 以前 后来
    期间 之中 之下 之上 之内 之外 以外 以内 当中 其中 为止 起 旁 边 左右 附近 方面
    的时候 之时 之际 以东 以西 以南 以北 底 末 初 侧
    """
)
SHORT_NUMBER = re.compile(
    "[0-9]{1,2}|[0-9]+[.,][0-9]+|[〇零一二两三四五六七八九十百千万几数多余半]{1,2}"
    "|[一二三四五六七八九]?十[一二三四五六七八九]?"
)
"""A number before 年 that counts years; one of a year has three or four digits."""
QUANTITIES = _set("一些 许多 多数 大量 少数 部分 大部分 不少 很多 多 数 几 少量 众多 大多数 全部 若干")
SUBJECTS = frozenset(["nsubj", "csubj", "nsubjpass", "nsubj:pass", "csubjpass", "csubj:pass"])
MODIFIERS = frozenset(["amod", "nmod", "compound", "det", "nummod", "case", "case:pref", "case:suff"])
ADVERBIALS = frozenset(["advmod", "mark", "mark:adv", "discourse"])


def to_ctb(words: Sequence[Word]) -> list[str]:
    """One CTB tag for each word of a sentence."""
    return [_tag(word, place, words) for place, word in enumerate(words)]


def _tag(word: Word, place: int, words: Sequence[Word]) -> str:
    form, xpos = word.form, word.xpos
    if word.upos in ("PUNCT", "SYM") or xpos in PUNCTUATION:
        return "PU"
    if form in ("等", "等等"):
        return "ETC"
    if xpos in ALWAYS:
        return ALWAYS[xpos]
    rule = RULES.get(xpos)
    return rule(word, place, words) if rule is not None else "VV" if word.upos == "VERB" else "NN"


def _noun(word: Word, place: int, words: Sequence[Word]) -> str:
    return "NT" if word.relation.endswith(":tmod") or word.form in TIME_WORDS else "NN"


def _unit(word: Word, place: int, words: Sequence[Word]) -> str:
    """A date has NT (1998 年 3 月), a span of time M (三 年).

    UD v1 has no relation for classifiers, and v2 uses ``clf`` in dates as well: the number decides.
    """
    if word.form not in DATE_UNITS:
        return "M"
    number = words[place - 1].form if place else ""
    return "M" if word.form == "年" and SHORT_NUMBER.fullmatch(number) else "NT"


def _number(word: Word, place: int, words: Sequence[Word]) -> str:
    return "OD" if word.form.startswith("第") else "CD"


def _determiner(word: Word, place: int, words: Sequence[Word]) -> str:
    return "DT" if word.relation == "det" else "PN"


def _verb(word: Word, place: int, words: Sequence[Word]) -> str:
    return "VE" if word.form in HAVE else "VV"


def _de(word: Word, place: int, words: Sequence[Word]) -> str:
    """DEC ends a relative clause, DEG follows a noun."""
    if word.relation in ("mark:rel", "acl:relcl", "mark:relcl"):
        return "DEC"
    return "DEG" if word.relation.startswith("case") or "Case=Gen" in word.features else "DEC"


def _adverbial_de(word: Word, place: int, words: Sequence[Word]) -> str:
    return "DER" if word.form == "得" else "DEV"


def _marker(word: Word, place: int, words: Sequence[Word]) -> str:
    """BA for 把 and 将; 被 is LB where the agent stands between it and the verb, else SB."""
    if word.upos != "AUX":
        return "BA"
    verb = word.head - 1
    between = range(place + 1, verb)
    has_agent = any(words[i].head - 1 == verb and words[i].relation in SUBJECTS for i in between)
    return "LB" if has_agent else "SB"


def _adverb(word: Word, place: int, words: Sequence[Word]) -> str:
    if word.form in OTHER_PARTICLES:
        return "MSP"
    if word.form in JOINING_ADVERBS:
        return "CC"
    return "CS" if word.form in SUBORDINATING_ADVERBS else "AD"


def _preposition(word: Word, place: int, words: Sequence[Word]) -> str:
    if word.form in SUBORDINATING:
        return "CS"
    return "LC" if word.form in LOCALIZERS else "P"


def _adjective(word: Word, place: int, words: Sequence[Word]) -> str:
    if word.form in QUANTITIES:
        return "CD"
    if word.relation in MODIFIERS:
        return "JJ"
    return "AD" if word.relation in ADVERBIALS else "VA"


RULES = {
    "NN": _noun,
    "NNB": _unit,
    "CD": _number,
    "PRD": _determiner,
    "DT": _determiner,
    "VV": _verb,
    "DEC": _de,
    "DEV": _adverbial_de,
    "BB": _marker,
    "RB": _adverb,
    "IN": _preposition,
    "JJ": _adjective,
}
