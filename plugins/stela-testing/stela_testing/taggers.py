"""What every tagger is held to (invariants 1 and 2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import pytest

from stela_core import StelaError, Tagger
from stela_core.api import CausalContexts, TokenBytes, window_of

HOSTILE = [
    "",
    " ",
    "\n\t\u3000",
    "\x00",
    "🙂 👩‍👩‍👧‍👦 🇰🇷",
    "مرحبا بالعالم",
    "zero\u200bwidth\u200djoin\ufeff",
    "\ufffd\ufffd a",
    "e\u0301\u0301\u0301",
    "a" * 5_000,
    "1234567890 " * 50,
    "\u202e\u2066mixed \u0647\u0630\u0627 \u05e2\u05d1\u05e8\u05d9\u05ea\u2069 text",
    "\U0001f1f0\U0001f1f7" * 200,
    "\u4e2d" * 5_000,
    "\uac00" * 5_000,
]
LONG = "a" * 100_000
FROM_A_STRANGER = (
    "", ".", "..", "model", "./model", "../model", "/tmp/model", "model/", "C:\\model", "~/model",
    "file:model", "https://example.org/model.zip", "numpy", "os.path", "shipped ", "shipped\n", "shipped/..",
    "SHIPPED",
    "en\n", "en_core_web_sm\n", "en_core_web_sm/..", "en_core_web_sm; rm -rf x", "en_core_web_sm\x00",
    "CTB9_POS_ELECTRA_SMALL/..", "A+B+C",
)  # fmt: skip
"""Words that no profile may make a tagger load."""
BYTES = TokenBytes([bytes([byte]) for byte in range(256)], frozenset())
"""A vocabulary that cuts every character that can be cut."""

SURROGATES = ["\ud800", "a \udfff b", "\ud83d \ude00"]


class TaggerContract:
    """Subclass in your tests, with ``tagger`` and ``texts``::

    class TestMine(TaggerContract):
        @pytest.fixture(scope="class")
        @classmethod
        def tagger(cls): return Mine(Mine.Parameters())

        @pytest.fixture(scope="class")
        @classmethod
        def texts(cls): return ["some text", ...]
    """

    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> Tagger:
        """The tagger under test."""
        raise NotImplementedError("override the fixture tagger")

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        """Texts in its language, at least 20, some cut inside a word."""
        raise NotImplementedError("override the fixture texts")

    def test_spans_lie_in_the_text_in_order(self, tagger: Tagger, texts: list[str]) -> None:
        """Spans are inside the text, not empty of sense, and never step back."""
        for text, tags in zip(texts, tagger.tag(texts), strict=True):
            assert tags or not text.strip()
            assert all(0 <= tag.start <= tag.end <= len(text) for tag in tags)
            starts = [tag.start for tag in tags]
            assert starts == sorted(starts)
            covered = {i for tag in tags for i in range(tag.start, tag.end)}
            assert all(i in covered for i, c in enumerate(text) if c.isalpha())

    def test_profiles_may_name_what_is_the_default_for_a_language(self, tagger: Tagger) -> None:
        """A language's default is a model that every reader of a profile has, for texts of that language."""
        for language, model in tagger.default_for.items():
            assert model is None or tagger.accepts_from_profile(model)
            assert tagger.language in (language, "mul")

    def test_same_tags_alone_and_in_any_batch(self, tagger: Tagger, texts: list[str]) -> None:
        """Batch size and order do not matter."""
        alone = [tagger.tag([text])[0] for text in texts]
        assert tagger.tag(texts) == alone
        assert tagger.tag(texts[::-1]) == alone[::-1]
        assert [tagger.tag(texts[i : i + 7]) for i in range(0, len(texts), 7)] == [
            alone[i : i + 7] for i in range(0, len(texts), 7)
        ]

    def test_same_tags_from_any_thread(self, tagger: Tagger, texts: list[str]) -> None:
        """Four threads at once give what one gives."""
        alone = [tagger.last_tags([text], 3)[0] for text in texts]
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda text: tagger.last_tags([text], 3)[0], texts)) == alone

    def test_last_tags_are_the_last_tags(self, tagger: Tagger, texts: list[str]) -> None:
        """The fast way gives what the plain one gives."""
        windows = [window_of(text, tagger.window, tagger.unit) for text in texts]
        for count in (0, 1, 3):
            expected = [
                tuple(t.tag for t in tags)[max(0, len(tags) - count) :] for tags in tagger.tag(windows)
            ]
            assert tagger.last_tags(windows, count) == [tags if count else () for tags in expected]

    def test_windows_within_a_text_have_the_tags_they_have_alone(
        self, tagger: Tagger, texts: list[str]
    ) -> None:
        """Windows that overlap, as detection has them, in one call for all texts."""
        longest = 2 * reach_of(tagger, tagger.window)
        whole = [text[:longest] for text in (*texts[:20], *HOSTILE)]
        spans = []
        for text in whole:
            ends = [*range(0, len(text), 3), len(text)]
            windows = [window_of(text[:end], tagger.window, tagger.unit) for end in ends]
            spans.append([(end - len(window), end) for window, end in zip(windows, ends, strict=True)])
        alone = [
            tagger.last_tags([text[a:b] for a, b in each], 3) for text, each in zip(whole, spans, strict=True)
        ]
        assert tagger.last_tags_within(whole, spans, 3) == alone
        assert tagger.last_tags_within(whole, spans, 1) == [[tags[-1:] for tags in each] for each in alone]
        assert tagger.last_tags_within(whole[:1], [[(0, 0)]], 0) == [[()]]
        assert tagger.last_tags_within([], [], 2) == []

    def test_insertion_and_detection_see_the_same(self, tagger: Tagger, texts: list[str]) -> None:
        """Token by token, in a batch of texts, as all at once; where tokens end inside of characters."""
        rows = [list(text.encode())[:80] for text in (*texts[-5:], *HOSTILE)]
        inserting, detecting = (CausalContexts(tagger, 3, tagger.window, BYTES) for _ in range(2))
        inserted: list[list[tuple[str, ...]]] = [[] for _ in rows]
        for step in range(80):
            going = [number for number, row in enumerate(rows) if len(row) > step]
            contexts = inserting.before_next([rows[number][:step] for number in going])
            for number, context in zip(going, contexts, strict=True):
                inserted[number].append(context)
        assert inserted == detecting.before_places(rows, [range(len(row)) for row in rows])

    def test_what_was_asked_before_changes_nothing(self, tagger: Tagger, texts: list[str]) -> None:
        """Windows of texts that grow together, then in other orders, a few in a call."""
        rows = [text[: 3 * reach_of(tagger, 4)] for text in (*texts[-3:], *HOSTILE[:3])]
        ends = range(1, max(map(len, rows)), 3)
        calls = [[window_of(row[:end], tagger.window, tagger.unit) for row in rows] for end in ends]
        expected = [tagger.last_tags([window], 2) for window in dict.fromkeys(chain.from_iterable(calls))]
        known = dict(zip(dict.fromkeys(chain.from_iterable(calls)), expected, strict=True))
        for order in (calls, calls[::-1], calls[::2] + calls[1::2]):
            for windows in order:
                assert tagger.last_tags(windows, 2) == [known[window][0] for window in windows]
                assert tagger.last_tags(windows[1:], 2) == [known[window][0] for window in windows[1:]]

    def test_nothing_to_tag(self, tagger: Tagger) -> None:
        """No texts, and texts of white space."""
        assert tagger.tag([]) == []
        assert tagger.last_tags([], 2) == []
        assert tagger.tag(["", "  "]) == [[], []]
        assert tagger.last_tags(["", "  "], 2) == [(), ()]

    def test_hostile_text(self, tagger: Tagger) -> None:
        """Emoji, right-to-left, zero-width, long: tagged or not, but with valid spans and no error."""
        for text, tags in zip(HOSTILE, tagger.tag(HOSTILE), strict=True):
            assert all(0 <= tag.start <= tag.end <= len(text) for tag in tags)
        assert len(tagger.last_tags(HOSTILE, 3)) == len(HOSTILE)

    def test_a_long_text(self, tagger: Tagger, texts: list[str]) -> None:
        """A word of 100,000 letters is tagged or not, with valid spans, and changes nothing for others."""
        first = tagger.tag(texts[:3])
        [tags], [last] = tagger.tag([LONG]), tagger.last_tags([LONG], 3)
        assert all(0 <= tag.start <= tag.end <= len(LONG) for tag in tags)
        assert last == tuple(tag.tag for tag in tags)[-3:]
        assert tagger.tag(texts[:3]) == first

    def test_lone_surrogates_are_refused(self, tagger: Tagger) -> None:
        """Lone surrogates get an error of one line, in any batch; the tagger works on afterwards."""
        before = tagger.tag(["a b"])
        for text in SURROGATES:
            with pytest.raises(StelaError, match="surrogate"):
                tagger.tag(["a", text])
            with pytest.raises(StelaError, match="surrogate"):
                tagger.last_tags(["a", text], 2)
        assert tagger.tag(["a b"]) == before

    def test_pure(self, tagger: Tagger, texts: list[str]) -> None:
        """What was tagged before does not matter."""
        first = tagger.tag(texts)
        tagger.tag(HOSTILE)
        assert tagger.tag(texts) == first

    def test_windows(self, tagger: Tagger, texts: list[str]) -> None:
        """A window is an end of the text, its own window, and no longer than asked for."""
        for text in [*texts, *HOSTILE]:
            window = window_of(text, tagger.window, tagger.unit)
            assert text.endswith(window)
            assert window_of(window, tagger.window, tagger.unit) == window
            units = window.split() if tagger.unit == "word" else window
            assert len(units) <= tagger.window

    def test_tables_that_come_along_are_known(self, tagger: Tagger) -> None:
        """What a profile takes from the plugin is recognised in it: ``shipped_tables`` lists it."""
        assert set(tagger.tables().values()) <= set(type(tagger).shipped_tables())

    def test_identity(self, tagger: Tagger) -> None:
        """Names that a profile can hold, and a fingerprint that does not change."""
        assert tagger.fingerprint == tagger.fingerprint
        assert tagger.fingerprint
        assert tagger.version
        assert tagger.model
        assert type(tagger).status().ok

    def test_fingerprint_is_known_before_loading(self, tagger: Tagger) -> None:
        """The fingerprint comes from bytes only: a user's model is compared before it is loaded."""
        kind = type(tagger)
        if "model" in kind.Parameters.model_fields:
            parameters = kind.Parameters.model_validate({"model": tagger.model})
            assert kind.fingerprint_of(parameters) == tagger.fingerprint

    def test_a_profile_names_no_folder(
        self, tagger: Tagger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A profile may name the default model, and names that are known: no path, address or other word."""
        kind = type(tagger)
        (tmp_path / "model").mkdir()
        monkeypatch.chdir(tmp_path)
        if "model" in kind.Parameters.model_fields:
            field = kind.Parameters.model_fields["model"]
            if not field.is_required():
                assert kind.accepts_from_profile(field.get_default(call_default_factory=True))
            for model in (*FROM_A_STRANGER, str(tmp_path / "model")):
                assert not kind.accepts_from_profile(model), model


def reach_of(tagger: Tagger, window: int) -> int:
    """Characters before a token that decide its context, in a window of ``window`` of the tagger's units."""
    return CausalContexts(tagger, 3, window, BYTES).reach
