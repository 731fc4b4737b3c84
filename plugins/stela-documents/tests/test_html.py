"""The text that a reader of a page sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from .helpers import error, texts


def seen(tmp_path: Path, page: str) -> str:
    file = tmp_path / "page.html"
    file.write_text(page, encoding="utf-8")
    [text] = texts(file)
    return text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one\n  two</p>\n<p>three", "one two\n\nthree"),
        ("a<b>b</b>c <i>d</i> e", "abc d e"),
        ("a<br>b<br><br>c", "a\nb\n\nc"),
        ("<ul><li>a<li>b</ul>c", "a\nb\n\nc"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc"),
        ("<div>a<div>b</div></div>c", "a\nb\nc"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("1 &lt; 2 &amp;amp; &#54620;&nbsp;x", "1 < 2 &amp; 한 x"),
        ("a<script>if (a < b) alert('</p>')</script>b", "ab"),
        ("a<style>p {}</style><template>t</template><noscript>n</noscript>b", "ab"),
        ("<head><title>t</title><body>b", "b"),
        ("<html><head><title>t</title><p>b", "b"),
        ("a<!-- <p>no</p> -->b", "ab"),
        ("<p hidden>no<p>yes", "yes"),
        ("<div style='color:red; display: none'>no<p>no</div>yes", "yes"),
        ("<span hidden>no<b>no</span>yes", "yes"),
        ("a</b></div>b", "a\nb"),
        ("exam\u00adple", "example"),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
        ("a<svg><text>no</text></svg>b", "ab"),
        ("<div/>a<p/>b", "a\n\nb"),
        ("<p></p>", ""),
    ],
)
def test_visible_text(tmp_path: Path, page: str, text: str) -> None:
    assert seen(tmp_path, page) == text


def test_page_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes("<p>한국어".encode("euc-kr"))
    assert "page.html is not UTF-8: byte 0xc7" in error(file).message
