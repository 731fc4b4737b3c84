"""Who chose what a profile says, and what of its verdicts holds therefore.

A p-value is over random keys: it says how often a key drawn at random finds so much evidence in a text that
was written without it. Whoever knows the text *and* the key can choose table, tokenizer and parameters, or
try keys, until a text of his choice looks marked. So the p-value of a profile holds if

- the user made the profile, or trusts whoever did (``stela profile trust``), or
- it was fixed before the text was written, or
- its key was drawn at random, and whoever chose the other parts did not know it.

Nothing in a file proves either of the last two: a verdict says so. A table that an installed plugin ships was
not the profile maker's to write. Any other one can make a text as improbable as its maker likes, by weighing
that text's green tokens, far beyond what trying keys can do. Such a table decides nothing: the verdict
rests on the larger of two p-values then, with the table and with every token counted alike. Nor does a key
whose parts can be chosen one by one (SynthID's layers): the verdict rests on the p-value times the number of
keys. Nor does a tokenizer that is not known here (:mod:`.known_tokenizers`): its ids, merges, normalizer and
added tokens can be chosen so that the text's tokens are green. Whatever they are, they turn the text into one
row of n ids below V, and of such rows there are V^n: the p-value is times their number.

Profiles that the user made here, or said to trust, are remembered by the SHA-256 of their content: a small
file each in the user's folder of state (``STELA_STATE`` names another one), so that processes that remember
and forget at once lose nothing. Earlier versions wrote all of them into the one file ``profiles``, which is
still read. Neither holds a key, nor anything that a key can be guessed from.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from typing import Protocol

from stela_core.errors import StelaError
from stela_core.files.bounded import MEBIBYTE
from stela_core.files.state import drop, keep, read_kept
from stela_core.profile.archive import Archive
from stela_core.profile.known_tokenizers import is_known
from stela_core.profile.schema import Profile
from stela_core.registry.components import Registry

HIGHEST_ALPHA = 0.05
"""Largest rate of false alarms of a verdict, unless the user asks for more."""

FEWEST_TOKENS = 8
"""Least ``min_tokens`` of a verdict, unless the user asks for fewer; new profiles have it. Where gamma is
small, a word or two reach alpha: too little to say anything of a text."""

MOST_CHOICES = 600.0
"""Largest logarithm of a number of choices: above it no p-value is small enough, and every one is 1."""

MOST_ERROR = 1e-3
"""Largest probability of naming another message than the one in the text at which it is called sure."""

UNLESS = "without --allow-lenient (Python: allow_lenient=True)"

MOST_REMEMBERED = 8_000
"""Profiles remembered; the oldest are forgotten first."""
MAX_STATE_BYTES = 16
"""Bytes of a file that remembers one."""

EARLIER = "profiles"
"""The file of earlier versions, a digest a line."""
KIND, OWN_FILE, FORGOTTEN = "profile", b"own\n", b"forgotten\n"
"""Start of a file name, and contents: ``FORGOTTEN`` where ``EARLIER`` still lists the profile."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What verdicts say of whoever made a profile."""

    caveat: str | None = None
    """One sentence where somebody else made it."""
    foreign_table: bool = False
    """Whether someone else made its table: a verdict then rests on weights without it, too."""
    foreign_key: bool = False
    """Whether somebody else may have chosen its key: where keys are chosen part by part, p-values are times
    their number (:attr:`.Hasher.log_choices`)."""
    foreign_tokenizer: bool = False
    """Whether its tokenizer may have been made for the text: p-values are times the number of rows of ids."""
    note: str | None = None
    """What is said of one of its keys, whoever made the profile."""

    def log_choices(self, hasher: float, tokens: int = 1, ids: int = 2) -> float:
        """Natural logarithm of what p-values are times; 0 where nothing but the whole key was chosen.

        Args:
            hasher: the mark's own (:attr:`.Hasher.log_choices`).
            tokens: of the text, n.
            ids: of the tokenizer, V. Both are the maker's to choose, too: over all n and V, the shares
                1 / ((n + 1) (V + 1))^2 that are taken of the error rate come to less than 1.
        """
        log_rows = tokens * log(ids) + 2 * log((tokens + 1) * (ids + 1)) if self.foreign_tokenizer else 0.0
        return log_rows + (hasher if self.foreign_key else 0.0)

    def caveat_with(
        self, p_unweighted: float | None, p_chosen: float | None, log_choices: float, chosen: str
    ) -> str | None:
        """The sentence for one text.

        Args:
            p_unweighted: its p-value without the table.
            p_chosen: its p-value times the number of what could have been chosen.
            log_choices: logarithm of that number.
            chosen: what it is of, where the tokenizer is known (:attr:`.Hasher.chosen`).
        """
        caveat = self.caveat
        if caveat is not None and p_unweighted is not None:
            caveat = (
                f"{caveat}; with every token counted alike it is {p_unweighted:.2g}, and the larger counts"
            )
        if caveat is not None and p_chosen is not None:
            why, what = TOKENIZER if self.foreign_tokenizer else (chosen, "")
            times = f"times all 1e{log_choices / log(10):.0f}{what} it is {p_chosen:.2g}, which counts"
            caveat = f"{caveat}; {why}: {times}{TRUST if self.foreign_tokenizer else ''}"
        return ". ".join(part for part in (self.note, caveat) if part is not None) or None


TOKENIZER = (
    "its tokenizer is not known here and may have been made for this text",
    " ways to cut and number it",
)
TRUST = (
    "; if you know who made the profile (stela profile verify says who signed it), stela profile trust "
    "takes the tokenizer as it is"
)


def times_of(log_choices: float) -> float:
    """The number of choices: 1 where there is none, infinite above :data:`MOST_CHOICES`."""
    return exp(log_choices) if log_choices <= MOST_CHOICES else inf


OWN = Provenance()


class Digested(Protocol):
    """A file that says how texts are tested: a profile, or a plugin's file of that kind."""

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, 64 hex digits."""


class TrustedProfiles:
    """The profiles that the user made here, or said to trust, and what is said of all others.

    ``profile in trusted`` asks whether one is among them.
    """

    def __contains__(self, profile: Digested) -> bool:
        digest = profile.digest
        kept = read_kept(f"{KIND}-{digest}", MAX_STATE_BYTES)
        return digest in _earlier() if kept is None else kept == OWN_FILE

    def add(self, profile: Digested) -> bool:
        """Take the profile for the user's own from now on; whether that could be written down."""
        return profile in self or keep(KIND, profile.digest, OWN_FILE, MOST_REMEMBERED)

    def remove(self, profile: Digested) -> bool:
        """Treat the profile as someone else's again; whether that could be written down."""
        if profile.digest in _earlier():
            return keep(KIND, profile.digest, FORGOTTEN, MOST_REMEMBERED)
        return drop(KIND, profile.digest)

    def provenance_of(
        self, profile: Profile, registry: Registry, archive: Archive | None = None
    ) -> Provenance:
        """Whether the profile is the user's own, and if not, what its maker chose.

        Args:
            profile: of somebody.
            registry: the plugins.
            archive: the profile's, opened without an error; left out where no text is tested.

        A signature of somebody whom the user trusts would make a profile as good as his own: here is where
        to look at it.
        """
        if profile in self:
            return OWN
        digest = profile.table_sha256
        table = digest is not None and registry.shipper_of(digest) is None
        if profile.hasher.key is None:
            what = "this profile and its table were" if table else "this profile was"
            they = "they were" if table else "it was"
            caveat = (
                f"{what} made by someone else: the p-value holds only if {they} fixed before the text, or by "
                "someone who did not know the key"
            )
        else:
            what = "key and table of this profile were" if table else "the key of this profile was"
            they = "both were" if table else "it was"
            caveat = (
                f"{what} chosen by someone else: the p-value holds only if {they} fixed before the text, and "
                "so was the tokenizer"
            )
        strange = archive is None or not is_known(archive, registry)
        return Provenance(caveat, table, foreign_key=True, foreign_tokenizer=strange)


def _earlier() -> list[str]:
    return (read_kept(EARLIER, MEBIBYTE) or b"").decode("ascii", "replace").split("\n")


trusted = TrustedProfiles()
"""The user's."""


def require_strict(profile: Profile, what: str) -> None:
    """Refuse thresholds at which a verdict, or a message that is called sure, says next to nothing.

    Raises:
        StelaError: alpha is above ``HIGHEST_ALPHA``, ``most_error`` of its message above ``MOST_ERROR``, or
            ``min_tokens`` below ``FEWEST_TOKENS``.
    """
    if profile.alpha > HIGHEST_ALPHA:
        raise StelaError(
            f"{what} has alpha = {profile.alpha:g}: {profile.alpha:.0%} of texts that nobody marked would be "
            "called watermarked.",
            f"{HIGHEST_ALPHA} is the largest {UNLESS}",
        )
    most = None if profile.message is None else profile.message.parameters.get("most_error")
    if isinstance(most, float) and MOST_ERROR < most < 1:  # others the encoder refuses
        raise StelaError(
            f"{what} has most_error = {most:g}: it would call messages sure that are wrong this often.",
            f"{MOST_ERROR} is the largest {UNLESS}",
        )
    if profile.min_tokens < FEWEST_TOKENS:
        raise StelaError(
            f"{what} has min_tokens = {profile.min_tokens}: so little text says next to nothing.",
            f"{FEWEST_TOKENS} is the least {UNLESS}",
        )
