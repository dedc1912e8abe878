"""Plain tables: JSON lines, CSV and SQLite with a mapping (sources.md 3, Generic; MIG-2)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from migrate_stage import notes, planned, reasons, records, write
from satchel.errors import InvalidRequest
from satchel.migrate import detect

# ---------------------------------------------------------------- JSON lines


def test_jsonl_members_are_recognised_and_the_plan_shows_it(tmp_path: Path) -> None:
    rows = [{"id": 7, "text": "爱喝龙井 🍵", "ts": 1_790_000_000_000, "tags": ["tea", "茶"], "mood": "calm"}]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n")
    (record,) = records("jsonl", file)
    assert (record.id, record.content, record.tags) == ("7", "爱喝龙井 🍵", ("tea", "茶"))
    assert record.created_at == datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC)
    assert record.meta == {"mood": "calm", "time_raw": 1_790_000_000_000}
    assert "m.jsonl: content=text (detected), id=id (detected), created_at=ts (detected), tags=tags (detected)" in notes("jsonl", file)
    assert "jsonl" in detect(file)


@pytest.mark.parametrize(
    "mapping",
    [
        {"body": "content", "key": "id", "made": "created_at", "class": "type", "words": "tags"},
        {"content": "body", "id": "key", "created_at": "made", "type": "class", "tags": "words"},
    ],
)
def test_a_mapping_is_taken_in_either_direction(tmp_path: Path, mapping: dict[str, str]) -> None:
    row = {
        "body": "每天散步 walks daily",
        "key": "k/1",
        "made": "2026-05-01T08:00:00Z",
        "class": "todo",
        "words": "park; 公园",
        "text": "other",
    }
    (record,) = records("jsonl", write(tmp_path / "m.jsonl", json.dumps(row)), mapping=mapping)
    assert (record.id, record.content, record.type, record.tags) == ("k/1", "每天散步 walks daily", "task", ("park", "公园"))
    assert record.meta["original_type"] == "todo" and record.meta["text"] == "other"


def test_a_template_and_a_dotted_path_make_a_sentence_of_columns(tmp_path: Path) -> None:
    rows = [{"name": "色彩 colour", "value": {"text": "深色 dark"}}, {"name": "empty", "value": {}}]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps(row) for row in rows))
    mapping = {"content": "{name}: {value.text}"}
    assert [record.content for record in records("jsonl", file, mapping=mapping)] == ["色彩 colour: 深色 dark"]
    assert reasons("jsonl", file, mapping=mapping) == {"m.jsonl:2": "quarantined: has no value.text"}


def test_a_truncated_last_line_is_quarantined_with_its_number(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", '{"id":1,"text":"一"}\nnot json\n\n[1,2]\n{"id":2,"text":"cut o')
    assert [record.id for record in records("jsonl", file)] == ["1"]
    found = reasons("jsonl", file)
    assert list(found) == ["m.jsonl:2", "m.jsonl:4", "m.jsonl:5"]
    assert "is cut off" in found["m.jsonl:5"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_jsonl_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    text = "".join(json.dumps({"id": n, "text": f"用户喜欢第{n}种茶"}, ensure_ascii=False) + "\n" for n in range(3))
    file = write(tmp_path / "m.jsonl", text.encode(encoding))
    assert [record.content for record in records("jsonl", file)] == [f"用户喜欢第{n}种茶" for n in range(3)]
    said = any("encoding" in note for note in notes("jsonl", file))
    assert said == (encoding in {"utf-16", "gb18030"})


def test_nul_surrogates_and_undecodable_bytes_are_cleaned_and_said(tmp_path: Path) -> None:
    lines = [
        b'{"id":"a","text":"nul\\u0000 here"}',
        b'{"id":"b","text":"half \\ud83c pair"}',
        '{"id":"c","text":"完好的中文很多'.encode() + b'\xff"}',
    ]
    found = planned("jsonl", write(tmp_path / "m.jsonl", b"\n".join(lines)))
    assert [item.record.content for item in found if item.record] == ["nul here", "half \ufffd pair", "完好的中文很多\ufffd"]
    assert [item.request.outcome.value for item in found] == ["transformed"] * 3
    assert "NUL" in found[0].request.changes[0] and "surrogate" in found[1].request.changes[0]


def test_a_json_array_in_a_jsonl_file_is_read(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", '[{"id":1,"text":"a"}, {"id":2,"text":"b"}]')
    assert [record.id for record in records("jsonl", file)] == ["1", "2"]


def test_rows_say_whose_they_are(tmp_path: Path) -> None:
    rows = [{"id": 1, "text": "a", "user_id": "alice"}, {"id": 2, "text": "b", "user_id": "王五/北京"}, {"id": 3, "text": "c"}]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps(row) for row in rows))
    assert [record.scope for record in records("jsonl", file, scope=None)] == ["user:alice", "user:王五%2F北京"]
    assert "names no user or agent" in reasons("jsonl", file, scope=None)["m.jsonl:3"]


@pytest.mark.parametrize(("value", "mapping", "score"), [(80, "importance/100", 0.8), (0.4, "importance", 0.4), (7, "importance/10", 0.7)])
def test_a_score_is_read_on_its_declared_scale(tmp_path: Path, value: float, mapping: str, score: float) -> None:
    file = write(tmp_path / "m.jsonl", json.dumps({"text": "a", "importance": value}))
    assert records("jsonl", file, mapping={"score": mapping})[0].score == score
    assert records("jsonl", file, mapping={mapping: "score"})[0].score == score


def test_a_score_off_its_scale_is_kept_and_not_guessed(tmp_path: Path) -> None:
    (item,) = planned("jsonl", write(tmp_path / "m.jsonl", json.dumps({"text": "a", "importance": 80})), mapping={"importance": "score"})
    assert item.record is not None and item.record.meta["score_raw"] == 80
    assert "declare it" in item.request.changes[0]


def test_large_empty_and_odd_contents(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "text": ""},
        {"id": 2, "text": "  "},
        {"id": 3, "text": "x" * 1_048_576},
        {"id": 4, "text": "x" * 1_048_577},
        {"id": 5, "text": ["a"]},
    ]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps(row) for row in rows))
    assert [record.id for record in records("jsonl", file)] == ["3"]
    assert [reason.partition(":")[0] for reason in reasons("jsonl", file).values()] == [
        "quarantined",
        "dropped",
        "quarantined",
        "quarantined",
    ]


def test_ids_of_any_alphabet_stay_and_unusable_ones_are_derived(tmp_path: Path) -> None:
    ids = ["a/b c", "记忆一", "x" * 512, "y" * 513, "line\nbreak"]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps({"id": each, "text": f"t{n}"}) for n, each in enumerate(ids)))
    found = records("jsonl", file)
    assert [record.id for record in found[:3]] == ids[:3]
    assert found[3].meta["native_id"] == ids[3] and len(found[3].id) == 36
    assert found[4].meta["native_id"] == ids[4]


def test_an_id_that_stands_twice_with_other_content_is_quarantined(tmp_path: Path) -> None:
    rows = [{"id": 1, "text": "a"}, {"id": 1, "text": "b"}, {"id": 1, "text": "a"}]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps(row) for row in rows))
    assert list(reasons("jsonl", file)) == ["m.jsonl:2"]


def test_derived_ids_are_made_on_request(tmp_path: Path) -> None:
    one = write(tmp_path / "a.jsonl", json.dumps({"id": 1, "text": "a"}))
    two = write(tmp_path / "b.jsonl", json.dumps({"id": 1, "text": "b"}))
    found = [records("jsonl", file, mapping={"ids": "derived"})[0] for file in (one, two)]
    assert found[0].id != found[1].id and found[0].meta["native_id"] == 1


def test_vectors_blobs_and_infinite_numbers_do_not_get_into_a_record(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", '{"text":"a","embedding":[1,2],"n":NaN,"deep":{"x":Infinity}}')
    (item,) = planned("jsonl", file)
    assert item.record is not None and item.record.meta == {"n": "nan", "deep": {"x": "inf"}}
    assert any("vectors are rebuilt" in note for note in notes("jsonl", file))


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"nope": "content"}, "no column 'nope'"),
        ({"content": "{a} {nope}"}, "no column 'nope'"),
        ({"a": "b"}, "neither side is one of"),
        ({}, "no column is known to hold the content"),
    ],
)
def test_a_wrong_mapping_is_a_fault_that_lists_the_columns(tmp_path: Path, mapping: dict[str, str], said: str) -> None:
    file = write(tmp_path / "m.jsonl", '{"a": "x", "b": 1}')
    with pytest.raises(InvalidRequest, match=said):
        planned("jsonl", file, mapping=mapping)


# ---------------------------------------------------------------- CSV


def test_a_gb18030_csv_with_chinese_headers_is_read_and_declared(tmp_path: Path) -> None:
    text = '编号,内容,时间\r\n1,用户喜欢龙井,2026-09-21 10:00\r\n2,"说过 ""不要香菜"", 还有\r\n辣椒",2026/9/22\r\n'
    file = write(tmp_path / "m.csv", text.encode("gb18030"))
    found = records("csv", file, tz="Asia/Shanghai")
    assert [record.content for record in found] == ["用户喜欢龙井", '说过 "不要香菜", 还有\r\n辣椒']
    assert [record.created_at for record in found] == [datetime(2026, 9, 21, 2, tzinfo=UTC), datetime(2026, 9, 21, 16, tzinfo=UTC)]
    assert notes("csv", file)[0] == "m.csv: encoding GB18030 (detected)"
    assert "csv" in detect(file)


@pytest.mark.parametrize(("delimiter", "encoding"), [(",", "utf-8-sig"), (";", "utf-8"), ("\t", "utf-16"), ("|", "utf-8")])
def test_delimiters_marks_and_encodings(tmp_path: Path, delimiter: str, encoding: str) -> None:
    text = delimiter.join(["id", "content", "created"]) + "\n" + delimiter.join(["a", "爱喝茶 tea", "1790000000"]) + "\n"
    (record,) = records("csv", write(tmp_path / "m.csv", text.encode(encoding)))
    assert (record.id, record.content) == ("a", "爱喝茶 tea")


def test_ragged_rows_are_told_apart(tmp_path: Path) -> None:
    file = write(tmp_path / "m.csv", "id,content,created\n1,a,1790000000\n2,b\n\n3,c,1790000000,extra\n4,,1790000000\n")
    found = {item.request.item: item for item in planned("csv", file)}
    assert found["m.csv:2"].request.outcome.value == "accepted"
    assert found["m.csv:3"].request.changes == ("row: its last 1 cells are missing",)
    assert "has 4 cells under a header of 3" in str(found["m.csv:5"].request.reason)
    assert found["m.csv:6"].request.reason == "has no content"


def test_broken_quoting_costs_its_row_and_no_other(tmp_path: Path) -> None:
    file = write(tmp_path / "m.csv", 'id,content\n1,"a" b\n2,good\n3,"never closed\n4,lost\n')
    assert [record.id for record in records("csv", file)] == ["2"]
    found = reasons("csv", file)
    assert found["m.csv:2"].startswith("quarantined: is broken CSV") and found["m.csv:4"].startswith("quarantined: is broken CSV")


def test_a_long_cell_is_no_error(tmp_path: Path) -> None:
    file = write(tmp_path / "m.csv", "id,content\n1," + "长" * 200_000 + "\n")
    assert len(records("csv", file)[0].content) == 200_000


def test_ambiguous_dates_are_listed_until_their_order_is_declared(tmp_path: Path) -> None:
    file = write(tmp_path / "m.csv", "id,content,date\n1,a,03/04/2026\n2,b,21-09-2026\n")
    first, second = planned("csv", file, tz="UTC")
    assert first.record is not None and second.record is not None
    assert first.record.created_at is None and "ambiguous" in first.request.changes[0]
    assert second.record.created_at == datetime(2026, 9, 21, tzinfo=UTC)
    declared = records("csv", file, tz="UTC", mapping={"dates": "dmy"})
    assert declared[0].created_at == datetime(2026, 4, 3, tzinfo=UTC)


def test_an_empty_csv_and_a_missing_file_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="is empty"):
        planned("csv", write(tmp_path / "m.csv", ""))
    with pytest.raises(InvalidRequest, match="is no file"):
        planned("csv", tmp_path / "absent.csv")


# ---------------------------------------------------------------- SQLite


@pytest.fixture
def database(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    file = tmp_path / "agent.db"
    connection = sqlite3.connect(file, isolation_level=None)
    connection.executescript(
        """
        CREATE TABLE kv (k TEXT, v TEXT, ts INTEGER);
        INSERT INTO kv VALUES ('pref.language', 'zh-CN', 1790000000), ('user.name', '小林', 1790000000123);
        CREATE TABLE agent_log (id INTEGER PRIMARY KEY, ts TEXT, level TEXT, kind TEXT, msg TEXT);
        INSERT INTO agent_log VALUES (1, '2026-09-21 10:00:00', 'INFO', 'system', 'Booting'),
          (2, '2026/9/21 10:01', 'INFO', 'memory', 'User prefers tea 用户爱喝茶'),
          (3, '21-09-2026 10:02', 'WARN', 'system', 'retry'),
          (4, '2026-09-21T10:03:00+08:00', 'INFO', 'memory', 'He likes it too 他也喜欢');
        CREATE TABLE auth_tokens (id TEXT, text TEXT);
        INSERT INTO auth_tokens VALUES ('1', 'hunter2');
        """
    )
    yield file, connection
    connection.close()


def test_several_tables_are_named_and_never_chosen_in_silence(database: tuple[Path, sqlite3.Connection]) -> None:
    with pytest.raises(InvalidRequest, match="kv, agent_log; choose"):
        planned("sqlite", database[0])
    assert len(records("sqlite", database[0], mapping={"table": "*"})) == 4
    assert "sqlite" in detect(database[0])


def test_a_key_value_table_becomes_sentences(database: tuple[Path, sqlite3.Connection]) -> None:
    found = records("sqlite", database[0], mapping={"table": "kv"})
    assert [(record.id, record.content) for record in found] == [
        ("pref.language", "pref.language: zh-CN"),
        ("user.name", "user.name: 小林"),
    ]
    assert [record.created_at for record in found] == [
        datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC),
        datetime(2026, 9, 21, 14, 13, 20, 123_000, tzinfo=UTC),
    ]


def test_a_mapping_of_columns_finds_its_table_and_system_rows_stay_out(database: tuple[Path, sqlite3.Connection]) -> None:
    mapping = {"msg": "content", "ts": "created_at"}
    found = {record.id: record for record in records("sqlite", database[0], mapping=mapping, tz="Asia/Shanghai")}
    assert set(found) == {"2", "4"}
    assert found["2"].created_at == datetime(2026, 9, 21, 2, 1, tzinfo=UTC)
    assert found["4"].meta["unresolved_reference"] is True
    assert reasons("sqlite", database[0], mapping=mapping)["agent.db:agent_log:1"] == "dropped: a system row (kind=system)"


def test_where_chooses_rows_and_every_other_gets_a_receipt(database: tuple[Path, sqlite3.Connection]) -> None:
    mapping = {"table": "agent_log", "where": "level:WARN"}
    assert [record.content for record in records("sqlite", database[0], mapping=mapping)] == ["retry"]
    assert len(reasons("sqlite", database[0], mapping=mapping)) == 3


def test_tables_of_secrets_are_never_read(database: tuple[Path, sqlite3.Connection]) -> None:
    with pytest.raises(InvalidRequest, match="keeps secrets"):
        planned("sqlite", database[0], mapping={"table": "auth_tokens"})
    everything = planned("sqlite", database[0], mapping={"table": "*"})
    assert not any("hunter2" in item.request.model_dump_json() for item in everything)


def test_a_database_in_use_is_read_from_a_copy(database: tuple[Path, sqlite3.Connection]) -> None:
    file, connection = database
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("INSERT INTO kv VALUES ('city', '苏州', 1790000002)")
    connection.execute("BEGIN IMMEDIATE")
    assert len(records("sqlite", file, mapping={"table": "kv"})) == 3


def test_blobs_bad_text_and_odd_names_do_not_stop_the_reading(tmp_path: Path) -> None:
    file = tmp_path / "odd.db"
    with sqlite3.connect(file) as connection:
        connection.execute('CREATE TABLE "my ""notes""" (content TEXT, raw BLOB, embedding BLOB)')
        connection.execute('INSERT INTO "my ""notes""" VALUES (?, ?, ?)', ("好 fine", b"\x00\x01", b"\x00"))
        connection.execute('INSERT INTO "my ""notes""" VALUES (CAST(? AS TEXT), NULL, NULL)', (b"bad \xff text",))
        connection.execute('INSERT INTO "my ""notes""" VALUES (?, NULL, NULL)', (b"\x01\x02",))
    connection.close()
    found = planned("sqlite", file)
    assert [item.record.content for item in found if item.record] == ["好 fine", "bad \ufffd text"]
    assert "blob left out" in found[0].request.changes[0]
    assert found[2].request.reason == "content holds no text (bytes)"


def test_a_file_that_is_no_database_and_a_damaged_one_are_clear_errors(tmp_path: Path, database: tuple[Path, sqlite3.Connection]) -> None:
    with pytest.raises(InvalidRequest, match="no SQLite database"):
        planned("sqlite", write(tmp_path / "x.db", b"hello"))
    data = database[0].read_bytes()
    broken = write(tmp_path / "y.db", data[:100] + b"\xff" * 4000 + data[4100:])
    with pytest.raises(InvalidRequest, match="SQLite"):
        planned("sqlite", broken)


def test_rows_before_the_damage_go_in(tmp_path: Path) -> None:
    file = tmp_path / "big.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, content TEXT)")
        connection.executemany("INSERT INTO notes VALUES (?, ?)", [(n, f"第{n}条 " + "x" * 500) for n in range(200)])
    connection.close()
    data = bytearray(file.read_bytes())
    data[60_000:64_000] = b"\xff" * 4000
    found = planned("sqlite", write(tmp_path / "hurt.db", bytes(data)))
    assert 10 < sum(item.record is not None for item in found) < 200
    assert "damaged from here on" in str(found[-1].request.reason)


# ---------------------------------------------------------------- deleted at the origin


@pytest.mark.parametrize(
    ("column", "gone", "there"),
    [
        ("deleted", True, False),
        ("is_deleted", 1, 0),
        ("isDeleted", "true", "false"),
        ("deleted_at", "2026-03-01T00:00:00Z", None),
        ("deletedAt", 1_790_000_000.5, 0),
        ("removed_at", "2026-03-01", ""),
        ("is_removed", "yes", "no"),
        ("state", "deleted", "active"),
        ("status", "Removed", "paused"),
        ("status", "tombstone", "deletion requested"),
        ("已删除", "是", "否"),
        ("是否删除", 1, 0),
        ("删除时间", "2026年3月1日", None),
        ("状态", "已删除", "正常"),
    ],
)
def test_what_was_deleted_at_its_origin_stays_out(tmp_path: Path, column: str, gone: object, there: object) -> None:
    rows = [{"id": "a", "text": "爱喝茶", column: there}, {"id": "b", "text": "搬到苏州了", column: gone}, {"id": "c", "text": "rides"}]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps(row) for row in rows))
    assert [record.id for record in records("jsonl", file)] == ["a", "c"]
    assert reasons("jsonl", file) == {"m.jsonl:2": "dropped: deleted at origin"}
    assert any(f"deleted by {column}" in note for note in notes("jsonl", file))
    assert [record.id for record in records("jsonl", file, mapping={"deleted": "keep"})] == ["a", "b", "c"]


def test_deleted_rows_of_csv_and_sqlite_stay_out(tmp_path: Path) -> None:
    csv = write(tmp_path / "m.csv", "编号,内容,是否删除\n1,养了一只猫,否\n2,养了一只狗,是\n")
    assert [record.id for record in records("csv", csv)] == ["1"]
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute("CREATE TABLE memories (id INTEGER PRIMARY KEY, content TEXT, deleted_at REAL, state TEXT)")
        rows = [("stays", None, "active"), ("goes", 1_790_000_000.0, "active"), ("goes too", None, "deleted")]
        connection.executemany("INSERT INTO memories (content, deleted_at, state) VALUES (?, ?, ?)", rows)
    connection.close()
    assert [record.content for record in records("sqlite", tmp_path / "m.db")] == ["stays"]


def test_a_mapping_says_which_column_tells_what_was_deleted(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "x1", "hidden": True, "state": "deleted"}, {"id": "b", "text": "x2", "hidden": False, "state": "deleted"}]
    file = write(tmp_path / "m.jsonl", "\n".join(json.dumps(row) for row in rows))
    assert [record.id for record in records("jsonl", file, mapping={"hidden": "deleted"})] == ["b"]
    assert [record.id for record in records("jsonl", file, mapping={"where": "state:deleted"})] == ["a", "b"]
    with pytest.raises(InvalidRequest, match="no column 'gone'"):
        records("jsonl", file, mapping={"gone": "deleted"})


def test_virtual_tables_of_a_module_that_is_not_here_are_passed_over(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "m.db") as connection:
        connection.execute("CREATE TABLE memories (id TEXT, content TEXT)")
        connection.execute("INSERT INTO memories VALUES ('a', 'likes 茶')")
        connection.execute("CREATE TABLE embeddings_info (key TEXT, value TEXT)")
        connection.execute("PRAGMA writable_schema = 1")
        sql = "CREATE VIRTUAL TABLE embeddings USING no_such_module(content TEXT)"
        connection.execute("INSERT INTO sqlite_master VALUES ('table', 'embeddings', 'embeddings', 0, ?)", (sql,))
    connection.close()
    assert [record.content for record in records("sqlite", tmp_path / "m.db")] == ["likes 茶"]
    assert "sqlite" in detect(tmp_path / "m.db")
    with pytest.raises(InvalidRequest, match="no table 'embeddings'"):
        records("sqlite", tmp_path / "m.db", mapping={"table": "embeddings"})


# ---------------------------------------------------------------- a named encoding


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_file_that_is_not_in_the_named_encoding_is_refused(tmp_path: Path, kind: str) -> None:
    text = "id,text\n1,用户喜欢喝茶\n" if kind == "csv" else json.dumps({"id": "1", "text": "用户喜欢喝茶"}, ensure_ascii=False)
    file = write(tmp_path / f"m.{kind}", text.encode("gb18030"))
    with pytest.raises(InvalidRequest, match="is not UTF-8: it looks like GB18030"):
        planned(kind, file, mapping={"encoding": "utf-8"})
    with pytest.raises(InvalidRequest, match="no encoding 'utf8mb4'"):
        planned(kind, file, mapping={"encoding": "utf8mb4"})
    for named in ("gbk", "GB18030", "gb2312"):
        assert [record.content for record in records(kind, file, mapping={"encoding": named})] == ["用户喜欢喝茶"]
    assert [r.content for r in records(kind, write(file, text.encode("utf-8-sig")), mapping={"encoding": "utf-8"})] == ["用户喜欢喝茶"]
