"""`satchel copy`: a whole store moved to another, from the command line (STO-7)."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from satchel.engine.copying import copier, copy_store
from satchel.wiring import open_memory, open_store


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
    satchel.remember("The release window is Thursday")
    assert satchel("copy", from_, to).code == 0
    with closing(sqlite3.connect(tmp_path / "copy.db")) as database, database:
        database.execute("DELETE FROM changes WHERE position = 1")
    answer = satchel("copy", from_, to)
    assert answer.code == 1
    assert "log entry 1 (user:alice tea): differs" in answer.out


def test_a_store_with_sessions_and_no_memory_is_copied(satchel, tmp_path: Path) -> None:
    from_, to = f"sqlite:///{tmp_path / 'sessions.db'}", f"jsonl:///{tmp_path / 'copy.jsonl'}"
    with open_memory(from_, embedder="none", agent="writer") as memory:
        session = memory.working("s1", scope="user:alice")
        session.slots["目标"] = "搬到新仓库"
        session.save()
    told = satchel("copy", from_, to, "--json").json
    assert (told["verified"], told["sessions"], told["sessions_at"], told["records"]) == (True, 1, None, 0)
    with open_memory(to, embedder="none") as memory:
        assert memory.working("s1", scope="user:alice").slots == {"目标": "搬到新仓库"}
    with open_memory(from_, embedder="none") as memory:
        memory.remember("a first memory", scope="user:alice")
    again = tmp_path / "again.jsonl"
    assert satchel("copy", from_, f"jsonl:///{again}").code == 0
    open_store(f"sqlite:///{tmp_path / 'nothing.db'}").close()
    answer = satchel("copy", f"sqlite:///{tmp_path / 'nothing.db'}", f"jsonl:///{tmp_path / 'none.jsonl'}")
    assert answer.code != 0 and "nothing to copy" in answer.err


def test_sessions_that_are_kept_elsewhere_are_told_to_have_stayed_there(satchel, tmp_path: Path, redis_server) -> None:
    from_, place = f"sqlite:///{tmp_path / 'memory.db'}", redis_server.url("copied")
    with open_memory(from_, embedder="none", agent="writer", working=place) as memory:
        memory.remember("喜欢龙井茶", scope="user:alice")
        memory.working("s1", scope="user:alice").save()
        where = memory.core.working.location
    answer = satchel("copy", from_, f"jsonl:///{tmp_path / 'copy.jsonl'}")
    assert answer.code == 0 and where in answer.out and "--working" in answer.out


@pytest.mark.parametrize("new", ["sqlite:///{}/my copy.db", "jsonl:///{}/copy.jsonl"])
def test_the_new_store_may_be_tried_before_the_change_over(satchel, tmp_path: Path, new: str) -> None:
    from_, to = f"sqlite:///{tmp_path / 'memory.db'}", new.format(tmp_path)
    satchel.remember("喜欢龙井茶", "--id", "tea")
    assert satchel("copy", from_, to).code == 0
    for words in (("recall", "龙井茶"), ("show", "tea"), ("list",), ("history", "tea"), ("context", "龙井茶"), ("doctor",)):
        assert satchel(*words, "--store", to).code == 0, words
    satchel.remember("The release window is Thursday")
    answer = satchel("copy", from_, to)
    assert answer.code == 0, answer.out + answer.err
    assert "the same, record by record" in answer.out


@pytest.fixture(params=["sqlite:///{}/my copy.db", "jsonl:///{}/copy.jsonl", "postgresql"])
def unfinished(request: pytest.FixtureRequest, satchel, tmp_path: Path, monkeypatch) -> str:
    """Return the URL of a copy that was broken off."""
    from_, to = f"sqlite:///{tmp_path / 'memory.db'}", request.param.format(tmp_path)
    if to == "postgresql":
        to = request.getfixturevalue("postgres").url(f"copy_{tmp_path.name[-40:].lower()}")
    for number in range(3):
        satchel.remember(f"The key number {number} is under pot {number}", "--id", f"key{number}")

    def interrupt(stage: str, at: int, total: int) -> None:
        raise InterruptedError

    monkeypatch.setattr(copier, "PAGE", 1)
    with closing(open_store(from_)) as source, closing(open_store(to)) as target, pytest.raises(InterruptedError):
        copy_store(source, target, progress=interrupt)
    return to


@pytest.mark.parametrize(
    "words", [("remember", "茶在柜子里"), ("forget", "key0"), ("update", "key0", "--tag", "x"), ("recall", "key"), ("list",)]
)
def test_whoever_writes_to_an_unfinished_copy_or_reads_it_is_told_once_beside_the_answer(satchel, unfinished: str, words) -> None:
    answer = satchel(*words, "--store", unfinished)
    assert answer.code == 0, answer.out + answer.err
    assert answer.err.count("unfinished copy") == 1
    assert "unfinished copy" not in answer.out


def test_a_program_that_opens_an_unfinished_copy_is_told_until_it_is_finished(satchel, unfinished: str, tmp_path: Path, caplog) -> None:
    with open_memory(unfinished, embedder="none") as memory:
        assert "unfinished copy" in caplog.text
        assert any("unfinished copy" in note for note in memory.core.notes.all())
        assert satchel("copy", f"sqlite:///{tmp_path / 'memory.db'}", unfinished).code == 0
        assert memory.doctor().healthy
        assert not any("unfinished copy" in note for note in memory.core.notes.all())
    assert "unfinished" not in satchel("remember", "茶在柜子里", "--store", unfinished).err


def test_the_doctor_names_an_unfinished_copy_and_what_finishes_it(satchel, unfinished: str) -> None:
    to = unfinished
    answer = satchel("doctor", "--store", to)
    assert answer.code == 1, answer.out + answer.err
    assert "unfinished copy" in answer.out
    (finding,) = [found for found in satchel("doctor", "--store", to, "--json").json["findings"] if found["subject"] == "copying"]
    command = shlex.split(finding["message"].split("`")[1])
    assert command[0] == "satchel"
    assert satchel(*command[1:]).code == 0
    assert satchel("doctor", "--store", to).code == 0


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
