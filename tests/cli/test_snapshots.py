"""Looking back and going back from the terminal: snapshot, snapshots, drop-snapshot, diff, restore, history (surface.md, OBS-1, OBS-2)."""

from __future__ import annotations

import os

import pytest

from satchel import open_memory


@pytest.fixture
def moved_on(satchel):
    """A scope with a snapshot, changed since in each way."""
    satchel.remember("用户住在上海", "--id", "home")
    satchel.remember("Prefers a window seat", "--id", "seat")
    assert satchel("snapshot", "春天", "--reason", "搬家前").code == 0
    satchel.remember("用户搬到了苏州", "--id", "home")
    satchel.remember("Drinks oat milk", "--id", "milk")
    satchel("update", "seat", "--tag", "travel")


def statuses(satchel) -> dict[str, str]:
    listed = satchel("list", "--status", "active", "--status", "archived", "--json").json["records"]
    return {record["id"]: record["status"] for record in listed}


def test_a_snapshot_is_made_listed_and_dropped(satchel, moved_on) -> None:
    listed = satchel("snapshots")
    assert listed.code == 0
    assert all(text in listed.out for text in ("春天", "user:alice", "cli", "搬家前"))
    (one,) = satchel("snapshots", "--json").json
    assert (one["name"], one["automatic"], one["logs"]) == ("春天", False, [])
    unnamed = satchel("snapshot", "--json").json
    assert unnamed["position"] > one["position"]
    assert "dropped   春天" in satchel("drop-snapshot", "春天").out
    assert satchel("drop-snapshot", unnamed["name"], "--json").json == unnamed
    empty = satchel("snapshots")
    assert (empty.code, "no snapshots in user:alice" in empty.err) == (1, True)
    assert statuses(satchel) == {"home": "active", "seat": "active", "milk": "active"}


def test_a_difference_is_told_line_by_line_and_as_json(satchel, moved_on) -> None:
    told = satchel("diff", "春天")
    assert told.code == 0
    lines = told.out.splitlines()
    assert "+ milk  active  Drinks oat milk" in lines
    assert "~ home  content" in lines
    assert "    content: 用户住在上海 → 用户搬到了苏州" in lines
    assert "~ seat  tags" in lines
    assert [line for line in satchel("diff", "now", "春天").out.splitlines() if line.startswith("- ")] == [
        "- milk  active  Drinks oat milk"
    ]
    found = satchel("diff", "春天", "now", "--json").json
    assert ([one["id"] for one in found["added"]], found["removed"], len(found["changed"])) == (["milk"], [], 2)
    nothing = satchel("diff", "now")
    assert (nothing.code, nothing.out, "no difference" in nothing.err) == (1, "", True)


def test_packages_are_compared_without_a_store(satchel, moved_on, tmp_path, monkeypatch) -> None:
    a, b = tmp_path / "a.satchel", tmp_path / "b.satchel"
    satchel("export", "-o", str(a))
    satchel.remember("再来一条", "--id", "more")
    satchel("export", "-o", str(b))
    monkeypatch.setenv("SATCHEL_STORE", "sqlite:////nowhere/at/all.db")
    assert satchel("diff", str(a), str(b)).out.splitlines() == ["+ more  active  再来一条"]
    assert satchel("diff", str(a), str(a)).code == 1
    b.write_bytes(b.read_bytes()[:-40])
    damaged = satchel("diff", str(a), str(b), "--json")
    assert (damaged.code, damaged.out) == (3, "")
    assert damaged.error["code"] == "invalid_package"


def test_restoring_says_what_it_did_and_how_it_is_undone(satchel, moved_on) -> None:
    done = satchel("restore", "春天")
    assert done.code == 0
    assert "restored 2, archived 1" in done.out
    assert statuses(satchel) == {"home": "active", "seat": "active", "milk": "archived"}
    (undo,) = [line for line in done.out.splitlines() if line.startswith("undo ")]
    assert satchel(*undo.split()[2:]).code == 0
    assert statuses(satchel) == {"home": "active", "seat": "active", "milk": "active"}
    assert satchel("restore", "春天", "--json").json["undo"]["automatic"] is True
    assert satchel("restore", "milk", "--id").code == 0
    assert statuses(satchel)["milk"] == "active"


def test_what_would_bring_back_something_forgotten_is_named(satchel) -> None:
    satchel.remember("口令是枫叶", "--id", "a")
    satchel("snapshot", "s")
    satchel.remember("口令换了", "--id", "a")
    satchel.remember("口令是枫叶", "--id", "b")
    satchel("forget", "b", "--yes")
    answer = satchel("restore", "s")
    assert "left     a" in answer.out
    assert "枫叶" not in answer.out + answer.err


def test_every_large_change_tells_how_to_go_back(satchel, moved_on, tmp_path) -> None:
    package = tmp_path / "a.satchel"
    satchel("export", "-o", str(package), "--scope", "user:alice")
    satchel.remember("会过期的事", "--expires", "2020-01-01", "--id", "old")
    passed = satchel("maintain", "--scope", "user:alice")
    (way,) = [line for line in passed.err.splitlines() if line.startswith("what was before: satchel ")]
    assert satchel(*way.removeprefix("what was before: satchel ").split()).code == 0
    assert statuses(satchel)["old"] == "active"
    moved = satchel("move-scope", "user:alice", "user:bob")
    assert "to take it back: satchel move-scope user:bob user:alice" in moved.err
    assert [one["name"] for one in satchel("snapshots", "--scope", "user:bob", "--json").json if not one["automatic"]] == ["春天"]
    taken = satchel("import", str(package))
    (way,) = [line for line in taken.err.splitlines() if line.startswith("to take it back: satchel ")]
    undone = satchel(*way.removeprefix("to take it back: satchel ").split())
    assert (undone.code, "removed 3" in undone.out) == (0, True)
    assert satchel("move-scope", "user:bob", "user:alice").code == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["snapshot", "now"], 2, "means the present"),
        (["snapshot", ""], 2, "name"),
        (["snapshot", "春天"], 3, "earlier state"),
        (["restore", "no-such"], 1, "no snapshot"),
        (["restore", "no-such", "--id"], 1, "no such record"),
        (["restore", "no-such", "--apart"], 1, "no such record"),
        (["restore", "home", "--apart"], 2, "not put together of others"),
        (["restore"], 2, "NAME"),
        (["drop-snapshot", "no-such"], 1, "no snapshot"),
        (["diff", "no-such"], 1, "no snapshot"),
        (["diff", "春天", "no-such.satchel"], 1, "no snapshot"),
        (["diff"], 2, "A"),
        (["history", "no-such"], 1, "no such record"),
        (["simulate", "--days", "0"], 2, "days"),
        (["simulate", "--set", "x"], 2, "--set"),
        (["sessions", "--limit", "0"], 2, "limit"),
        (["session", "show", "no-such"], 1, "no-such"),
    ],
)
def test_what_cannot_be_done_is_said_without_a_traceback(satchel, moved_on, words, code, said) -> None:
    answer = satchel(*words)
    assert answer.code == code, answer.err
    assert said.lower() in answer.err.lower()
    assert "Traceback" not in answer.err
    assert statuses(satchel) == {"home": "active", "seat": "active", "milk": "active"}


def test_history_tells_each_change_and_nothing_of_what_was_forgotten(satchel, moved_on) -> None:
    told = satchel("history", "home")
    assert [line.split()[2] for line in told.out.splitlines()[1:]] == ["remember", "remember"]
    entries = satchel("history", "home", "--json").json["entries"]
    assert [(entry["operation"], entry["before"] and entry["before"]["content"]) for entry in entries] == [
        ("remember", None),
        ("remember", "用户住在上海"),
    ]
    satchel("forget", "home", "--yes", "--reason", "asked to")
    after = satchel("history", "home")
    assert "(erased)" in after.out
    assert "asked to" in after.out
    assert "苏州" not in after.out + satchel("history", "home", "--json").out


def test_another_scope_has_its_own_snapshots(satchel, moved_on) -> None:
    assert satchel("snapshots", "--scope", "user:bob").code == 1
    assert satchel("restore", "春天", "--scope", "user:bob").code == 1
    with open_memory(os.environ["SATCHEL_STORE"], embedder="none") as memory:
        assert [one.name for one in memory.snapshots(scope="user:alice")] == ["春天"]


def test_what_a_pass_put_together_is_taken_apart_by_one_command(satchel) -> None:
    texts = [f"小明用第 {number} 只紫砂壶泡乌龙茶" for number in range(8)]
    for number, text in enumerate(texts):
        satchel.remember(text, "--id", f"tea{number}")
    assert "consolidate" in satchel("maintain").out
    (whole,) = (name for name, status in statuses(satchel).items() if status == "active")
    done = satchel("restore", whole, "--apart")
    assert (done.code, "taken apart" in done.out) == (0, True)
    assert statuses(satchel) == {whole: "archived"} | {f"tea{number}": "active" for number in range(8)}


def test_a_memorys_id_is_no_snapshot_and_the_way_is_named(satchel) -> None:
    satchel("remember", "她住在里昂", "--id", "home")
    refused = satchel("restore", "home")
    assert refused.code != 0 and "satchel restore home --id" in refused.err
    assert "--id" not in satchel("restore", "nowhere").err


def test_what_is_replaced_or_merged_says_how_it_is_undone(satchel) -> None:
    satchel("remember", "I live in Berlin", "--id", "was")
    done = satchel("remember", "I live in Oslo", "--id", "is")
    assert "superseded" in done.out and "satchel restore was --id" in done.err
    satchel("remember", "员工例会每周一早上九点开。")
    merged = satchel("remember", "员工例会在每周一早上9:00举行。", "--id", "twin")
    assert "merged" in merged.out and "satchel restore twin --id" in merged.err


def test_now_is_a_moment(satchel) -> None:
    satchel("remember", "她住在里昂", "--id", "home")
    assert "她住在里昂" in satchel("as-of", "now").out
