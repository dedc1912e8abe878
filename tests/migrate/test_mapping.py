"""Mappings on the command line, and what makes an encoding or a JSON text readable."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate_stage import write
from satchel.errors import InvalidRequest
from satchel.migrate import split_pairs
from satchel.migrate.json_stream import JsonBroken, JsonStream
from satchel.migrate.reading import encoding_of, read_text


def test_pairs_are_columns_settings_or_scope_rules() -> None:
    pairs = [
        "内容=content",
        "importance/100=score",
        "table=notes",
        "where=kind:memory",
        "alice=user:张丽",
        "mem0/bob=team:x/project:y",
        "*=public",
    ]
    mapping, scopes = split_pairs(pairs)
    assert mapping == {"内容": "content", "importance/100": "score", "table": "notes", "where": "kind:memory"}
    assert scopes == {"alice": "user:张丽", "mem0/bob": "team:x/project:y", "*": "public"}


def test_a_template_may_hold_an_equals_sign() -> None:
    assert split_pairs(["{k}={v}=content"])[0] == {"{k}={v}": "content"}
    assert split_pairs(["content={k}={v}"])[0] == {"content": "{k}={v}"}


def test_all_faults_of_the_pairs_are_told_at_once() -> None:
    with pytest.raises(InvalidRequest) as caught:
        split_pairs(["alone", "=x", "y="])
    assert len(caught.value.details["faults"]) == 3


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"plain", "utf-8"),
        ("中文".encode(), "utf-8"),
        ("中文 text".encode("utf-8-sig"), "utf-8-sig"),
        ("中文 and more text".encode("gb18030"), "gb18030"),
        ("中文 text".encode("utf-16"), "utf-16"),
        ("plain text".encode("utf-16-le"), "utf-16-le"),
        ("plain text".encode("utf-16-be"), "utf-16-be"),
        ("很多完好的中文".encode() + b"\xff", "utf-8"),
        ("很多完好的中文".encode()[:-1], "utf-8"),
        ("naïve café, résumé".encode("latin-1"), "utf-8"),
        (b"", "utf-8"),
    ],
)
def test_encodings_are_told_apart_by_what_the_file_holds(tmp_path: Path, data: bytes, encoding: str) -> None:
    assert encoding_of(write(tmp_path / "x", data)) == encoding


def test_chinese_beyond_the_first_block_is_found(tmp_path: Path) -> None:
    assert encoding_of(write(tmp_path / "x", b"a" * 1_048_575 + "中文".encode("gb18030"))) == "gb18030"
    assert encoding_of(write(tmp_path / "y", b"a" * 1_048_575 + "中文".encode())) == "utf-8"


def test_line_ends_of_every_system_read_alike(tmp_path: Path) -> None:
    assert read_text(write(tmp_path / "x", "一\r\n二\r三\n")) == "一\n二\n三\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(st.lists(JSON))
def test_a_stream_gives_what_the_whole_would(values: list[object]) -> None:
    for text in (json.dumps(values), json.dumps({"n": 3, "other": {"results": [1]}, "results": values}, ensure_ascii=False, indent=1)):
        assert list(JsonStream(io.StringIO(text)).elements({"results"})) == values


def test_an_element_longer_than_a_block_is_read_whole() -> None:
    values = ["长" * 3_000_000, 12, "end"]
    assert list(JsonStream(io.StringIO(json.dumps(values))).elements()) == values


@pytest.mark.parametrize("text", ["", "nope", "[1, 2", '[{"a":', '{"results": [1', "[" * 100_000, "[1 2]", '{"a" 1}'])
def test_broken_json_is_told_apart_from_the_good_part_before_it(text: str) -> None:
    with pytest.raises(JsonBroken):
        list(JsonStream(io.StringIO(text)).elements({"results"}))
