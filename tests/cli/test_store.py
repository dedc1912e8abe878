"""Looking after a store from the terminal (surface.md)."""

from __future__ import annotations

import io
import os
import pty
import sys

import pytest

from satchel.cli import output


def test_scopes_and_stats_count(satchel) -> None:
    satchel.remember("甲")
    satchel.remember("乙", "--scope", "user:bob", "--type", "skill")
    scopes = satchel("scopes", "--json").json["scopes"]
    assert [(scope["scope"], scope["counts"]["active"]) for scope in scopes] == [("user:alice", 1), ("user:bob", 1)]
    assert satchel("stats", "--json").json["records"] == 1
    assert satchel("stats", "--scope", "user:alice", "--scope", "user:bob", "--json").json["by_type"] == {"fact": 1, "skill": 1}
    assert "memory.db" in satchel("stats").out


def test_doctor_finds_a_sound_store_healthy(satchel) -> None:
    satchel.remember("甲")
    answer = satchel("doctor")
    assert answer.code == 0
    assert "healthy" in answer.out
    assert satchel("doctor", "--json").json["healthy"] is True


def test_reindex_without_an_embedder_has_nothing_to_do_with(satchel) -> None:
    satchel.remember("甲")
    answer = satchel("reindex", "--json")
    assert answer.code in (0, 1)
    assert answer.json["embedder"] is None


def test_a_scope_moves_with_its_history(satchel) -> None:
    record_id = satchel.remember("甲项目用 pnpm")
    assert satchel("move-scope", "user:alice", "user:alice/project:web", "--json").json["moved"] == 1
    assert satchel("show", record_id, "--scope", "user:alice/project:web").code == 0
    assert satchel("list").code == 1


def test_changes_tell_what_changed_but_not_the_content(satchel) -> None:
    satchel.remember("秘密的花园")
    answer = satchel("changes", "--json")
    assert answer.json["changes"][0]["operation"] == "remember"
    assert "花园" not in answer.out


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_tables_are_ruled_on_a_terminal_and_plain_in_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["1", "花生"], ["22", "peanut [red]butter[/red]"]]
    output.table(["no", "memory"], rows)
    assert capsys.readouterr().out == "no  memory\n1   花生\n22  peanut [red]butter[/red]\n"
    screen = _Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    output.table(["no", "memory"], rows)
    assert "─" in screen.getvalue()
    assert "[red]butter[/red]" in screen.getvalue()


def test_progress_is_shown_on_a_terminal_only_and_never_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with output.progress("embedding") as advance:
        advance(1, 2)
    assert capsys.readouterr() == ("", "")
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with output.progress("embedding") as advance:
        advance(1, 2)
    assert "embedding" in screen.getvalue()
    assert capsys.readouterr().out == ""


def test_a_person_at_a_terminal_is_asked_before_more_than_one_memory_goes(tmp_path) -> None:
    environment = {**os.environ, "SATCHEL_STORE": f"sqlite:///{tmp_path / 'm.db'}", "SATCHEL_SCOPE": "user:a", "SATCHEL_EMBEDDER": "none"}
    command = [sys.executable, "-m", "satchel"]

    def typed(words: list[str], answer: bytes) -> tuple[int, str]:
        child, end = pty.fork()
        if child == 0:
            os.execve(command[0], [*command, *words], environment)
        said = b""
        try:
            while part := os.read(end, 4096):
                said += part
                if b"[y/N]" in said and answer:
                    os.write(end, answer)
                    answer = b""
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode()

    typed(["remember", "灯泡是 E27", "--session", "s1"], b"")
    code, said = typed(["forget", "--session", "s1"], b"n\n")
    assert code == 0
    assert "灯泡是 E27" in said
    assert "nothing was forgotten" in said
    code, said = typed(["forget", "--session", "s1"], b"y\n")
    assert code == 0
    assert "forgot 1" in said
