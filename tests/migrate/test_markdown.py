"""Folders of Markdown memories: Claude Code, CodeBuddy, OpenClaw, Hermes and any other (sources.md 2)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from migrate_stage import DEMO, planned, reasons, records, write
from satchel.errors import InvalidRequest
from satchel.migrate import detect
from satchel.protocol import Origin, Status, TimeBasis

MTIME = 1_790_000_000.0
SESSION = "0b9d4f6e-2f43-4c55-9d57-2b1c86a0d111"

NESTED = """---
name: seat-by-window
description: Where to sit: by the window, 靠窗
metadata: 
  node_type: memory
  type: user
  originSessionId: {session}
---

The user always prefers seats by the window. 总是喜欢靠窗。 See [[quiet-car]].
"""  # noqa: W291 - the tool writes this trailing space

FLAT = """---
name: 花粉过敏
description: 春天的花粉 pollen
type: user
---

用户对花粉过敏，春天不安排户外会议。
"""


def claude(folder: Path) -> Path:
    memory = folder / "-home-me-garden" / "memory"
    write(
        memory / "MEMORY.md", "- [Seat](seat.md) — by the window\n- [Gone](gone.md) — was here\n- Deploys happen on Tuesdays 每周二部署\n"
    )
    write(memory / "seat.md", NESTED.format(session=SESSION), mtime=MTIME)
    write(memory / "not_in_index.md", FLAT, mtime=MTIME)
    return memory


def test_a_memory_file_is_one_record_whether_its_front_matter_is_nested_or_flat(tmp_path: Path) -> None:
    found = {record.meta.get("name"): record for record in records("claude-code", claude(tmp_path))}
    seat, pollen = found["seat-by-window"], found["花粉过敏"]
    assert seat.content.startswith("The user always prefers") and seat.content.endswith("[[quiet-car]].")
    assert (seat.type, seat.meta["original_type"], seat.tags) == ("preference", "user", ("user",))
    assert seat.source.session == SESSION
    assert seat.meta["links"] == ["quiet-car"]
    assert seat.meta["description"] == "Where to sit: by the window, 靠窗"
    assert (pollen.type, pollen.retention) == ("profile", "permanent")


def test_a_file_that_the_index_does_not_name_lives_and_the_index_itself_is_no_memory(tmp_path: Path) -> None:
    memory = claude(tmp_path)
    contents = [record.content for record in records("claude-code", memory)]
    assert any("花粉" in content for content in contents)
    assert "Deploys happen on Tuesdays 每周二部署" in contents
    assert not any("by the window" in content and "](seat.md)" in content for content in contents)
    found = reasons("claude-code", memory)
    assert found["MEMORY.md"].startswith("dropped: an index")
    assert found["MEMORY.md:2"] == "quarantined: the index names gone.md, which is not there"


def test_the_time_is_that_of_the_session_where_its_transcript_is_there_and_else_the_files(tmp_path: Path) -> None:
    memory = claude(tmp_path)
    by_name = {record.meta.get("name"): record for record in records("claude-code", memory)}
    assert by_name["seat-by-window"].source.time_basis is TimeBasis.MTIME
    assert by_name["seat-by-window"].created_at == datetime.fromtimestamp(MTIME, UTC)
    first = '{"type":"queue-operation","timestamp":"2026-09-01T08:00:00.500Z"}'
    second = '{"type":"user","cwd":"/home/me/garden","timestamp":"2026-09-01T08:00:01Z"}'
    write(memory.parent / f"{SESSION}.jsonl", f"{first}\n{second}\n")
    seat = next(record for record in records("claude-code", memory) if record.meta.get("name") == "seat-by-window")
    assert seat.created_at == datetime(2026, 9, 1, 8, 0, 0, 500_000, tzinfo=UTC)
    assert (seat.source.time_basis, seat.meta["cwd"]) == (TimeBasis.EXPLICIT, "/home/me/garden")


@pytest.mark.parametrize("above", [".", "..", "../.."])
def test_ids_are_the_same_from_whichever_folder_the_reading_starts(tmp_path: Path, above: str) -> None:
    memory = claude(tmp_path / "projects")
    assert {r.id for r in records("claude-code", (memory / above).resolve())} == {r.id for r in records("claude-code", memory)}


def test_two_projects_with_files_of_one_name_do_not_collide(tmp_path: Path) -> None:
    for project in ("-a", "-b"):
        write(tmp_path / "projects" / project / "memory" / "user.md", f"---\nname: u\ntype: user\n---\n\ntext of {project}\n")
    assert len({record.id for record in records("claude-code", tmp_path)}) == 2


def test_a_readme_is_no_memory_though_a_folder_above_is_called_memory(tmp_path: Path) -> None:
    folder = tmp_path / "memory" / "work" / "copied"
    write(folder / "README.md", "# About\n")
    write(folder / "user_pollen.md", FLAT, mtime=MTIME)
    assert [record.meta["name"] for record in records("claude-code", folder)] == ["花粉过敏"]


def test_instructions_come_only_where_they_are_wanted(tmp_path: Path) -> None:
    file = write(tmp_path / "CLAUDE.md", "# Rules\n- Use four spaces. 缩进四格\n@docs/style.md\n\n- Run the tests first\n")
    claude(tmp_path)
    assert reasons("claude-code", tmp_path)["CLAUDE.md"].startswith("dropped: instructions for the agent")
    for found in (records("claude-code", file), records("claude-code", tmp_path, mapping={"instructions": "yes"})):
        rules = [record for record in found if record.meta.get("original_type") == "instruction"]
        assert [rule.content for rule in rules] == ["Use four spaces. 缩进四格", "Run the tests first"]
        assert {(rule.type, rule.source.origin, rule.created_at) for rule in rules} == {("preference", Origin.STATED, None)}


def test_codebuddy_reads_added_memories_daily_notes_and_flat_files(tmp_path: Path) -> None:
    write(tmp_path / "memory" / "pollen.md", FLAT, mtime=MTIME)
    write(tmp_path / ".workbuddy" / "memory" / "2026-11-29.md", "- 09:30 改了报表格式\n")
    write(tmp_path / ".workbuddy" / "memory" / "MEMORY.md", "# 项目\n\n报表每周四发出。\n")
    write(tmp_path / "CODEBUDDY.md", "# Rules\n- be brief\n\n## CodeBuddy Added Memories\n- 用户喜欢深色主题\n")
    found = {record.content: record for record in records("codebuddy", tmp_path, tz="Asia/Shanghai")}
    assert set(found) == {"用户对花粉过敏，春天不安排户外会议。", "改了报表格式", "报表每周四发出。", "用户喜欢深色主题"}
    assert found["改了报表格式"].created_at == datetime(2026, 11, 29, 1, 30, tzinfo=UTC)
    assert "codebuddy" in detect(tmp_path)


# ---------------------------------------------------------------- OpenClaw

USER_MD = """# USER.md - User Model

Store stable preferences here.

```md
<!-- observed: YYYY-MM-DD | status: active -->

- Prefer concise progress updates during implementation work.
```

- Begin each directive with an imperative such as `Always`.

## Directives

<!-- observed: YYYY-MM-DD | status: active -->

- Prefer ...

<!-- observed: 2026-08-14 | status: superseded -->

- Prefer long answers.

<!-- observed: 2026-10-02 | status: active -->

- 总是用中文回答，代码注释用英文
  - except in commit messages

- An entry without its line

## Related

- [Agent workspace](/concepts/agent-workspace)
"""


def openclaw(folder: Path) -> Path:
    write(
        folder / "MEMORY.md",
        "# Long-term\n\n## 决定\n\n- Decision: one branch per release\n- 数据库在杭州机房\n\n```\n- not a memory\n```\n",
    )
    write(folder / "USER.md", USER_MD)
    write(
        folder / "memory" / "2026-11-30.md",
        "# 2026-11-30\n\n- 15:20 asked about the ferns 浇蕨\n- **09:05** – called the supplier\n- Mood: tired\n",
    )
    write(folder / "memory" / "2026-11-28-supplier.md", "The supplier moved to Ningbo.\n")
    write(folder / "memory" / "imports" / "codex" / "MEMORY.md", "- copied\n")
    write(folder / "SOUL.md", "You are kind.\n")
    return folder


def test_openclaw_takes_memories_directives_and_daily_notes_and_leaves_the_rest_with_a_reason(tmp_path: Path) -> None:
    found = {record.content: record for record in records("openclaw", openclaw(tmp_path), tz="Asia/Shanghai")}
    assert set(found) == {
        "Decision: one branch per release",
        "数据库在杭州机房",
        "Prefer long answers.",
        "总是用中文回答，代码注释用英文\n- except in commit messages",
        "asked about the ferns 浇蕨",
        "called the supplier",
        "Mood: tired",
        "The supplier moved to Ningbo.",
    }
    assert found["数据库在杭州机房"].tags == ("Long-term", "决定")
    assert found["数据库在杭州机房"].created_at is None
    assert found["asked about the ferns 浇蕨"].created_at == datetime(2026, 11, 30, 7, 20, tzinfo=UTC)
    assert found["called the supplier"].created_at == datetime(2026, 11, 30, 1, 5, tzinfo=UTC)
    mood = found["Mood: tired"]
    assert (mood.created_at, mood.meta["time_precision"]) == (datetime(2026, 11, 29, 16, tzinfo=UTC), "day")
    assert (mood.type, mood.source.time_basis) == ("interaction", TimeBasis.NAIVE_LOCAL)


def test_an_openclaw_directive_keeps_its_date_and_a_superseded_one_is_archived(tmp_path: Path) -> None:
    found = {record.content: record for record in records("openclaw", openclaw(tmp_path), tz="UTC")}
    old, new = found["Prefer long answers."], found["总是用中文回答，代码注释用英文\n- except in commit messages"]
    assert (old.status, old.meta["status"]) == (Status.ARCHIVED, "superseded")
    assert (new.status, new.type, new.source.origin) == (Status.ACTIVE, "preference", Origin.STATED)
    assert new.created_at == datetime(2026, 10, 2, tzinfo=UTC)


def test_placeholders_examples_and_copies_are_dropped_and_the_doubtful_is_quarantined(tmp_path: Path) -> None:
    found = list(reasons("openclaw", openclaw(tmp_path), tz="UTC").values())
    for said in (
        "a placeholder of the template",
        "a fenced example",
        "text of the template",
        "copied from another tool",
        "describes the agent",
    ):
        assert any(said in reason for reason in found), said
    assert any("quarantined" in reason and "observed and status" in reason for reason in found)


def test_without_a_zone_daily_notes_have_no_time_and_say_so(tmp_path: Path) -> None:
    note = next(item for item in planned("openclaw", openclaw(tmp_path)) if item.record and "ferns" in item.record.content)
    assert note.record is not None
    assert (note.record.created_at, note.record.source.time_basis) == (None, TimeBasis.NONE)
    assert note.record.meta["time_raw"] == "2026-11-30 15:20"
    assert note.request.outcome.value == "transformed"
    assert "time without a zone; give --tz" in note.request.changes[0]
    assert note.record.content.startswith("15:20 ")


def test_a_home_folder_leads_to_its_workspace(tmp_path: Path) -> None:
    openclaw(tmp_path / "workspace")
    assert len(records("openclaw", tmp_path, tz="UTC")) == 8
    assert "openclaw" in detect(tmp_path)


# ---------------------------------------------------------------- Hermes


def test_hermes_entries_are_split_at_the_exact_mark_only() -> None:
    found = records("hermes", DEMO / "hermes")
    assert [record.content for record in found] == [
        "The release branch is cut on the first Monday of the month. 每月第一个周一切发布分支",
        "Contracts cite clauses as § 4, never as 'section 4'.",
        "Wants answers in Chinese in the morning and in English after lunch.\nThe office is in Shanghai.",
        "对青霉素过敏，看病时要提醒医生",
    ]
    assert [record.type for record in found] == ["fact", "fact", "preference", "profile"]
    assert {record.source.time_basis for record in found} == {TimeBasis.MTIME}


def test_hermes_ids_do_not_depend_on_the_order_of_entries(tmp_path: Path) -> None:
    first = write(tmp_path / "memories" / "MEMORY.md", "甲\n§\nb\n§\nc § d")
    before = {record.content: record.id for record in records("hermes", tmp_path)}
    write(first, "c § d\n§\n甲\n§\nnew\n§\nb")
    after = {record.content: record.id for record in records("hermes", tmp_path)}
    assert before.items() <= after.items()


def test_hermes_files_with_windows_line_ends_split_alike(tmp_path: Path) -> None:
    write(tmp_path / "USER.md", "一\r\n§\r\nsecond\r\nline")
    assert [record.content for record in records("hermes", tmp_path)] == ["一", "second\nline"]


# ---------------------------------------------------------------- any Markdown


def test_bullets_and_paragraphs_become_records_and_headings_tags(tmp_path: Path) -> None:
    text = """---
tags: [garden, 园艺]
date: 2026-05-04
---
Intro paragraph
over two lines.

# Plants
## 蕨类
* 喜阴
  * 怕晒
- [x] repot the fern
- [ ] buy soil

<!-- a remark -->
| a | b |
|---|---|
| 1 | 2 |
"""
    write(tmp_path / "notes" / "plants.md", text)
    write(tmp_path / ".git" / "x.md", "- no")
    found = {record.content: record for record in records("markdown", tmp_path, tz="UTC")}
    assert set(found) == {
        "Intro paragraph\nover two lines.",
        "喜阴\n* 怕晒",
        "repot the fern",
        "buy soil",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    }
    fern = found["喜阴\n* 怕晒"]
    assert fern.tags == ("garden", "园艺", "Plants", "蕨类")
    assert fern.created_at == datetime(2026, 5, 4, tzinfo=UTC)
    assert (found["repot the fern"].type, found["repot the fern"].status) == ("task", Status.ARCHIVED)
    assert (found["buy soil"].type, found["buy soil"].status) == ("task", Status.ACTIVE)


def test_plain_markdown_takes_no_time_from_its_file(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "- x", mtime=MTIME)
    (record,) = records("markdown", tmp_path)
    assert (record.created_at, record.source.time_basis) == (None, TimeBasis.NONE)


def test_an_edit_elsewhere_in_the_file_changes_no_id(tmp_path: Path) -> None:
    file = write(tmp_path / "a.md", "- one\n- 二\n")
    before = {record.content: record.id for record in records("markdown", file)}
    write(file, "# New\n\n- zero\n- one\n- 二\n")
    assert before.items() <= {record.content: record.id for record in records("markdown", file)}.items()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16", "utf-16-le"])
def test_markdown_in_other_encodings_is_read(tmp_path: Path, encoding: str) -> None:
    file = write(tmp_path / "a.md", "- 用户喜欢龙井茶，每天下午三点喝\n- second\n".encode(encoding))
    assert [record.content for record in records("markdown", file)] == ["用户喜欢龙井茶，每天下午三点喝", "second"]


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "outside" / "secret.md", "- private")
    write(tmp_path / "inside" / "a.md", "- public")
    (tmp_path / "inside" / "link.md").symlink_to(secret)
    assert [record.content for record in records("markdown", tmp_path / "inside")] == ["public"]


def test_an_empty_folder_and_an_empty_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="holds no file"):
        planned("hermes", tmp_path)
    write(tmp_path / "MEMORY.md", "\n")
    assert reasons("hermes", tmp_path) == {"MEMORY.md": "quarantined: holds nothing that could be read"}
