"""One memory from the terminal: remembered, found, changed, forgotten (surface.md, SRV-3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from satchel import open_memory
from satchel.cli.output import width


def test_a_memory_is_remembered_and_recalled(satchel) -> None:
    done = satchel("remember", "用户的猫叫豆包", "--type", "fact", "--tag", "pet")
    assert done.code == 0
    assert done.out.startswith("created")
    assert "user:alice" in done.out
    found = satchel("recall", "豆包")
    assert found.code == 0
    assert "用户的猫叫豆包" in found.out


def test_json_is_what_the_service_would_answer(satchel) -> None:
    answer = satchel("remember", "The kettle is in the blue box", "--json")
    assert set(answer.json) == {"record", "outcome", "related", "reason"}
    assert answer.json["outcome"] == "created"
    assert answer.json["record"]["source"] == answer.json["record"]["source"] | {"agent": "cli", "tool": "cli", "origin": "stated"}
    hits = satchel("recall", "kettle", "--json").json["hits"]
    assert set(hits[0]) == {"record", "score", "reasons"}


def test_nothing_found_is_exit_code_1_and_says_so(satchel) -> None:
    satchel.remember("冰箱里有牛奶")
    answer = satchel("recall", "quantum chromodynamics")
    assert (answer.code, answer.out) == (1, "")
    assert "nothing found in user:alice" in answer.err
    answer = satchel("recall", "quantum chromodynamics", "--json")
    assert answer.code == 1
    assert answer.json["hits"] == []


def test_the_same_id_and_text_again_changes_nothing(satchel) -> None:
    satchel.remember("水电费每月五号交", "--id", "bills")
    again = satchel("remember", "水电费每月五号交", "--id", "bills", "--json")
    assert again.json["outcome"] == "unchanged"


def test_every_option_of_remember_reaches_the_record(satchel) -> None:
    answer = satchel(
        *(
            "remember",
            "交报告",
            "--type",
            "task",
            "--tag",
            "work",
            "--tag",
            "月度",
            "--id",
            "报告/1",
            "--score",
            "0.7",
            "--half-life",
            "10d",
        ),
        *("--ttl", "7d", "--due", "2027-01-31", "--confidence", "0.9", "--created", "2026-11-01T08:00:00+08:00", "--origin", "inferred"),
        *("--session", "s1", "--message", "m7", "--uri", "https://example.org/a", "--meta", '{"项目": "甲"}', "--pin", "--json"),
        *("--retention", "core", "--valid-from", "2026-11-01", "--valid-until", "2027-02-01", "--sensitivity", "sensitive"),
    )
    assert answer.code == 0, answer.err
    record = answer.json["record"]
    assert record["id"] == "报告/1"
    assert record["tags"] == ["work", "月度"]
    assert (record["score"], record["half_life"], record["confidence"], record["pinned"]) == (0.7, 864_000.0, 0.9, True)
    assert record["created_at"] == "2026-11-01T00:00:00Z"
    assert datetime.fromisoformat(record["due_at"]).astimezone().strftime("%Y-%m-%d %H:%M") == "2027-01-31 00:00"
    assert record["meta"] == {"项目": "甲"}
    assert record["source"]["message"] == "m7"
    assert record["access"]["sensitivity"] == "sensitive"


def test_text_comes_from_standard_input_for_a_dash(satchel) -> None:
    answer = satchel("remember", "-", "--json", stdin="第一行\n第二行\n".encode())
    assert answer.json["record"]["content"] == "第一行\n第二行"


def test_standard_input_that_is_not_utf8_is_an_error_naming_the_byte(satchel) -> None:
    answer = satchel("remember", "-", stdin="A 中文".encode("gb18030"))
    assert answer.code == 2
    assert "not UTF-8 (byte 3)" in answer.err


def test_a_record_is_shown_with_everything_known_about_it(satchel) -> None:
    record_id = satchel.remember("伞在门后", "--tag", "home", "--session", "s9")
    answer = satchel("show", record_id)
    assert "伞在门后" in answer.out
    assert "s9" in answer.out
    assert satchel("show", record_id, "--json").json["id"] == record_id


def test_an_unknown_id_is_exit_code_1(satchel) -> None:
    answer = satchel("show", "nobody", "--json")
    assert (answer.code, answer.out) == (1, "")
    assert answer.error["code"] == "not_found"


def test_update_changes_what_is_not_the_text(satchel) -> None:
    record_id = satchel.remember("会议室有投影仪")
    answer = satchel("update", record_id, "--tag", "office", "--score", "0.9", "--type", "skill", "--json")
    assert answer.code == 0, answer.err
    assert (answer.json["tags"], answer.json["score"], answer.json["type"]) == (["office"], 0.9, "skill")
    assert satchel("update", record_id, "--no-tags", "--json").json["tags"] == []
    assert satchel("update", record_id).code == 2


def test_a_stale_revision_is_a_conflict(satchel) -> None:
    record_id = satchel.remember("The spare key hangs in the hall")
    satchel("update", record_id, "--score", "0.9")
    answer = satchel("update", record_id, "--score", "0.1", "--if-revision", "1", "--json")
    assert answer.code == 3
    assert answer.error["code"] == "conflict"


def test_pin_and_unpin(satchel) -> None:
    record_id = satchel.remember("九点前不要打电话")
    assert satchel("pin", record_id).code == 0
    assert "(pinned)" in satchel("show", record_id).out
    satchel("pin", record_id, "--off")
    assert "(pinned)" not in satchel("show", record_id).out


def test_correct_archives_the_wrong_one_and_history_tells(satchel) -> None:
    record_id = satchel.remember("She plays the cello")
    done = satchel("correct", record_id, "She plays the viola", "--reason", "misheard", "--json")
    assert done.code == 0, done.err
    assert done.json["related"] == [record_id]
    listed = satchel("list", "--status", "active", "--json").json["records"]
    assert [record["content"] for record in listed] == ["She plays the viola"]
    told = satchel("history", record_id)
    assert "misheard" in told.out


def test_confirm_raises_the_score(satchel) -> None:
    record_id = satchel.remember("用户住在三楼", "--score", "0.6")
    assert satchel("confirm", record_id, "--json").json["score"] == pytest.approx(0.8)


def test_list_pages_and_filters(satchel) -> None:
    for number in range(5):
        satchel.remember(f"第 {number} 条", "--tag", "even" if number % 2 == 0 else "odd")
    page = satchel("list", "--limit", "2", "--json").json
    assert len(page["records"]) == 2
    rest = satchel("list", "--limit", "9", "--cursor", page["cursor"], "--json").json
    assert len(rest["records"]) == 3
    assert rest["cursor"] is None
    assert len(satchel("list", "--tag", "even", "--json").json["records"]) == 3
    assert len(satchel("list", "--all", "--json").json["records"]) == 5
    assert satchel("list", "--type", "skill").code == 1


def test_where_looks_into_meta(satchel) -> None:
    satchel.remember("甲项目用 pnpm", "--meta", '{"project": {"name": "甲"}, "live": true}')
    satchel.remember("乙项目用 yarn", "--meta", '{"project": {"name": "乙"}, "live": false}')
    answer = satchel("list", "--where", "project.name=甲", "--where", "live=true", "--json")
    assert [record["content"] for record in answer.json["records"]] == ["甲项目用 pnpm"]


def test_since_takes_a_span_back_from_now(satchel) -> None:
    old = (datetime.now(UTC) - timedelta(days=10)).isoformat()
    satchel.remember("十天前的事", "--created", old)
    satchel.remember("刚才的事")
    answer = satchel("list", "--since", "7d", "--json")
    assert [record["content"] for record in answer.json["records"]] == ["刚才的事"]


def test_forgetting_an_id_is_at_once_and_leaves_a_tombstone(satchel) -> None:
    record_id = satchel.remember("旧门禁卡在抽屉里")
    assert satchel("forget", record_id, "--reason", "lost").code == 0
    assert satchel("show", record_id).code == 1
    assert satchel("recall", "门禁卡").code == 1
    answer = satchel("show", record_id, "--tombstone", "--json")
    assert answer.json["status"] == "deleted"
    assert answer.json["content"] == ""


def test_forgetting_by_anything_else_plans_first(satchel) -> None:
    satchel.remember("客厅的灯泡是 E27", "--session", "s1")
    satchel.remember("卧室的灯泡是 E14", "--session", "s1")
    plan = satchel("forget", "--session", "s1", "--json")
    assert plan.json["state"] == "planned"
    assert plan.json["count"] == 2
    assert len(satchel("list", "--json").json["records"]) == 2
    done = satchel("forget", "--plan", plan.json["plan"], "--json")
    assert done.json["count"] == 2
    assert satchel("list").code == 1


def test_yes_forgets_in_one_go(satchel) -> None:
    satchel.remember("a")
    satchel.remember("b")
    answer = satchel("forget", "--everything", "--yes")
    assert answer.code == 0, answer.err
    assert "forgot 2" in answer.out
    assert satchel("forget", "--everything", "--yes").code == 1


def test_without_a_terminal_nothing_is_forgotten_without_yes(satchel) -> None:
    satchel.remember("a")
    answer = satchel("forget", "--everything")
    assert answer.code == 0
    assert "satchel forget --plan" in answer.out
    assert satchel("list").code == 0


def test_context_prints_a_fenced_block(satchel) -> None:
    satchel.remember("不要在周五发布", "--type", "preference")
    answer = satchel("context", "什么时候发布")
    assert answer.code == 0
    assert "不要在周五发布" in answer.out
    assert satchel("context", "--json").json["ids"]


@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        ("项目使用模块A", "项目打算换成模块C", "项目使用模块"),
        ("The project uses module A", "The project is about to move to module C", "project module"),
    ],
)
def test_a_question_is_told_where_it_arises_and_where_it_hides_an_answer(satchel, older, newer, asked) -> None:
    satchel.remember(older, "--id", "was")
    done = satchel("remember", newer, "--id", "now")
    assert done.out.startswith("pending") and "satchel resolve now --keep" in done.err and "kept out of answers" in done.err
    assert "2 more wait for an answer" in satchel("recall", asked).err
    assert satchel("resolve", "now", "--keep", "now").code == 0
    found = satchel("recall", asked)
    assert newer in found.out and "wait for an answer" not in found.err
    assert satchel("resolve", "now", "--keep", "none").code != 0
    assert satchel("correct", "was", "x y z").code != 0


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I enjoy hiking in the Rocky Mountains", "I enjoy hiking in the Appalachian Mountains"),
        ("我喜欢晚饭后在江边散步", "我喜欢晚饭后在公园散步"),
    ],
)
def test_what_may_contradict_is_told_and_answered_and_hides_nothing(satchel, older, newer) -> None:
    satchel.remember(older, "--id", "was")
    done = satchel("remember", newer, "--id", "now")
    assert done.out.startswith("created") and "related  was" in done.out
    assert "may contradict was" in done.err and "satchel resolve now --keep" in done.err
    found = satchel("recall", older)
    assert older in found.out and newer in found.out and "wait" not in found.err
    listed = satchel("conflicts")
    assert "(possible)" in listed.out and older in listed.out
    assert satchel("resolve", "now", "--keep", "both").code == 0
    assert satchel("conflicts").code == 1


def test_a_long_id_does_not_widen_every_row_and_json_has_it_whole(satchel) -> None:
    long = "x" * 300
    satchel.remember("用户的自行车是灰色的", "--id", long)
    satchel.remember("长长的记忆 " * 200, "--id", "short")
    answer = satchel("list")
    assert [width(line) <= 200 for line in answer.out.splitlines() if "自行车" in line] == [True]
    assert "…" in answer.out and ("长长的记忆 " * 200).strip() in answer.out
    assert long in {record["id"] for record in satchel("list", "--json").json["records"]}


@pytest.mark.parametrize("words", [["remember", "x y z"], ["list"], ["recall", "x"], ["context"], ["update", "some-id"]])
@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_tag_is_refused(satchel, words: list[str], blank: str) -> None:
    answer = satchel(*words, "--tag", blank)
    assert answer.code == 2
    assert "--tag: may not be empty" in answer.err


def test_memories_are_listed_as_they_were_known_at_a_moment(satchel) -> None:
    satchel.remember("会议室在三楼", "--id", "room")
    between = datetime.now(UTC).isoformat()
    assert satchel("correct", "room", "会议室在五楼").code == 0
    then = satchel("as-of", between)
    assert then.code == 0 and "三楼" in then.out and "五楼" not in then.out
    assert [record["content"] for record in satchel("as-of", between, "--json").json["records"]] == ["会议室在三楼"]
    assert satchel("as-of", "2001-01-01").code == 1
    assert satchel("as-of", "someday").code == 2


def test_a_session_and_a_snapshot_without_a_memory_are_shown_and_forgotten(satchel, tmp_path) -> None:
    with open_memory(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none", agent="writer") as memory:
        for name in ("w1", "w2"):
            session = memory.working(name, scope="user:alice")
            session.slots["密语"] = f"Zyxquortle-{name}"
            session.save()
        memory.remember("a memory", scope="user:alice", id="one")
        memory.snapshot(name="named Zyxquortle-snapshot", scope="user:alice")
        memory.forget("one", scope="user:alice")
    shown = satchel("forget", "--session", "w1", stdin=b"n\n")
    assert "1 session" in shown.out + shown.err and b"Zyxquortle-w1" in held(tmp_path)
    assert satchel("forget", "--session", "w1", "--yes").out.startswith("forgot 1 session: gone")
    assert b"Zyxquortle-w1" not in held(tmp_path)
    told = satchel("forget", "--everything", "--yes").out
    assert "1 session" in told and "snapshot" in told and "gone from every answer and from the files" in told
    assert b"Zyxquortle" not in held(tmp_path)
    assert satchel("forget", "--everything", "--yes").code == 1


def held(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())
