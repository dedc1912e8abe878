"""`satchel copy`: a whole store moved to another, from the command line (STO-7)."""

from __future__ import annotations

from pathlib import Path

from satchel.conformance.samples import NOW
from satchel.ports import Use
from satchel.wiring import open_store


def test_a_store_is_copied_verified_and_brought_up_to_date(satchel, tmp_path: Path) -> None:
    from_, to = f"sqlite:///{tmp_path / 'memory.db'}", f"jsonl:///{tmp_path / 'copy.jsonl'}"
    satchel.remember("喜欢龙井茶", "--id", "tea")
    answer = satchel("copy", from_, to)
    assert answer.code == 0, answer.err
    assert "the same, record by record" in answer.out
    satchel.remember("The release window is Thursday")
    told = satchel("copy", from_, to, "--json").json
    assert (told["verified"], told["resumed"], told["copied"], told["records"]) == (True, True, 1, 2)
    assert told["scopes"] == {"user:alice": {"active": 2}}
    assert "喜欢龙井茶" in satchel("show", "tea", "--store", to).out


def test_a_difference_is_named_and_ends_with_exit_code_1(satchel, tmp_path: Path) -> None:
    from_, to = f"sqlite:///{tmp_path / 'memory.db'}", f"sqlite:///{tmp_path / 'copy.db'}"
    satchel.remember("喜欢龙井茶", "--id", "tea")
    assert satchel("copy", from_, to).code == 0
    target = open_store(to)
    target.touch([Use("user:alice", "tea", NOW)])
    target.close()
    answer = satchel("copy", from_, to)
    assert answer.code == 1
    assert "user:alice tea: differs in usage" in answer.out


def test_what_cannot_be_copied_is_told_in_a_sentence_and_nothing_is_made(satchel, tmp_path: Path) -> None:
    there, missing = str(tmp_path / "memory.db"), str(tmp_path / "missing.db")
    satchel.remember("喜欢龙井茶")
    for words, said, code in (
        ((missing, str(tmp_path / "new.db")), "there is no store", 2),
        ((there, there), "is the store to copy from", 2),
        ((there, "http://127.0.0.1:1"), "satchel import", 2),
        ((there, f"sqlite:///{tmp_path}/no/folder/x.db"), "does not exist", 2),
        ((there, "oracle://x/y"), "known:", 2),
    ):
        answer = satchel("copy", *words)
        assert answer.code == code, answer.err
        assert said in answer.err
        assert "Traceback" not in answer.err
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("memory.db")) == []
    satchel.remember("other", "--store", missing)
    answer = satchel("copy", there, missing, "--json")
    assert (answer.code, answer.error["code"]) == (3, "conflict")
    assert "not empty" in answer.error["message"]
