"""The embedder behind an OpenAI-compatible endpoint, against a real HTTP server on the loopback."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from satchel.embedders.openai import OpenAIEmbedder, open_embedder
from satchel.errors import InvalidRequest, TransportError
from satchel.ports import Embedder


class Endpoint(ThreadingHTTPServer):
    """Answers embeddings: of a text, its length, its number of spaces and 1. `planned` answers come first: (status, headers, body)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.planned = []
        self.requests = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        rows = [[float(len(text)), float(text.count(" ")), 1.0] for text in body["input"]]
        data = [{"index": number, "embedding": row} for number, row in enumerate(rows)]
        status, headers, answer = self.server.planned.pop(0) if self.server.planned else (200, {}, {"data": data[::-1]})
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(raw)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


@pytest.fixture
def endpoint():
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def embedder(endpoint):
    embedder = OpenAIEmbedder("tiny", endpoint.url, "sesame", wait=0.001, timeout=5)
    yield embedder
    embedder.close()


def test_it_is_an_embedder(embedder):
    assert isinstance(embedder, Embedder)
    assert embedder.name == "openai:tiny"


def test_vectors_come_in_the_order_of_the_texts_with_length_1(embedder):
    vectors = embedder.embed_passages(["花生", "a b c"])
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert np.allclose(vectors[0], np.array([2, 0, 1]) / np.sqrt(5))


def test_the_dimension_is_probed_from_the_first_answer_once(embedder, endpoint):
    assert embedder.dimension == embedder.dimension == 3
    assert len(endpoint.requests) == 1


def test_the_key_and_the_model_are_sent(embedder, endpoint):
    embedder.embed_queries(["茶"])
    path, headers, body = endpoint.requests[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == "Bearer sesame"
    assert body == {"model": "tiny", "input": ["茶"]}


def test_many_texts_go_in_batches(embedder, endpoint):
    assert embedder.embed_passages([f"记忆 {number}" for number in range(130)]).shape == (130, 3)
    assert [len(body["input"]) for _, _, body in endpoint.requests if body["input"] != ["dimension"]] == [64, 64, 2]


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed_queries([]).shape == (0, 3)


def test_empty_text_and_lone_surrogates_reach_the_endpoint_as_valid_text(embedder, endpoint):
    embedder.embed_passages(["", "a\ud800\x00b"])
    assert endpoint.requests[0][2]["input"] == [" ", "a  b"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_fault_is_tried_again(embedder, endpoint, status):
    endpoint.planned = [(status, {}, {"error": {"message": "busy"}}), (status, {"retry-after": "0"}, b"")]
    assert embedder.embed_queries(["茶"]).shape == (1, 3)


def test_a_fault_that_stays_ends_after_a_few_attempts_with_the_endpoints_words(embedder, endpoint):
    endpoint.planned = [(429, {}, {"error": {"message": "quota used up"}})] * 10
    with pytest.raises(TransportError, match="429: quota used up"):
        embedder.embed_queries(["茶"])
    assert len(endpoint.requests) == 4


def test_a_refusal_is_not_tried_again(embedder, endpoint):
    endpoint.planned = [(401, {}, {"error": {"message": "bad key"}})] * 2
    with pytest.raises(TransportError, match="401: bad key") as caught:
        embedder.embed_queries(["茶"])
    assert len(endpoint.requests) == 1
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        {"data": []},
        {"data": [{"index": 0, "embedding": []}]},
        {"object": "list"},
        {"data": [{"index": 0, "embedding": [1e999]}]},
    ],
)
def test_an_answer_that_is_no_list_of_embeddings_is_an_error_of_transport(embedder, endpoint, body):
    endpoint.planned = [(200, {}, body)]
    with pytest.raises(TransportError):
        embedder.embed_queries(["茶"])


def test_a_dimension_that_changes_is_an_error(embedder, endpoint):
    assert embedder.dimension == 3
    endpoint.planned = [(200, {}, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]})]
    with pytest.raises(TransportError, match="2 numbers"):
        embedder.embed_queries(["茶"])


def test_an_endpoint_that_is_not_there_is_an_error_of_transport(endpoint):
    embedder = OpenAIEmbedder("tiny", "http://user:pass@127.0.0.1:1/v1", None, wait=0.001, timeout=1)
    with pytest.raises(TransportError, match="could not be reached") as caught:
        embedder.embed_queries(["茶"])
    assert "pass" not in str(caught.value)
    embedder.close()


def test_the_argument_names_model_and_endpoint(endpoint, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    embedder = open_embedder(f"tiny@{endpoint.url}")
    assert embedder.dimension == 3
    assert "Authorization" not in endpoint.requests[0][1]
    embedder.close()


def test_what_the_argument_leaves_out_comes_from_the_environment(endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_EMBEDDING_MODEL", "from-env")
    embedder = open_embedder()
    assert embedder.name == "openai:from-env"
    assert embedder.dimension == 3
    embedder.close()


@pytest.mark.parametrize(("argument", "word"), [("", "name a model"), ("tiny", "OPENAI_API_KEY"), ("tiny@ftp://host", "ftp://host")])
def test_an_argument_that_cannot_work_says_what_is_missing(argument, word, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_EMBEDDING_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InvalidRequest, match=word):
        open_embedder(argument)
