"""The OpenAPI document and its page (SRV-1)."""

from __future__ import annotations

import re

import jsonschema
import pytest

from satchel.operations import OPERATIONS
from satchel.service.openapi import document


def references(value):
    if isinstance(value, dict):
        yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_operation_has_its_route_with_typed_request_and_answer(http):
    paths = http.get("/openapi.json").json()["paths"]
    for operation in OPERATIONS:
        described = paths["/v1" + operation.path][operation.verb.lower()]
        assert described["summary"]
        assert described["responses"]["200"]["content"]["application/json"]["schema"]
        if operation.verb not in {"GET", "DELETE"}:
            assert described["requestBody"]["content"]["application/json"]["schema"]


def test_every_route_that_is_served_is_described_and_the_other_way_round(http_for):
    app = http_for()._transport._inner.app
    while not hasattr(app, "routes"):
        app = app.app
    served = {
        (route.path, verb) for route in app.routes for verb in route.methods - {"HEAD"} if route.path not in {"/docs", "/openapi.json"}
    }
    assert served == {(path, verb.upper()) for path, verbs in document()["paths"].items() for verb in verbs}


def test_every_reference_leads_somewhere():
    whole = document()
    schemas = whole["components"]["schemas"]
    names = {reference.rpartition("/")[2] for reference in references(whole)}
    assert names <= set(schemas)


def test_what_the_service_answers_fits_its_schema(http):
    whole = document()

    def check(name: str, value: object) -> None:
        schema = {"$ref": f"#/components/schemas/{name}", "components": whole["components"]}
        jsonschema.Draft202012Validator(schema).validate(value)

    written = http.post("/v1/memories", json={"content": "合乎模式", "scope": "user:alice"}).json()
    check(_answer(whole, "/v1/memories", "post")[0], written)
    listed = http.get("/v1/memories", params={"scope": "user:alice"}).json()
    check(_answer(whole, "/v1/memories", "get")[0], listed)
    check("Error", http.get("/v1/memories").json())


def _answer(whole, path, verb):
    schema = whole["paths"][path][verb]["responses"]["200"]["content"]["application/json"]["schema"]
    return [choice["$ref"].rpartition("/")[2] for choice in schema.get("anyOf", [schema])]


def test_the_page_lists_every_operation_and_needs_no_network(http):
    answer = http.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    for operation in OPERATIONS:
        assert f"/v1{operation.path}" in answer.text
    assert not re.search(r"(src|href)=.?https?:", answer.text) and "<script" not in answer.text


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_the_reference_is_open_even_where_tokens_are_needed(http, tokens, path):
    tokens.create("a", read=None)
    assert http.get(path).status_code == 200
