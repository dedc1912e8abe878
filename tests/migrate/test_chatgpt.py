"""ChatGPT exports: saved memories and custom instructions from the branch that counts, and nothing that was forgotten (sources.md 1)."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from migrate_stage import conversation, message, notes, planned, reasons, records, saved, special, write, write_json
from satchel.errors import InvalidRequest
from satchel.migrate import archives, detect
from satchel.migrate.catalogue import source_for
from satchel.protocol import Origin, Status, TimeBasis

A, B = "6a000000-0000-4000-8000-00000000000a", "6a000000-0000-4000-8000-00000000000b"


def export(folder: Path, *conversations: Any) -> Path:
    return write_json(folder / "conversations.json", list(conversations))


def instructions(identity: str, about: str, how: str, *, clean: bool = True) -> dict[str, Any]:
    content = {
        "content_type": "user_editable_context",
        "user_profile": f"The user provided the following information about themselves. This is shown in all conversations:\n```{about}```",
        "user_instructions": f"The user provided the additional info about how they would like you to respond:\n```{how}```",
    }
    copy = {"about_user_message": about, "about_model_message": how}
    return special(identity, content, metadata={"user_context_message_data": copy} if clean else {})


def memory_list(identity: str, text: str) -> dict[str, Any]:
    return special(identity, {"content_type": "model_editable_context", "model_set_context": text}, at=0)


def test_a_saved_memory_keeps_its_message_id_its_time_and_its_conversation(tmp_path: Path) -> None:
    talk = conversation(
        A, message("u1", "记住我养蕨类", role="user"), saved("b1", "User grows ferns. 用户养蕨类植物"), message("t1", "noted", role="tool")
    )
    (record,) = records("chatgpt", export(tmp_path, talk))
    assert (record.id, record.content) == ("b1", "User grows ferns. 用户养蕨类植物")
    assert record.created_at == datetime.fromtimestamp(1_790_000_000.5, UTC)
    assert (record.source.session, record.source.message, record.source.time_basis) == (A, "b1", TimeBasis.EXPLICIT)
    assert record.meta["conversation_title"] == "花园 garden"


@pytest.mark.parametrize("at", [0, None])
@pytest.mark.parametrize("what", ["saved", "instructions"])
def test_a_message_without_a_time_has_none_and_its_conversations_goes_to_meta(tmp_path: Path, what: str, at: float | None) -> None:
    told = saved("b1", "x", at=at) if what == "saved" else {**instructions("b1", "养蕨类", ""), "create_time": at}
    (record,) = records("chatgpt", export(tmp_path, conversation(A, told)))
    assert (record.created_at, record.source.time_basis) == (None, TimeBasis.NONE)
    assert datetime.fromisoformat(record.meta["conversation_started_at"]) == datetime.fromtimestamp(1_790_000_000, UTC)


def test_no_time_anywhere_is_no_time(tmp_path: Path) -> None:
    talk = conversation(A, saved("b1", "x", at=0), create_time=None, update_time=None)
    (record,) = records("chatgpt", export(tmp_path, talk))
    assert (record.created_at, record.source.time_basis) == (None, TimeBasis.NONE)


def test_abandoned_branches_are_not_taken(tmp_path: Path) -> None:
    talk = conversation(A, message("u1", "hi", role="user"), saved("b1", "User lives in 苏州"))
    talk["mapping"]["dead"] = {"id": "dead", "message": saved("dead", "User lives in 无锡"), "parent": "u1", "children": []}
    talk["mapping"]["u1"]["children"].append("dead")
    assert [record.content for record in records("chatgpt", export(tmp_path, talk))] == ["User lives in 苏州"]
    del talk["current_node"]
    assert records("chatgpt", export(tmp_path, talk)) == []


def test_a_loop_in_the_tree_ends(tmp_path: Path) -> None:
    talk = conversation(A, message("u1", "hi", role="user"), saved("b1", "x"))
    talk["mapping"]["u1"]["parent"] = "b1"
    assert len(records("chatgpt", export(tmp_path, talk))) == 1


def test_dialogue_is_never_a_memory(tmp_path: Path) -> None:
    talk = conversation(A, message("u1", "I live in 南京", role="user"), message("a1", "You live in 南京"))
    assert planned("chatgpt", export(tmp_path, talk)) == []


def test_a_conversation_not_to_be_remembered_is_honoured(tmp_path: Path) -> None:
    talk = conversation(
        A, instructions("c1", "a", "b"), saved("b1", "secret plan"), memory_list("l1", "1. secret plan"), is_do_not_remember=True
    )
    found = reasons("chatgpt", export(tmp_path, talk))
    assert set(found.values()) == {"dropped: the conversation is marked as not to be remembered"}
    assert len(found) == 4 and not records("chatgpt", tmp_path)


def test_a_memory_that_was_forgotten_later_stays_forgotten(tmp_path: Path) -> None:
    first = conversation(A, saved("b1", "The user is shopping for a van."), saved("b2", "用户喜欢深色主题"))
    second = conversation(B, saved("f1", "Forget that the user is shopping for a van.", at=1_790_000_900), at=1_790_000_900.0)
    file = export(tmp_path, first, second)
    assert [record.id for record in records("chatgpt", file)] == ["b2"]
    assert reasons("chatgpt", file) == {f"{B}:f1": "dropped: a request to forget, not a memory", f"{A}:b1": "dropped: deleted at origin"}


def test_what_is_saved_again_after_being_forgotten_lives(tmp_path: Path) -> None:
    talk = conversation(A, saved("f1", "Forget the user grows ferns", at=1_790_000_001), saved("b1", "User grows ferns", at=1_790_000_002))
    assert "b1" in {record.id for record in records("chatgpt", export(tmp_path, talk))}


def test_the_memory_list_gives_its_entries_once_and_without_inventing_times(tmp_path: Path) -> None:
    listed = "1. [2026-09-21]. User grows ferns\n2. [2026-09-22]. 用户住在苏州\nsecond line\n"
    talk = conversation(A, saved("b1", "User grows ferns."), memory_list("l1", listed))
    found = records("chatgpt", export(tmp_path, talk))
    assert [record.content for record in found] == ["User grows ferns.", "用户住在苏州\nsecond line"]
    assert (found[1].created_at, found[1].meta["time_raw"]) == (None, "2026-09-22")
    zoned = records("chatgpt", tmp_path, tz="Asia/Shanghai")
    assert zoned[1].created_at == datetime(2026, 9, 21, 16, tzinfo=UTC)


def test_only_the_newest_memory_list_counts_and_what_it_lacks_is_put_up_for_review(tmp_path: Path) -> None:
    old = conversation(A, memory_list("l1", "1. User has a van\n2. User grows ferns"), saved("b1", "User has a van"))
    new = conversation(B, memory_list("l2", "1. User grows ferns"), at=1_790_100_000.0)
    file = export(tmp_path, new, old)
    assert [record.content for record in records("chatgpt", file)] == ["User grows ferns"]
    found = reasons("chatgpt", file)
    assert found[f"{A}:b1"].startswith("quarantined: not in the memory list that ChatGPT held later")
    assert found["1 earlier memory lists"] == "dropped: older states of the newest list"


def test_an_empty_memory_list_says_nothing(tmp_path: Path) -> None:
    talk = conversation(A, saved("b1", "User grows ferns"), memory_list("l1", ""))
    file = export(tmp_path, talk)
    assert len(records("chatgpt", file)) == 1
    assert any("cannot be told" in note for note in notes("chatgpt", file))


@pytest.mark.parametrize("clean", [True, False])
def test_custom_instructions_come_once_clean_of_boilerplate_and_fences(tmp_path: Path, clean: bool) -> None:
    talks = [
        conversation(f"{A}{n}", instructions(f"c{n}", "我在苏州做园艺", "Answer briefly 简短"), at=1_790_000_000.0 + n) for n in range(3)
    ]
    if not clean:
        for talk in talks:
            for node in talk["mapping"].values():
                if node["message"]:
                    node["message"]["metadata"] = {}
    found = records("chatgpt", export(tmp_path, *talks))
    assert [(record.content, record.type) for record in found] == [("我在苏州做园艺", "profile"), ("Answer briefly 简短", "preference")]
    assert all(record.source.origin is Origin.STATED and record.meta["conversations"] == 3 for record in found)
    assert (found[0].created_at, found[0].source.time_basis) == (None, TimeBasis.NONE)


def test_an_earlier_wording_of_the_instructions_is_archived(tmp_path: Path) -> None:
    old = conversation(A, instructions("c1", "gardener", "Answer at length"))
    new = conversation(B, instructions("c2", "gardener", "Answer briefly"), at=1_790_100_000.0)
    found = {record.content: record.status for record in records("chatgpt", export(tmp_path, new, old))}
    assert found == {"gardener": Status.ACTIVE, "Answer briefly": Status.ACTIVE, "Answer at length": Status.ARCHIVED}


def test_private_use_characters_of_citations_are_taken_out_and_said(tmp_path: Path) -> None:
    talk = conversation(A, saved("b1", "User grows ferns\ue200cite\ue202turn0search1\ue201 and 苔藓\ue203"))
    (item,) = planned("chatgpt", export(tmp_path, talk))
    assert item.record is not None and item.record.content == "User grows ferns and 苔藓"
    assert item.request.changes == ("content: citation marks of the export removed",)


def test_lone_surrogates_are_replaced_and_said(tmp_path: Path) -> None:
    (item,) = planned("chatgpt", export(tmp_path, conversation(A, saved("b1", "tea \ud83c 茶"))))
    assert item.record is not None and item.record.content == "tea \ufffd 茶"
    assert "lone surrogate" in item.request.changes[0]


# ---------------------------------------------------------------- containers


def archive(path: Path, members: dict[str, str | bytes], **how: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **how) as target:
        for name, text in members.items():
            target.writestr(name, text)
    return path


def talks(identity: str, text: str) -> str:
    return json.dumps([conversation(identity, saved(f"b-{identity}", text))], ensure_ascii=False)


def test_zip_folder_file_and_split_files_give_the_same(tmp_path: Path) -> None:
    whole = write(tmp_path / "one" / "conversations.json", talks(A, "茶 tea"))
    packed = archive(tmp_path / "export.zip", {"export/conversations.json": talks(A, "茶 tea"), "chat.html": "<p>", "user.json": "{}"})
    wrapped = write(tmp_path / "two" / "conversations.json", '{"exported": 1, "conversations": ' + talks(A, "茶 tea") + "}")
    kinds = [[record.id for record in records("chatgpt", path)] for path in (whole, whole.parent, packed, wrapped)]
    assert kinds == [[f"b-{A}"]] * 4
    split = archive(tmp_path / "split.zip", {"conversations-000.json": talks(A, "a"), "conversations-001.json": talks(B, "b")})
    assert len(records("chatgpt", split)) == 2
    assert all("chatgpt" in detect(path) for path in (whole.parent, packed, split))


def test_hostile_names_in_an_archive_are_only_names(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {"../../evil.json": "{}", "/etc/conversations.json": talks(A, "a"), "..\\conversations.json": "no"}
    (tmp_path / "in").mkdir()
    packed = archive(tmp_path / "in" / "x.zip", members)
    assert len(records("chatgpt", packed)) == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["in", "x.zip"]


def test_a_zip_bomb_is_refused_before_it_fills_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_RATIO_FROM", 1_048_576)
    packed = archive(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * 8_000_000 + b"]"})
    with pytest.raises(InvalidRequest, match="zip bomb"):
        planned("chatgpt", packed)


def test_damaged_encrypted_and_foreign_archives_are_clear_errors(tmp_path: Path) -> None:
    packed = archive(tmp_path / "x.zip", {"conversations.json": talks(A, "a" * 5000)})
    data = packed.read_bytes()
    write(tmp_path / "cut.zip", data[: len(data) // 2])
    write(tmp_path / "flip.zip", data[:80] + bytes(byte ^ 255 for byte in data[80:140]) + data[140:])
    archive(tmp_path / "other.zip", {"readme.txt": "x"})
    encrypted = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        encrypted[encrypted.index(mark) + offset] |= 1
    write(tmp_path / "locked.zip", bytes(encrypted))
    for name, said in {"cut": "no readable zip", "flip": "damaged", "other": "holds no conversations", "locked": "encrypted"}.items():
        with pytest.raises(InvalidRequest, match=said):
            planned("chatgpt", tmp_path / f"{name}.zip")
        assert not source_for("chatgpt").detect(tmp_path / f"{name}.zip")


def test_an_export_that_is_cut_off_gives_what_came_before_and_says_where(tmp_path: Path) -> None:
    text = json.dumps([conversation(A, saved("b1", "一")), conversation(B, saved("b2", "two"))], ensure_ascii=False)
    file = write(tmp_path / "conversations.json", text[:-200])
    assert [record.id for record in records("chatgpt", file)] == ["b1"]
    assert reasons("chatgpt", file)["conversations.json[1]"].startswith("quarantined: the JSON ends or breaks here")
    packed = archive(tmp_path / "x.zip", {"conversations.json": text[:-200]})
    assert reasons("chatgpt", packed) == reasons("chatgpt", file)


def test_odd_conversations_do_not_stop_the_rest(tmp_path: Path) -> None:
    odd = [
        None,
        3,
        {"mapping": None},
        {"mapping": {"a": None}, "current_node": "a"},
        {"mapping": {"a": {"message": "x", "parent": 1}}, "current_node": "a"},
    ]
    file = write_json(tmp_path / "conversations.json", [*odd, conversation(A, saved("b1", "x"), saved("b2", ""))])
    assert [record.id for record in records("chatgpt", file)] == ["b1"]
    found = reasons("chatgpt", file)
    assert found[f"{A}:b2"] == "dropped: a saved memory without text"
    assert [name for name in found if name.startswith("conv")] == ["conversations.json[0]", "conversations.json[1]"]
