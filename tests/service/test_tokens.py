"""Tokens: who may come in, as whom, to what (ACC-1, ACC-5)."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta

import pytest

from door_stage import client_of
from satchel.errors import Denied, InvalidRequest, NotFound
from satchel.service import TokenBook
from write_stage import ALICE, BOB, opened


def test_a_token_opens_the_door_under_its_agents_name(engine, tokens):
    issued = tokens.create("写手", read=[ALICE], write=[ALICE])
    with client_of(engine, token=issued.secret, agent="somebody else") as memory:
        done = memory.remember("她喜欢徒步", scope=ALICE)
    assert done.record.source.agent == "写手"


def test_what_a_token_may_not_read_looks_absent_and_what_it_may_not_write_is_denied(engine, tokens):
    engine.remember("bob's own", scope=BOB, id="b")
    issued = tokens.create("reader", read=[ALICE], write=[ALICE])
    with client_of(engine, token=issued.secret) as memory:
        with pytest.raises(NotFound):
            memory.read("b", scope=BOB)
        assert memory.recall("bob's own", scope=[ALICE, BOB], min_relevance=0.0) == []
        assert [found.scope for found in memory.scopes()] == []
        with pytest.raises(Denied):
            memory.remember("into bob", scope=BOB)
        with pytest.raises(Denied):
            memory.reindex()


def test_two_agents_keep_apart_and_share_what_both_may_read(engine, tokens):
    team = "team:data-platform"
    first = tokens.create("planner", read=["agent:planner", team], write=["agent:planner", team])
    second = tokens.create("coder", read=["agent:coder", team], write=["agent:coder"])
    with client_of(engine, token=first.secret) as planner, client_of(engine, token=second.secret) as coder:
        planner.remember("计划下周发布", scope=team)
        planner.remember("a private plan", scope="agent:planner")
        assert [found.content for found in coder.records(scope=[team, "agent:planner"]).records] == ["计划下周发布"]
        with pytest.raises(Denied):
            coder.remember("no", scope=team)
    assert engine.records(scope=team).records[0].source.agent == "planner"


def test_without_any_token_the_loopback_door_is_open(engine):
    with client_of(engine, agent="写手/1") as memory:
        assert memory.remember("开着门", scope=ALICE).record.source.agent == "写手/1"


def test_from_the_first_token_on_everybody_needs_one(engine, tokens, http):
    assert http.get("/v1/scopes").status_code == 200
    tokens.create("a", read=[ALICE])
    answer = http.get("/v1/scopes")
    assert answer.status_code == 401 and answer.json()["error"]["code"] == "denied"
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert http.get("/metrics").status_code == 401
    assert http.get("/healthz").status_code == 200


def test_a_revoked_token_ends_with_the_next_request_and_the_door_stays_shut(engine, tokens):
    issued = tokens.create("a", read=[ALICE])
    with client_of(engine, token=issued.secret) as memory, client_of(engine) as nobody:
        memory.scopes()
        tokens.revoke(issued.token.id)
        for client in (memory, nobody):
            with pytest.raises(Denied):
                client.scopes()


def test_a_token_that_has_expired_is_not_valid(engine, tokens, clock):
    issued = tokens.create("a", read=[ALICE], expires_in=timedelta(hours=1))
    assert tokens.check(issued.secret).agent == "a"
    clock.pass_(hours=1)
    with pytest.raises(Denied):
        tokens.check(issued.secret)


@pytest.mark.parametrize(
    "wrong", ["", "satchel", "satchel__", "other_{id}_{secret}", "satchel_{id}_wrong", "satchel_{id}", "satchel_../x_{secret}"]
)
def test_a_wrong_token_is_denied_in_one_and_the_same_words(tokens, wrong):
    issued = tokens.create("a", read=[ALICE])
    _, token_id, secret = issued.secret.split("_", 2)
    with pytest.raises(Denied) as caught:
        tokens.check(wrong.format(id=token_id, secret=secret))
    assert caught.value.message == "the token is not valid"


def test_the_secret_is_nowhere_in_the_store(tmp_path):
    path = tmp_path / "agent.db"
    with opened(path) as engine:
        issued = TokenBook(engine.core.store).create("a", read=[ALICE])
    secret = issued.secret.rpartition("_")[2]
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes()


def test_a_revocation_by_another_process_holds_at_once(tmp_path):
    path = tmp_path / "agent.db"
    with opened(path) as engine:
        book = TokenBook(engine.core.store)
        issued = book.create("a", read=[ALICE])
        book.check(issued.secret)
        program = (
            "import sys; from satchel import open_memory; from satchel.service import TokenBook\n"
            "with open_memory(sys.argv[1], embedder='none') as m: TokenBook(m.core.store).revoke(sys.argv[2])"
        )
        subprocess.run([sys.executable, "-c", program, str(path), issued.token.id], check=True)
        with pytest.raises(Denied):
            book.check(issued.secret)


def test_a_token_needs_an_agent_and_a_scope_that_is_one(tokens):
    for arguments in ({"agent": " ", "read": [ALICE]}, {"agent": "a"}, {"agent": "a", "read": ["*"]}, {"agent": "a", "read": [""]}):
        with pytest.raises(InvalidRequest):
            tokens.create(**arguments)
    with pytest.raises(InvalidRequest):
        tokens.create("a", read=[ALICE], expires_in=timedelta(0))
    with pytest.raises(NotFound):
        tokens.revoke("unknown")
    assert tokens.all() == [] and not tokens.required()


def test_a_stored_token_without_its_scopes_opens_nothing(engine, tokens):
    """A damaged document must not read as 'every scope'."""
    from pydantic import ValidationError

    from satchel.ports import Batch, Document

    issued = tokens.create("a", read=[ALICE])
    value = engine.core.store.document("tokens", issued.token.id)
    assert value is not None
    engine.core.store.apply(Batch(documents=[Document("tokens", issued.token.id, {k: v for k, v in value.items() if k != "write"})]))
    with pytest.raises(ValidationError):
        tokens.check(issued.secret)


def test_tokens_are_listed_the_oldest_first_without_their_secret(tokens, clock):
    tokens.create("first", read=None, write=None)
    clock.pass_(seconds=1)
    tokens.create("second", read=[ALICE])
    listed = tokens.all()
    assert [token.agent for token in listed] == ["first", "second"]
    assert listed[0].read is None and listed[1].write == frozenset()
    assert json.loads(listed[1].model_dump_json())["read"] == [ALICE]
