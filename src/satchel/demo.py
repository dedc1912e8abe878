"""`satchel demo`: the whole path on real files, told so that a newcomer understands the product from it.

Three tools' memory moves in and is verified; a service serves it; one agent writes over HTTP, another goes on over MCP; a package
carries it to a fresh store, where what was forgotten stays forgotten. It must not know any part from the inside: it uses the doors.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from satchel.errors import NotFound, SatchelError, TransportError
from satchel.migrate import migrate, verify
from satchel.operations.memory import Memory
from satchel.wiring import open_memory

SCOPE = "user:alice"
FIRST, SECOND = "office-helper", "travel-desk"
DELETED_AT_MEM0 = "feeac696-886e-4fe2-80d7-79149972f151"
"""A memory that its user had deleted in mem0; its text still lies in mem0's history.db."""

SOURCES = (
    ("mem0", "mem0", "a JSON export of get_all beside its history.db"),
    ("mcp-memory", "mcp_memory/memory.jsonl", "the file of the MCP memory server, a graph of entities"),
    ("hermes", "hermes/memories", "Markdown pages of the Hermes agent"),
)


class DemoFailed(SatchelError):
    """A step did not show what it promises."""

    code = "demo_failed"


class Story:
    """What is told, and whether it is true."""

    def __init__(self) -> None:
        self._chapter = 0
        self.checks = 0

    def chapter(self, title: str, meaning: str) -> None:
        """Begin a step."""
        self._chapter += 1
        self.say(f"\n{self._chapter}. {title}")
        self.say(f"   {meaning}\n")

    def say(self, text: str = "") -> None:
        """Tell one line."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    def show(self, text: str) -> None:
        """Tell something that happened, on one line."""
        self.say(f"     {' '.join(text.split(chr(10)))}")

    def check(self, true: bool, claim: str) -> None:
        """Claim something, and stop where it is not so."""
        if not true:
            raise DemoFailed(f"this should hold, and does not: {claim}")
        self.checks += 1
        self.say(f"   ✓ {claim}")


def run(*, keep: Path | None = None, embedder: str | None = None) -> int:
    """Tell the whole story and return how many claims were checked.

    `keep`: an empty folder to leave the stores and packages in. `embedder`: another than the best installed.

    Raises:
        DemoFailed: a claim did not hold.
    """
    with tempfile.TemporaryDirectory(prefix="satchel-demo-") as temporary:
        place = keep or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        if any(place.iterdir()):
            raise SatchelError(f"{place} is not empty; the demonstration wants a folder of its own")
        story = Story()
        story.say("Satchel: agent memory that follows the agent, not the tool.")
        store = f"sqlite:///{(place / 'memory.db').resolve()}"
        _move_in(story, store, embedder)
        with _service(store, embedder) as url:
            story.chapter("Serve it", f"An independent service at {url}: any agent, in any tool, talks to the same memory.")
            _first_agent(story, url)
            early = _export(url, place / "before.satchel")
            _second_agent(story, url)
            late = _export(url, place / "alice.satchel")
        _carry_away(story, place, embedder, early, late)
        _go_on(story, keep)
        return story.checks


# ---------------------------------------------------------------- moving in


def _move_in(story: Story, store: str, embedder: str | None) -> None:
    story.chapter("Move in", "Three tools left memory behind, in Chinese and English. Each item gets a receipt; each move is verified.")
    with as_file(files("satchel") / "demo_data") as data, open_memory(store, agent="migration", embedder=embedder) as memory:
        for kind, path, what in SOURCES:
            _move_one(story, memory, kind, data / path, what)
        _stays_deleted(story, memory)


def _move_one(story: Story, memory: Memory, kind: str, path: Path, what: str) -> None:
    scope = None if kind == "mem0" else SCOPE  # mem0 says itself whose its memories are
    plan = migrate(memory, kind, path, scope=scope, dry_run=True)
    story.show(f"{kind}: {what}")
    story.show(f"  plan   {_counted(plan.counts)}")
    done = migrate(memory, kind, path, scope=scope)
    proof = verify(memory, done.import_id)
    for receipt in done.receipts():
        if receipt.reason:
            story.show(f"         {receipt.outcome.value}: {receipt.reason}")
    story.show(f"  verify {proof.headline()}")
    story.check(done.counts == plan.counts and proof.passed, f"{done.imported} memories of {kind} arrived, field by field as they were")


def _counted(counts: Any) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _stays_deleted(story: Story, memory: Memory) -> None:
    held = [scope.scope for scope in memory.scopes() if _holds(memory, DELETED_AT_MEM0, scope.scope)]
    found = [hit for hit in memory.recall("旧住址 磨坊巷 previous address Mill Lane", scope=SCOPE) if "Mill Lane" in hit.record.content]
    story.check(
        not held and not found, "an address that its user had deleted in mem0 did not come back, though mem0's history still holds it"
    )


def _holds(memory: Memory, record_id: str, scope: str) -> bool:
    try:
        return not memory.read_record(record_id, scope=scope).is_tombstone
    except NotFound:
        return False


# ---------------------------------------------------------------- serving


@contextmanager
def _service(store: str, embedder: str | None) -> Iterator[str]:
    """Run `satchel serve` in a process of its own, on a free port; give its address."""
    command = [*_SATCHEL, "serve", "--store", store, "--port", "0", "--json", *(["--embedder", embedder] if embedder else [])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=_environment(), text=True, encoding="utf-8")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise TransportError("the service did not start")
        yield str(json.loads(line)["url"])
    finally:
        process.terminate()
        process.wait()


_SATCHEL = (sys.executable, "-m", "satchel")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SATCHEL_")}


def _first_agent(story: Story, url: str) -> None:
    story.show(f"{FIRST}, over HTTP:")
    with open_memory(url, agent=FIRST) as memory:
        done = memory.remember("用户下周三去苏州出差，酒店要离火车站近", scope=SCOPE, type="task", tags=["travel"])
        story.show(f"  remembers  {done.record.content}")
        hits = memory.recall("which food must be avoided? 推荐餐厅要避开什么", scope=SCOPE)
        story.show(f"  recalls    {hits[0].record.content}" if hits else "  recalls nothing")
        story.check(any("花生" in hit.record.content for hit in hits), f"{FIRST} knows an allergy that it was never told: mem0 was")


# ---------------------------------------------------------------- the second agent


def _second_agent(story: Story, url: str) -> None:
    story.chapter("Another agent goes on", f"{SECOND} is another tool, and speaks MCP. It was never told any of this.")
    import anyio

    try:
        anyio.run(_over_mcp, story, url)
    except BaseExceptionGroup as group:  # the MCP client wraps what is raised inside its block
        raise _innermost(group) from None
    with open_memory(url, agent="auditor") as memory:
        right = memory.recall("周报什么时候发给数据组", scope=SCOPE)[0].record
        story.show(f"history of the weekly report: {' → '.join(_told(memory, right.relations.supersedes[0]))}")


def _innermost(error: BaseException) -> BaseException:
    return _innermost(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _told(memory: Memory, record_id: str) -> list[str]:
    return [f"{entry.operation} by {entry.agent or 'nobody'}" for entry in memory.history(record_id, scope=SCOPE)]


async def _over_mcp(story: Story, url: str) -> None:
    from mcp import Client, StdioServerParameters

    arguments = [*_SATCHEL[1:], "mcp", "--store", url, "--scope", SCOPE, "--agent", SECOND]
    async with Client(StdioServerParameters(command=_SATCHEL[0], args=arguments, env=_environment())) as client:

        async def call(tool: str, **given: Any) -> Any:
            answer = await client.call_tool(tool, given)
            if answer.is_error:
                raise DemoFailed(f"{tool}: {answer.content}")
            return answer.structured_content

        async def search(query: str) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = (await call("memory_search", query=query))["memories"]
            story.show(f"asks  {query}")
            story.show(f"finds {found[0]['content']}" if found else "finds nothing")
            return found

        trip = await search("用户下周三去哪里出差?")
        story.check(any("苏州" in hit["content"] for hit in trip), f"what {FIRST} wrote a moment ago, in Chinese")
        style = await search("what kind of answers does she like?")
        story.check(any("short answers" in hit["content"] for hit in style), "what was told to mem0, in English")
        across = await search("what should be avoided in a restaurant?")
        if any("花生" in hit["content"] for hit in across):  # not with every embedder
            story.say("   ✓ and a Chinese memory answers an English question")

        report = next(hit for hit in await search("周报什么时候发") if "周报" in hit["content"])
        story.show("says  周报改到每周五上午发给数据组")
        await call("memory_correct", id=report["id"], content="周报改到每周五上午发给数据组")
        now = await search("周报什么时候发")
        story.check(
            "周五" in now[0]["content"] and not any("周四" in hit["content"] for hit in now),
            "a correction replaces the wrong memory, and keeps it in the history",
        )

        coriander = next(hit for hit in await search("不吃香菜") if "香菜" in hit["content"])
        asked = await call("memory_forget", id=coriander["id"])
        story.show(f"asked to forget, it must say so twice: {asked['state']}")
        gone = await call("memory_forget", id=coriander["id"], confirm=True)
        story.check(gone["state"] in {"scrubbed", "scrub_pending"}, f"forgotten for good: {gone['state']}")
        story.check(not any("香菜" in hit["content"] for hit in await search("不吃香菜")), "and it is in no answer any more")


# ---------------------------------------------------------------- carrying it away


def _export(url: str, path: Path) -> Path:
    with open_memory(url, agent=SECOND) as memory, path.open("wb") as stream:
        memory.export(to=stream, scope=SCOPE)
    return path


def _carry_away(story: Story, place: Path, embedder: str | None, early: Path, late: Path) -> None:
    story.chapter("Carry it away", "A package, one stream of JSON lines, takes the memory to a fresh store, as on another machine.")
    with open_memory(f"sqlite:///{(place / 'elsewhere.db').resolve()}", agent="another-machine", embedder=embedder) as memory:
        with late.open("rb") as stream:
            counts = memory.import_package(stream).counts
        story.show(f"imported {late.name} ({late.stat().st_size:,} bytes): {_counted(counts)}")
        with late.open("rb") as stream:
            again = memory.import_package(stream).counts
        story.check(not again.get("created") and not again.get("updated"), f"the same package again changes nothing: {_counted(again)}")
        with early.open("rb") as stream:
            old = memory.import_package(stream).counts
        story.show(f"imported {early.name}, a package from before the forgetting: {_counted(old)}")
        contents = [record.content for record in memory.every_record(scope=SCOPE, status="active")]
        story.check(
            not any("香菜" in content for content in contents), "the forgotten memory stays forgotten, whatever an old package says"
        )
        story.check("周报改到每周五上午发给数据组" in contents, "the correction is there, and so is everything else")
        for content in contents:
            story.show(f"· {content}")


def _go_on(story: Story, keep: Path | None) -> None:
    story.say(f"\nAll {story.checks} claims were checked. How to go on:\n")
    story.show('satchel remember "用户对花生严重过敏" --type profile     remember something')
    story.show('satchel recall "餐厅要避开什么"                           find it')
    story.show("satchel sources                                         what can be moved in, and where tools keep it")
    story.show("satchel serve                                           let agents in: HTTP, and MCP at /mcp")
    story.show("README.md · docs/ · satchel --help")
    if keep is not None:
        story.show(f"the stores and packages of this demonstration are in {keep}")
