"""What is written to the wire is read from it unchanged, for every operation (surface.md)."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.operations import OPERATIONS, wire
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.paths import decode_id, encode_id
from write_stage import ALICE, record

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)


def back(operation, request):
    message = wire.encode(operation, request)
    parts = urlsplit(message.target)
    names = [part.strip("{}") for part in operation.path.split("/") if part.startswith("{")]
    pattern, given_path = operation.path.split("/"), parts.path.split("/")
    path = {name: given_path[pattern.index("{" + name + "}")] for name in names}
    import json

    body = json.loads(message.body) if message.body is not None else None
    return wire.decode(operation, path, parse_qsl(parts.query, keep_blank_values=True), body)


@given(TEXT, st.lists(TEXT, max_size=3), st.dictionaries(TEXT, st.one_of(st.none(), st.booleans(), st.integers(-5, 5), TEXT), max_size=3))
def test_a_listing_is_read_as_it_was_written(name, tags, where):
    request = m.RecordsRequest(scope=(ALICE, "public"), tags=tuple(tags), where=where, pinned=False, cursor=name, limit=7)
    assert back(t.RECORDS, request) == request


@given(TEXT.filter(lambda text: len(text) <= 512))
def test_any_id_is_read_as_it_was_written(record_id):
    for operation in (t.READ, t.CONFIRM, t.DELETE_RECORD, t.HISTORY):
        request = operation.request(id=record_id, scope=ALICE)
        assert back(operation, request) == request
    assert decode_id(encode_id(record_id)) == record_id
    raw = m.WriteRecordRequest(record=record("x", id=record_id))
    assert back(t.WRITE_RECORD, raw) == raw


def test_every_member_of_a_query_is_of_a_shape_that_a_query_can_hold():
    for operation in OPERATIONS:
        if operation.verb in {"GET", "DELETE"}:
            for name, field in operation.request.model_fields.items():
                assert wire._shape(field.annotation) in {"one", "list", "object"}, (operation.name, name)


@pytest.mark.parametrize("query", [[("where", "{")], [("where", "nonsense")], [("cursor", "a"), ("cursor", "b")]])
def test_a_query_that_cannot_be_read_is_a_fault_of_its_parameter(query):
    from satchel.errors import InvalidRequest

    with pytest.raises(InvalidRequest) as caught:
        wire.decode(t.RECORDS, {}, [("scope", ALICE), *query], None)
    assert caught.value.details["faults"][0]["field"] == query[0][0]
