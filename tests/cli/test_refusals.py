"""What the command line refuses, each in one line with the right exit code."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("agent", ["x" * 3000, "two\nlines"])
def test_a_name_that_cannot_be_is_a_fault_of_the_option(satchel, agent, monkeypatch):
    answer = satchel("remember", "茶", "--agent", agent)
    assert (answer.code, "--agent" in answer.err) == (2, True)
    monkeypatch.setenv("SATCHEL_AGENT", agent)
    answer = satchel("remember", "茶")
    assert (answer.code, "SATCHEL_AGENT" in answer.err) == (2, True)


@pytest.mark.parametrize("store", ["http://[bad", "http://127.0.0.1:abc"])
def test_an_address_that_cannot_be_is_wrong_usage(satchel, store):
    answer = satchel("list", "--store", store)
    assert answer.code == 2
    assert answer.err.count("\n") == 1


def test_everything_goes_before_the_scope_of_the_environment(satchel, tmp_path):
    satchel.remember("绿茶")
    assert satchel("export", "--everything", "-o", str(tmp_path / "all.jsonl")).code == 0
    assert satchel("export", "--everything", "--scope", "user:bob").code == 2


def test_a_folder_is_no_package(satchel, tmp_path):
    for words in (("export", "-o", str(tmp_path)), ("import", str(tmp_path))):
        answer = satchel(*words)
        assert (answer.code, "is a folder" in answer.err) == (2, True)


def test_conformance_of_a_test_that_does_not_exist_is_told(satchel, tmp_path):
    satchel.remember("绿茶")
    answer = satchel("conformance", f"sqlite:///{tmp_path / 'memory.db'}", "--only", "typo")
    assert answer.code == 2, answer.err
    assert "no such test: typo" in answer.err
    assert "not_run" not in answer.out


def test_conformance_of_nothing_is_an_error_in_one_line(satchel):
    answer = satchel("conformance", "http://127.0.0.1:1")
    assert answer.code == 3
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err
