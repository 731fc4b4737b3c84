"""Mark English, Chinese and Korean text with STELA and KGW, find the marks, and test human text beside it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import stela_core as stela
from stela_core.cli.detect import coloured
from stela_core.generation.generate import Sampling, generate
from stela_core.generation.load import LanguageModel, load_model, load_tokenizer
from stela_core.profile.archive import write_archive
from stela_core.profile.create import Settings, create_profile
from stela_core.tables.tagger_spec import make_tagger

PROMPTS = {
    "en": "The history of the city began in the early nineteenth century, when",
    "zh": "这座城市的历史始于十九世纪初，",
    "ko": "이 도시의 역사는 19세기 초에 시작되었으며,",
}
TAGGERS = {"en": "penn", "zh": "ctb", "ko": "sejong"}
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

NEW_TOKENS = 200

KEY = 0x5354454C41
"""Fixed, so that the demo shows everyone the same."""


def main() -> None:
    began = time.monotonic()
    console = Console(width=None if Console().is_terminal else 110)
    registry = stela.create_registry()
    console.print("[bold]Generating with the embedded model, detecting with no model at all ...[/]")
    language_model = load_model(registry, "tiny")
    table = Table("scheme", "language", "text", "z", "p-value", "verdict", box=None)
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        for language, tagger in TAGGERS.items():
            for scheme in ("stela", "kgw"):
                path = Path(folder) / f"{scheme}-{language}.stela"
                write_profile(registry, scheme, tagger, path)
                watermark = stela.load(path, registry=registry)
                for source, text in texts(watermark, language_model, language):
                    found = watermark.detect(text)
                    colour = "green" if found.verdict == "watermarked" else "default"
                    table.add_row(
                        scheme,
                        language,
                        source,
                        f"{found.z:.2f}",
                        f"{found.p_value:.1e}",
                        f"[{colour}]{found.verdict}[/]",
                    )
                    if scheme == "stela" and (source == "generated" or language == "en"):
                        shown.append((f"{language} {source}", found))
    console.print(table)
    console.print("\nGreen tokens on green (brighter: more weight), red ones in red:")
    for label, found in shown:
        line = Text(f"{label:13}", "bold") + Text(" ").join(coloured(found).split("\n"))
        line.truncate(console.width, overflow="ellipsis")
        line.no_wrap = True
        console.print(line)
    console.print(f"[dim]{time.monotonic() - began:.0f} s[/]")


def write_profile(registry: stela.Registry, scheme: str, tagger: str, path: Path) -> None:
    """What ``stela profile new --scheme SCHEME --tagger TAGGER --model tiny --public-key`` does."""
    created = create_profile(
        registry,
        Settings(scheme=scheme),
        load_tokenizer(registry, "tiny"),
        KEY,
        public=True,
        tagger=make_tagger(registry, tagger),
    )
    write_archive(path, created.archive)


def texts(watermark: stela.Watermark, language_model: LanguageModel, language: str) -> list[tuple[str, str]]:
    """One generated text and one written by people."""
    sampling = Sampling(NEW_TOKENS, min_new_tokens=NEW_TOKENS, temperature=0.9, seed=1)
    [[generated]] = generate(watermark, language_model, [PROMPTS[language]], sampling, batch_size=1)
    return [
        ("generated", generated.text),
        ("human", ("" if language == "zh" else " ").join(HUMAN[language].split())),
    ]


if __name__ == "__main__":
    main()
