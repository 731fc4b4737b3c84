"""CSV is read as the program wrote it, and a row that is cut is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_cli.documents.reader import Text
from stela_cli.documents.stream import Stream
from stela_documents import csv_dialects

from .helpers import READERS, error, read, texts

TEXT = "The old city, of the north"


def write(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ('id,text\n1,"The old \\"city\\", of the north"\n', 'The old "city", of the north'),
        ('id,text\n1,"He said \\"no\\" to it"\n', 'He said "no" to it'),
        ('id,text\n1,"\\"No\\", he said, \\n and C:\\\\ too"\n', '"No", he said, \\n and C:\\ too'),
        ('id,text\n1,"a \\"b\\"\nc, d"\n', 'a "b"\nc, d'),
        (f'id,text\n1, "{TEXT}"\n', TEXT),
        ('id,text\n1, "The old city"\n', "The old city"),
        (f'id,text,n\n1, "{TEXT}" , 2\n', TEXT),
        (f"id,text\n1,'{TEXT}'\n", TEXT),
        ("id,text\n1,'The city''s gate, and \"more\"'\n", 'The city\'s gate, and "more"'),
        ('id\ttext\n1\t"Stay, she said\n2\t"Go", he said\n', '"Stay, she said|"Go", he said'),
        ("id,text\n1,The old city\\, of the north\n", TEXT),
        (f"id|text\n1|{TEXT}\n", TEXT),
        (f"sep=;\r\nid;text\r\n1;{TEXT}\r\n", TEXT),
        (f'"id", "text" ,"n"\n1,"{TEXT}",x\n', TEXT),
        ("id, text ,label\n1,The old city,x\n", "The old city"),
        ("id,text\n1,The old city,,\n\n , \n2,b,\n", "The old city|b"),
        ('id,text\n1,"a ""b"", c"\n', 'a "b", c'),
    ],
)
def test_dialects(tmp_path: Path, rows: str, expected: str) -> None:
    assert "|".join(texts(write(tmp_path / "a.csv", rows))) == expected


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,The old city, of the north", "a.csv:2 has 3 cells, and the first row 2"),
        ('1,The "old" city, of the north', "a.csv:2 has 3 cells, and the first row 2"),
        ('1,"The old" city, of the north', "a.csv:2 has 3 cells, and the first row 2"),
        ('1,"The old city", of the north', "a.csv:2 has 3 cells, and the first row 2"),
        ("1", 'a.csv:2 has no "text": it has 1 cells'),
    ],
)
def test_row_that_does_not_fit_is_reported_and_the_next_is_read(tmp_path: Path, row: str, said: str) -> None:
    bad, good = read(write(tmp_path / "a.csv", f'id,text\n{row}\n2,"{TEXT}"\n'))
    assert said in str(bad)
    assert isinstance(good, Text)
    assert good == Text(f"{tmp_path / 'a.csv'}:3", TEXT)


def test_row_that_ends_too_early_is_reported(tmp_path: Path) -> None:
    """A line feed without quotes cuts the text."""
    items = read(write(tmp_path / "a.csv", "id,text,n\n1,The old city\nof the north,1\n"))
    assert ["2 cells, and the first row 3" in str(item) for item in items] == [True, True]


def test_lines_are_counted_behind_what_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", 'sep=,\nid,text\n1,"Stay, she said\n2,b\n3,"c\nd"\n4,e\n')
    bad, *good = read(file)
    assert "a.csv:3 has 3 cells" in str(bad)
    assert good == [Text(f"{file}:4", "b"), Text(f"{file}:5", "c\nd"), Text(f"{file}:7", "e")]


def test_open_quotes_are_not_read_again_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_dialects, "AGAIN", 100)
    items = read(write(tmp_path / "a.csv", "id,text\n" + '1,"a,b\n' * 50))
    assert "has too many quotes that are not closed" in str(items[-1])


@pytest.mark.parametrize("column", ["text", "text.a"])
def test_two_columns_of_one_name_are_refused(tmp_path: Path, column: str) -> None:
    file = write(tmp_path / "a.csv", "text, text\na,b\n")
    assert 'has several columns called "text"' in error(file, column=column).message
    assert texts(write(tmp_path / "b.csv", "id,text,id\n1,a,2\n")) == ["a"]


def test_tab_separates_tsv(tmp_path: Path) -> None:
    assert texts(write(tmp_path / "a.tsv", f"id, n\ttext\n1\t{TEXT}\n")) == [TEXT]


def test_standard_input_with_a_stray_delimiter_is_csv() -> None:
    import io

    from stela_cli.documents.read import sniff

    for data, expected in (("id,text\n1,The old, old city\n", "csv"), ("My text, text\na, b, c\n", "text")):
        stream = Stream(io.BytesIO(data.encode()))
        assert sniff(stream, "standard input", "text", READERS).format == expected
