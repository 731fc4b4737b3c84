"""The page as HTML: the built program, and profiles in elements that no browser runs or shows."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from importlib.resources import files
from typing import Any

from stela_page.holding import Elsewhere, Held
from stela_page.packing import packed

POLICY = (
    "default-src 'none'; script-src {scripts}; style-src '{style}'; worker-src blob:; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy: the page's own scripts and style, by their hashes, and a worker made of them,
which inherits the policy. What is not named (pictures, fonts, frames) falls under default-src."""


def page_of(profiles: Sequence[Held], pdf: bool = False) -> str:
    """The page as a file, which connects to nothing.

    Args:
        profiles: at least one; files that several have in common lie in the page once.
        pdf: hold the program that reads PDFs, too, which is unpacked when a PDF is given.

    Returns:
        HTML that refers to nothing outside itself.
    """
    data = data_of(profiles)
    if pdf:
        program = (files("stela_page") / "built/pdf.js").read_bytes()
        data = "\n".join([data, element("pdf", "text/plain", packed(program))])
    html, _ = assembled(data, ["page.js"], "'none'")
    return html


def served_page_of(profiles: Sequence[Held], elsewhere: Sequence[Elsewhere]) -> tuple[str, str]:
    """The page of a service, which may send texts to that service and connects to nothing else.

    Args:
        profiles: those that the page looks for itself.
        elsewhere: those that the service is asked for.

    Returns:
        HTML, and the Content-Security-Policy that is in it, too.
    """
    return assembled(data_of(profiles, elsewhere), ["service.js", "page.js"], "'self'")


def assembled(data: str, scripts: Sequence[str], connect: str) -> tuple[str, str]:
    """The template filled, and its policy."""
    here = files("stela_page")
    style, template = ((here / name).read_text(encoding="utf-8") for name in ("built/page.css", "page.html"))
    sources = [(here / "built" / name).read_text(encoding="utf-8") for name in scripts]
    hashes = " ".join(f"'{source_hash(source)}'" for source in sources)
    policy = POLICY.format(scripts=hashes, style=source_hash(style), connect=connect)
    parts = {
        "policy": policy,
        "style": style,
        "scripts": "\n".join(f"<script>{source}</script>" for source in sources),
        "data": data,
    }
    before, *rest = template.split("@")
    # Split, not replaced one after another: what is filled in may hold any of the names.
    filled = (parts[piece] if number % 2 == 0 else piece for number, piece in enumerate(rest))
    return before + "".join(filled), policy


def source_hash(source: str) -> str:
    """What a Content-Security-Policy names an inline script or style by (CSP Level 3, 2.3.1)."""
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"


def data_of(profiles: Sequence[Held], elsewhere: Sequence[Elsewhere] = ()) -> str:
    """The elements that hold the profiles, what is said of those that lie elsewhere, and the page's words."""
    ids: dict[str, str] = {}
    elements: list[str] = []

    def kept(data: bytes) -> str:
        """The id of the element that holds a file."""
        digest = sha256(data).hexdigest()
        if digest not in ids:
            ids[digest] = f"file-{len(ids) + 1}"
            elements.append(element(ids[digest], "text/plain", packed(data)))
        return ids[digest]

    listed: list[dict[str, Any]] = [
        {
            "name": one.name,
            "sha256": one.digest,
            "content": one.content,
            "statement": one.statement,
            "tokenizer": kept(one.archive.tokenizer),
            **({"tokenizer_known": True} if one.tokenizer_known else {}),
            "table": None if one.archive.table is None else kept(one.archive.table),
            **one.expected,
            **(
                {}
                if one.tagger is None
                else {"tagger": kept(one.tagger), "tagger_terms": terms_of(one.tagger)}
            ),
        }
        for one in profiles
    ]
    listed += [asdict(one) for one in elsewhere]
    words = element(
        "words", "text/x-packed-words", packed((files("stela_page") / "built/words.json").read_bytes())
    )
    return "\n".join([element("profiles", "application/json", harmless(listed)), words, *elements])


def terms_of(tagger: bytes) -> dict[str, str]:
    """Name and licence of a tagger, out of the line that its file begins with."""
    head = json.loads(tagger[: tagger.index(b"\n")])
    model = head["model"]
    name = head["name"] if model == "shipped" else f"{head['name']}:{model}"
    return {"name": name, "license": head["license"]}


def element(name: str, kind: str, content: str) -> str:
    """A block of data: no browser runs a script of such a type."""
    return f'<script type="{kind}" id="{name}">{content}</script>'


def harmless(value: Any) -> str:
    """JSON in ASCII, without the letters that markup begins with: no string of it can end its element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
