"""Files in other encodings are read where a byte order mark says so; else a command converts them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .helpers import error, read, texts

WORDS = {
    "gb18030": "该道路向此向有电路之为南势地区的一座墙面，亦是南线或铁路。",
    "cp949": "한국의 역사는 오래되었다. 옛 도시의 북쪽에는 많은 사람들이 살았다고 전해진다.",
    "cp1252": "The old city’s café was “never” closed — and nobody came back to it.",
    "shift_jis": "この道路は南の地区にある古い町を通り、北の川に至るまで続いている。",
    "euc_jp": "この道路は南の地区にある古い町を通り、北の川に至るまで続いている。",
    "big5": "該道路向此向有電路之為南勢地區的一座牆面，亦是南線或鐵路。",
    "koi8_r": "Старый город на севере имел долгую историю.",
    "utf_16_le": "The old city of the north",
    "utf_16_be": "The old city of the north",
    "utf_32_le": "The old city of the north",
}
FORMS = {
    "a.txt": "{}",
    "b.log": "{}",
    "c.csv": 'id,text\r\n1,"{}"\r\n',
    "d.ndjson": '{{"text": "{}"}}\n',
    "e.json": '{{"text": "{}"}}',
    "f.sse": 'data: {{"choices": [{{"index": 0, "text": "{}"}}]}}\n\ndata: [DONE]\n\n',
}
slow = pytest.mark.slow


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
@pytest.mark.parametrize("name", FORMS)
def test_byte_order_mark_is_read(tmp_path: Path, name: str, mark: str) -> None:
    for text in (WORDS["cp1252"], WORDS["cp949"] * 3_000):
        (tmp_path / name).write_bytes(("\ufeff" + FORMS[name].format(text)).encode(mark))
        assert texts(tmp_path / name) == [text]


@slow
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("encoding", WORDS)
@pytest.mark.parametrize("name", list(FORMS)[:5])
def test_command_in_the_hint_works_as_printed(tmp_path: Path, encoding: str, name: str) -> None:
    file = tmp_path / f"it's {name}"
    file.write_bytes(FORMS[name].format(WORDS[encoding]).encode(encoding))
    command = getattr(read(file)[0], "hint", "").partition("test the copy: ")[2]
    subprocess.run(command, shell=True, check=True)
    copy = tmp_path / f"it's {name[0]}.utf-8{Path(name).suffix}"
    assert shlex.split(command)[-1] == str(copy)
    assert texts(copy) == [WORDS[encoding]]


def test_where_nothing_can_be_guessed_there_is_no_command(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(bytes(range(256)) * 4)
    assert error(tmp_path / "a.txt").hint == "save it as text in UTF-8"
