"""Pages and Word documents give what a reader sees: no glosses, nothing that is never shown."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from stela_documents import extract_docx, extract_html

from .helpers import body, docx, texts


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字", "漢字"),
        ("<ruby>漢<rp>(<rt>かん<rp>)</ruby>字", "漢字"),
        ("<ruby>漢<rt>かん<rb>字<rt>じ</ruby>を", "漢字を"),
        ("<ruby>漢<rtc><rt>kan</rt></rtc></ruby>字", "漢字"),
        (
            "<math><semantics><mi>x</mi><mspace/><mo>=</mo><annotation>no</annotation>"
            "<annotation-xml><mi>no</mi></annotation-xml></semantics></math> y",
            "x= y",
        ),
        ("a<noframes>no</noframes><noembed>no</noembed>b", "ab"),
        ("a<progress value=1>no</progress><meter>no</meter>b", "ab"),
        ("<dialog>no</dialog>a<dialog open>b</dialog>", "a\nb"),
        ("<object data=x>no</object>a<object>b</object>", "ab"),
        ("<video>no</video><audio>no</audio><canvas>no</canvas><iframe>no</iframe>a", "a"),
        ("<details><summary>a</summary>b</details>", "a\nb"),
        ("<textarea>a\n b</textarea>", "a\n b"),
        ("<p hidden>no<div>yes</div>", "yes"),
        ("<table><tr><td hidden>no<tr><td>yes</table>", "yes"),
        ("<b style='font-size:0'>no</b><i style='font-size:0.9em; opacity:.5'>yes</i>", "yes"),
        ("<span class='katex'><span class='katex-mathml'>no</span><span>x</span></span>", "x"),
        ("<svg/>yes<math/>, yes", "yes, yes"),
        (
            "<?xml version='1.0'?><html><script src='x'/><div hidden=''/><p>a<![CDATA[ < b]]></p></html>",
            "a < b",
        ),
        ("<html xmlns='x'><body><template/>yes</body></html>", "yes"),
    ],
)
def test_page(page: str, text: str) -> None:
    assert extract_html.text_of(page.encode()) == text


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def ruby(base: str, gloss: str) -> str:
    inner = f"<w:rubyPr/><w:rt>{run(gloss)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase>"
    return f"<w:r><w:ruby>{inner}</w:ruby></w:r>"


def styles(*made: tuple[str, str, str]) -> bytes:
    """``word/styles.xml`` of styles: name, what it is based on, properties."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    all_of = "".join(
        f'<w:style w:styleId="{name}"><w:basedOn w:val="{base}"/><w:rPr>{properties}</w:rPr></w:style>'
        for name, base, properties in made
    )
    return f'<w:styles xmlns:w="{space}">{all_of}</w:styles>'.encode()


def test_document_without_glosses_and_hidden_styles() -> None:
    paragraphs = [
        ruby("漢", "かん") + ruby("字", "じ") + run("を"),
        run("no", "<w:vanish/>") + run("yes", '<w:vanish w:val="0"/>'),
        run("no", '<w:rStyle w:val="Of"/>') + run("seen", '<w:rStyle w:val="Shown"/>'),
        '<w:pPr><w:pStyle w:val="Secret"/></w:pPr>' + run("no"),
        f"<w:ins>{run('in')}</w:ins><w:del><w:r><w:delText>out</w:delText></w:r></w:del>",
    ]
    made = styles(
        ("Secret", "", "<w:vanish/>"), ("Of", "Secret", ""), ("Shown", "Of", '<w:vanish w:val="0"/>')
    )
    content = "".join(f"<w:p>{paragraph}</w:p>" for paragraph in paragraphs)
    data = docx([], document=body(content), styles=made)
    assert extract_docx.text_of(data) == "漢字を\nyes\nseen\n\nin"


@pytest.mark.slow
def test_document_with_macros(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx(["a text"]))) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "[Content_Types].xml":
                plain = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
                assert plain in data
                data = data.replace(plain, b"application/vnd.ms-word.document.macroEnabled.main+xml")
            target.writestr(name, data)
    (tmp_path / "a.docm").write_bytes(made.getvalue())
    assert texts(tmp_path / "a.docm") == ["a text"]
