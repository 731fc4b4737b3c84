"""The languages of ``stela demo``: each one's tagger, the beginning of a text, and a text by people."""

from __future__ import annotations

from typing import NamedTuple

from stela_models.cli.demo_texts import HUMAN, PROMPTS


class Language(NamedTuple):
    """What the demo shows of a language."""

    name: str
    """Name of the language in English."""
    tagger: str
    """Tagger of schemes that use POS contexts."""
    prompt: str
    human: str


EMBEDDED = {
    "en": Language("English", "penn:causal", PROMPTS["en"], HUMAN["en"]),
    "zh": Language("Chinese", "ctb", PROMPTS["zh"], HUMAN["zh"]),
    "ko": Language("Korean", "sejong", PROMPTS["ko"], HUMAN["ko"]),
}
"""Languages that the embedded model was trained on, by code: shown where none is asked for."""

OTHERS = {
    "ar": Language(
        "Arabic",
        "ar",
        "بدأ تاريخ المدينة في أوائل القرن التاسع عشر، عندما",
        """يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل
بعضهم بعضاً بروح الإخاء. لكل فرد الحق في الحياة والحرية وسلامة شخصه.""",
    ),
    "de": Language(
        "German",
        "de",
        "Die Geschichte der Stadt begann im frühen neunzehnten Jahrhundert, als",
        """Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und
Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen. Jeder hat das Recht auf Leben,
Freiheit und Sicherheit der Person.""",
    ),
    "es": Language(
        "Spanish",
        "es",
        "La historia de la ciudad comenzó a principios del siglo XIX, cuando",
        """Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de
razón y conciencia, deben comportarse fraternalmente los unos con los otros. Todo individuo tiene derecho
a la vida, a la libertad y a la seguridad de su persona.""",
    ),
    "fr": Language(
        "French",
        "fr",
        "L'histoire de la ville commence au début du XIXe siècle, lorsque",
        """Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison
et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Tout individu a
droit à la vie, à la liberté et à la sûreté de sa personne.""",
    ),
    "hi": Language(
        "Hindi",
        "hi",
        "शहर का इतिहास उन्नीसवीं सदी की शुरुआत में आरंभ हुआ, जब",
        """सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें
बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए। प्रत्येक
व्यक्ति को जीवन, स्वाधीनता और वैयक्तिक सुरक्षा का अधिकार है।""",
    ),
    "id": Language(
        "Indonesian",
        "id",
        "Sejarah kota ini dimulai pada awal abad kesembilan belas, ketika",
        """Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal
dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan. Setiap orang berhak atas
kehidupan, kebebasan dan keselamatan sebagai individu.""",
    ),
    "ja": Language(
        "Japanese",
        "ja",
        "この都市の歴史は十九世紀の初めに始まり、",
        """すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と
良心とを授けられており、互いに同胞の精神をもって行動しなければならない。すべて人は、生命、自由及び身体の安全に
対する権利を有する。""",
    ),
    "pt": Language(
        "Portuguese",
        "pt",
        "A história da cidade começou no início do século XIX, quando",
        """Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de
consciência, devem agir uns para com os outros em espírito de fraternidade. Todo o indivíduo tem direito à
vida, à liberdade e à segurança pessoal.""",
    ),
    "ru": Language(
        "Russian",
        "ru",
        "История города началась в начале девятнадцатого века, когда",
        """Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и
совестью и должны поступать в отношении друг друга в духе братства. Каждый человек имеет право на жизнь,
на свободу и на личную неприкосновенность.""",
    ),
    "tr": Language(
        "Turkish",
        "tr",
        "Şehrin tarihi on dokuzuncu yüzyılın başında başladı;",
        """Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve
birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Yaşamak, hürriyet ve kişi emniyeti her
ferdin hakkıdır.""",
    ),
    "vi": Language(
        "Vietnamese",
        "vi",
        "Lịch sử của thành phố bắt đầu vào đầu thế kỷ XIX, khi",
        """Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi con người đều được
tạo hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu. Mọi người đều có quyền
sống, quyền tự do và an toàn cá nhân.""",
    ),
}
"""Languages of the other language plugins. The texts are articles 1 and 3 of the Universal Declaration of
Human Rights (1948)."""

LANGUAGES = EMBEDDED | OTHERS

NO_SPACES = ("ja", "zh")
"""Languages whose lines join without a space."""


def human_text(code: str) -> str:
    """The text by people, in one line."""
    return ("" if code in NO_SPACES else " ").join(LANGUAGES[code].human.split())


def not_written(codes: list[str]) -> str:
    """What to know of text that the embedded model wrote in these languages; empty where all are its own."""
    names = [LANGUAGES[code].name for code in codes if code not in EMBEDDED]
    if not names:
        return ""
    return (
        "note: the embedded model knows English, Chinese and Korean only: what it wrote as "
        f"{' and '.join(names)} makes no sense. --model M takes a model that knows the language"
    )
