"""What a person does wrong gets a sentence and an exit code, never a traceback (SRV-3, issue: bad input)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import open_memory

COMMAND = [sys.executable, "-m", "satchel"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["remember", ""], "content"),
        (["remember", "   "], "content"),
        (["remember", "x", "--ttl", "-5"], "ttl"),
        (["remember", "x", "--ttl", "soon"], "--ttl"),
        (["remember", "x", "--score", "1.5"], "score"),
        (["remember", "x", "--score", "high"], "--score"),
        (["remember", "x", "--sensitivity", "very"], "sensitivity"),
        (["remember", "x", "--meta", "[1]"], "--meta"),
        (["remember", "x", "--meta", "{"], "--meta"),
        (["remember", "x", "--due", "someday"], "--due"),
        (["remember", "x", "--ttl", "1d", "--expires", "2027-01-01"], "ttl"),
        (["remember", "x", "--id", "a" * 513], "id"),
        (["remember", "x", "--scope", ""], "scope"),
        (["remember", "x", "--scope", "*"], "scope"),
        (["remember", "x", "--scope", "user:.."], "scope"),
        (["remember", "x", "--scope", "alice"], "scope"),
        (["remember", "x", "--scope", "user:a", "--scope", "user:b"], "scope"),
        (["recall", "x", "--limit", "0"], "--limit"),
        (["recall", "x", "--policy", "magic"], "policy"),
        (["recall", "x", "--where", "noequals"], "--where"),
        (["recall", "x", "--since", "2026-13-01"], "--since"),
        (["list", "--status", "gone"], "status"),
        (["forget"], "id"),
        (["forget", "x", "--everything"], "id"),
        (["export", "--everything", "--scope", "user:a"], "--everything"),
        (["import", "nowhere.satchel"], "FILE"),
        (["list", "--store", "ftp://x"], "url"),
        (["list", "--embedder", "word2vec", "--store", "memory://"], ""),
        (["tokens", "create"], "--agent"),
        (["no-such-command"], "no-such-command"),
        (["remember"], "TEXT"),
        (["list", "--nope"], "--nope"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_wrong_usage_is_exit_code_2_and_names_what_is_wrong(satchel, words: list[str], named: str) -> None:
    if "word2vec" in words:
        words = ["remember", "x", "--embedder", "word2vec"]
        named = "embedder"
    answer = satchel(*words)
    assert answer.code == 2, answer
    assert named in answer.err
    assert "Traceback" not in answer.err


def test_all_faults_are_told_at_once(satchel) -> None:
    answer = satchel("remember", " ", "--score", "7", "--confidence", "-1", "--json")
    assert {fault["field"] for fault in answer.error["details"]["faults"]} >= {"score", "confidence"}


def test_errors_are_json_on_standard_error_where_json_was_asked_for(satchel) -> None:
    answer = satchel("list", "--nope", "--json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.error["code"] == "invalid_request"


def test_a_credential_is_refused(satchel) -> None:
    answer = satchel("remember", "aws key AKIA" + "IOSFODNN7QXAMPLT", "--json")
    assert answer.code == 3
    assert answer.error["code"] == "secret_refused"
    assert "AKIA" not in answer.err


def test_a_text_that_starts_with_a_dash_goes_after_two(satchel) -> None:
    assert satchel("remember", "--json", "--", "-5 °C 也没问题").json["record"]["content"] == "-5 °C 也没问题"


def test_a_megabyte_and_not_a_byte_more(satchel) -> None:
    text = ("记忆" * 200_000).encode()[:1_048_575]
    text = text.decode("utf-8", "ignore").encode()
    assert satchel("remember", "-", stdin=text).code == 0
    answer = satchel("remember", "-", stdin=text + b"x" * 8)
    assert answer.code == 2
    assert "content" in answer.err


def test_ids_in_any_alphabet_work(satchel) -> None:
    for record_id in ("a/b", "../x", "日记 第 1 页", "x" * 300, "🐈"):
        satchel.remember(f"text of {record_id}", "--id", record_id)
        assert satchel("show", record_id, "--json").json["id"] == record_id
        assert satchel("forget", record_id).code == 0


def test_a_file_that_is_no_store_is_an_error_and_left_alone(satchel, tmp_path: Path) -> None:
    other = tmp_path / "notes.db"
    other.write_bytes(b"not a database, and long enough to look like a header of one" * 4)
    before = other.read_bytes()
    answer = satchel("list", "--store", str(other), "--json")
    assert answer.code == 3
    assert answer.error["code"] == "store_corrupt"
    assert other.read_bytes() == before


def test_a_folder_that_does_not_exist_is_named(satchel, tmp_path: Path) -> None:
    answer = satchel("remember", "x", "--store", f"sqlite:///{tmp_path}/nowhere/a.db")
    assert answer.code == 2
    assert "nowhere" in answer.err


def test_control_characters_in_a_memory_never_reach_the_terminal(satchel) -> None:
    satchel.remember("red \x1b[31m alert\x07 \u202etxet", "--id", "x")
    for words in (["list"], ["show", "x"], ["recall", "alert"], ["history", "x"]):
        answer = satchel(*words)
        assert not set("\x1b\x07\u202e") & set(answer.out + answer.err)
        assert "\\x1b[31m" in answer.out


# ---------------------------------------------------------------- real processes


def _environment(tmp_path: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SATCHEL_", "LC_", "LANG"))}
    return kept | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "SATCHEL_EMBEDDER": "none", **more}


def test_a_lone_surrogate_on_the_command_line_is_refused_and_named(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "remember", b"caf\xe9"], env=_environment(tmp_path, LC_ALL="C.UTF-8"), capture_output=True, text=True)
    assert done.returncode == 2
    assert "argument 2" in done.stderr
    assert "\\udce9" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_chinese_is_printed_in_any_locale(tmp_path: Path, locale: str) -> None:
    environment = _environment(tmp_path, LC_ALL=locale, PYTHONIOENCODING="ascii")
    done = subprocess.run([*COMMAND, "remember", "钥匙在花盆下", "--json"], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode())["record"]["content"] == "钥匙在花盆下"
    done = subprocess.run([*COMMAND, "list"], env=environment, capture_output=True)
    assert "钥匙在花盆下" in done.stdout.decode()


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'memory.db'}"
    with open_memory(store, embedder="none") as memory:
        memory.remember_many([f"第 {number} 条很长的记忆 " + "说来话长 " * 500 for number in range(60)], scope="user:a")
    command = f"'{sys.executable}' -m satchel list --scope user:a --store '{store}' | head -c 10"
    done = subprocess.run(["bash", "-c", command], env=_environment(tmp_path), capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("id")


@pytest.mark.parametrize("command", ["list", "export", "list --json"])
def test_a_reader_that_goes_away_makes_no_failure_of_the_exit_code(tmp_path: Path, command: str) -> None:
    store = f"sqlite:///{tmp_path / 'memory.db'}"
    with open_memory(store, embedder="none") as memory:
        memory.remember_many([f"第 {number} 条很长的记忆 " + "说来话长 " * 2000 for number in range(60)], scope="user:a")
    line = f"'{sys.executable}' -m satchel {command} --scope user:a --store '{store}' | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], env=_environment(tmp_path), capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_an_interrupt_is_quiet_and_exit_code_130(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "remember", "-"],
        env=_environment(tmp_path),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # where the suite runs in the background, it is ignored
    )
    assert process.stdin
    process.stdin.write(b"x" * 65536 * 4)  # returns once the command has begun to read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert err == b""


def test_an_unexpected_failure_is_one_line_unless_debugging(satchel, monkeypatch: pytest.MonkeyPatch) -> None:
    import satchel.cli.session as session

    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(session.Session, "of", broken)
    answer = satchel("list")
    assert answer.code == 3
    assert answer.err == "error: unexpected ZeroDivisionError: by zero (set SATCHEL_DEBUG=1 to see where)\n"
    monkeypatch.setenv("SATCHEL_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        satchel("list")
