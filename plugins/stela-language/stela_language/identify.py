"""Which language a text is in, by py3langid: whose model is in the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stela_core import MissingLibraryError

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

READ = 20_000
"""Characters of a text that are read: more change nothing."""

SURE = 0.5
"""Share of the evidence from which on a language is named."""

UNDETERMINED = "und"
"""ISO 639-2's code where a language is not known."""

NO_LANGUAGE = "zxx"
"""ISO 639-2's code of what is in no language, such as program code."""

VARIETY_OF = {"wuu": "zh", "yue": "zh", "ary": "ar", "arz": "ar", "nn": "no", "uzs": "uz"}
"""Varieties, by the language that a profile would name (ISO 639-3's macrolanguages)."""


@dataclass(frozen=True, slots=True)
class Language:
    """What a text is in.

    Args:
        code: ISO 639-1 code; ``und`` where no language has a share of ``SURE``, ``zxx`` of code and the like.
        share: of the evidence, 0 to 1, that the likeliest language has over all that are known.
    """

    code: str
    share: float

    @property
    def is_known(self) -> bool:
        """Whether a language was found."""
        return self.code not in (UNDETERMINED, NO_LANGUAGE)


class Identifier:
    """Knows 139 languages by the bytes of their words and endings (Lui and Baldwin, ACL 2012).

    Raises:
        MissingLibraryError: py3langid is not installed.
    """

    def __init__(self) -> None:
        try:
            from py3langid.langid import MODEL_FILE, LanguageIdentifier
        except ModuleNotFoundError:
            raise MissingLibraryError(
                "py3langid", "finding a text's language", '"stela-language[check]"'
            ) from None
        self._identifier: LanguageIdentifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def knows(self, code: str) -> bool:
        """Whether a language is among those that are told."""
        return code in self._identifier.labels

    def language_of(self, text: str) -> Language:
        """The likeliest language of a text."""
        shares: dict[str, float] = {}
        for code, share in self._identifier.rank(text[:READ]):
            language = VARIETY_OF.get(code, code)
            shares[language] = shares.get(language, 0.0) + share
        code = max(shares, key=shares.__getitem__)
        return Language(code if shares[code] >= SURE else UNDETERMINED, min(shares[code], 1.0))
