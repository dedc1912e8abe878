"""Folders of Markdown memories, one adapter for all: which tool keeps which files, and what role each plays.

It owns names and places; how a role is read stands in markdown_entries.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from satchel.migrate.formats import markdown_entries as role
from satchel.migrate.formats.markdown_text import split_front_matter
from satchel.migrate.items import Options, Reading, SourceItem, dropped, quarantined
from satchel.migrate.reading import encoding_note, encoding_of, files_below, reading, refuse

Assign = Callable[[str, Path, Path], role.Role | None]
"""Gives a file (its lower-case name, its path, the path that was given) its role; None where it is no part of the source."""

_LOST = {
    "index lines": "lost: they name files that are taken themselves",
    "file modification time": "created_at with time basis mtime, where there is no other time",
}
_FRONT_MATTER = {
    "body": "content",
    "name, description, node_type, other front matter": "meta",
    "type (flat, or below metadata)": "type, tags, meta.original_type",
    "originSessionId": "source.session; that session's start is created_at where its transcript is there",
    "[[links]]": "content, meta.links",
}
_ENTRIES = {"bullet, paragraph": "content", "headings": "tags", "ticked box": "status archived, meta.done"}


@dataclass(frozen=True, slots=True)
class MarkdownFolder:
    """One tool's folder. `places` are glob patterns below the folder; a file that is given itself needs none."""

    kind: str
    description: str
    location: str
    places: tuple[str, ...]
    assign: Assign
    fields: Mapping[str, str]
    homes: tuple[str, ...] = ()

    def detect(self, path: Path) -> bool:
        """Tell whether a file with a role is there."""
        try:
            return any(self._role(path, file) for file in self._files(path))
        except OSError:
            return False

    def read(self, path: Path, options: Options) -> Reading:
        """Open a folder, or one file of it."""
        with reading(path):
            path.stat()
            files = [file for file in self._files(path) if self._role(path, file)]
        if not files:
            raise refuse(path, f"holds no file that {self.kind} keeps memories in ({self.location})")
        root = path if path.is_dir() else path.parent
        notes = [note for file in files for note in encoding_note(file.name, encoding_of(file))]
        return Reading(root, tuple(files), self._items(path, root, files, options), notes)

    def _files(self, path: Path) -> list[Path]:
        if path.is_file():
            return [path]
        homes = [path, *(home for pattern in self.homes for home in sorted(path.glob(pattern)) if home.is_dir())]
        base = path.resolve()
        found = {file for home in homes for place in self.places for file in home.glob(place) if file.is_file()}
        return sorted(file for file in found if file.resolve().is_relative_to(base))

    def _role(self, path: Path, file: Path) -> role.Role | None:
        return self.assign(file.name.lower(), file, path)

    def _items(self, path: Path, root: Path, files: list[Path], options: Options) -> Iterator[SourceItem]:
        folder = role.Folder(self.kind, root, options)
        for file in files:
            read = self._role(path, file)
            items = read(folder, file) if read else iter(())
            first = next(items, None)
            if first is None:
                yield quarantined(folder.item(file), "holds nothing that could be read")
            else:
                yield first
                yield from items


# ---------------------------------------------------------------- coding agents


def _coding_agent(instructions: tuple[str, ...]) -> Assign:
    def assign(name: str, path: Path, given: Path) -> role.Role | None:
        if name in instructions:
            return _added_memories if _has_added_memories(path) else role.instructions(wanted=path == given)
        if not (path == given or "memory" in _folders(path, given) or (path.parent / "MEMORY.md").is_file() or _is_memory(path)):
            return None
        if name == "memory.md":
            return role.index
        if role.DAILY.fullmatch(path.name):
            return role.daily
        return role.memory_file

    return assign


def _folders(path: Path, given: Path) -> tuple[str, ...]:
    """Return the names of the folders from the given one down to a file."""
    return () if path == given else (given.name, *path.relative_to(given).parts[:-1])


def _is_memory(path: Path) -> bool:
    """Tell whether a file's front matter is that of a memory."""
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            matter = split_front_matter(stream.read(65_536))[0] or {}
    except OSError:
        return False
    return "name" in matter and ("type" in matter or "metadata" in matter)


_ADDED = re.compile(r"^##\s+\w+ Added Memories\s*$", re.MULTILINE)


def _has_added_memories(path: Path) -> bool:
    try:
        return bool(_ADDED.search(path.read_text(encoding="utf-8", errors="replace")))
    except OSError:
        return False


def _added_memories(folder: role.Folder, path: Path) -> Iterator[SourceItem]:
    """Take what older builds appended to the instructions as memories, and the instructions as such."""
    for item in role.bullets("fact")(folder, path):
        added = item.draft is None or any(str(tag).endswith("Added Memories") for tag in item.draft.tags)
        yield item if added else dropped(item.item, role.INSTRUCTIONS)


_MEMORY_PLACES = ("*.md", "memory/**/*.md", "*/memory/**/*.md", "projects/*/memory/**/*.md")

CLAUDE_CODE = MarkdownFolder(
    "claude-code",
    "Claude Code: the auto-memory folder (one file a memory), and CLAUDE.md on request",
    "~/.claude/projects/<project>/memory",
    (*_MEMORY_PLACES, ".claude/CLAUDE.md"),
    _coding_agent(("claude.md", "claude.local.md")),
    {**_FRONT_MATTER, "CLAUDE.md": "preferences, with --map instructions=yes", "transcripts, tasks": "lost: not memories", **_LOST},
)

CODEBUDDY = MarkdownFolder(
    "codebuddy",
    "CodeBuddy and WorkBuddy: the auto-memory folder, daily notes, memories added to CODEBUDDY.md",
    "~/.codebuddy/projects/<project>/memory, <project>/.workbuddy/memory",
    (*_MEMORY_PLACES, ".workbuddy/memory/**/*.md", ".workbuddy/MEMORY.md", ".codebuddy/CODEBUDDY.md"),
    _coding_agent(("codebuddy.md", "codebuddy.local.md")),
    {**_FRONT_MATTER, "daily notes": "type interaction, created_at from the file's date and the bullet's time (--tz)",
     "CODEBUDDY.md": "its Added Memories; the rest with --map instructions=yes", "transcripts, tasks": "lost: not memories", **_LOST},
)  # fmt: skip


# ---------------------------------------------------------------- personal agents

_OPENCLAW_OTHER = {"dreams.md", "soul.md", "identity.md", "agents.md", "tools.md", "heartbeat.md", "boot.md", "bootstrap.md"}


def _openclaw(name: str, path: Path, given: Path) -> role.Role | None:
    folders = _folders(path, given)
    if name in _OPENCLAW_OTHER:
        return role.left_out("describes the agent or its dreams, not what it remembers")
    if "memory" in folders and "imports" in folders:
        return role.left_out("copied from another tool; migrate that tool itself")
    if name == "user.md":
        return role.directives
    if role.DAILY.fullmatch(path.name):
        return role.daily
    if name == "memory.md" or path == given or "memory" in folders:
        return role.bullets("fact")
    return None


OPENCLAW = MarkdownFolder(
    "openclaw",
    "OpenClaw: MEMORY.md, USER.md and the daily notes of a workspace",
    "~/.openclaw/workspace",
    ("*.md", "memory/**/*.md"),
    _openclaw,
    {**_ENTRIES, "observed": "created_at (--tz)", "status: superseded": "status archived, meta.status",
     "daily notes": "type interaction, created_at from the file's date and the bullet's time (--tz)",
     "SOUL.md, IDENTITY.md, AGENTS.md, DREAMS.md": "lost: not memories", "memory/imports": "lost: copies of other tools' memories",
     "database": "lost: an index derived from the files"},
    homes=("workspace", "workspace-*"),
)  # fmt: skip


def _hermes(name: str, path: Path, given: Path) -> role.Role | None:
    if name == "soul.md":
        return role.left_out("describes the agent, not what it remembers")
    if name == "user.md":
        return role.sections("preference")
    return role.sections("fact") if name == "memory.md" or path == given else None


HERMES = MarkdownFolder(
    "hermes",
    "Hermes agent: MEMORY.md and USER.md, entries joined by §",
    "~/.hermes/memories",
    ("*.md", "memories/*.md", "profiles/*/memories/*.md"),
    _hermes,
    {"entry": "content", "USER.md, MEMORY.md": "type preference, type fact", "state.db": "lost: raw conversations",
     "SOUL.md": "lost: not a memory", "file modification time": "created_at with time basis mtime"},
)  # fmt: skip


# ---------------------------------------------------------------- any Markdown


def _any(name: str, path: Path, given: Path) -> role.Role | None:
    if any(part.startswith(".") or part == "node_modules" for part in _folders(path, given)[1:]):
        return None
    if role.DAILY.fullmatch(path.name):
        return role.daily
    return role.memory_file if _is_memory(path) else role.bullets("fact", fences=True)


class _AnyMarkdown(MarkdownFolder):
    def _files(self, path: Path) -> list[Path]:
        return [path] if path.is_file() else files_below(path, "*.md") + files_below(path, "*.markdown")


MARKDOWN = _AnyMarkdown(
    "markdown",
    "Any folder or file of Markdown: a record for each bullet and paragraph, headings as tags",
    "any folder",
    ("**/*.md",),
    _any,
    {**_ENTRIES, **_FRONT_MATTER, "tags, type, date in front matter": "tags, type, created_at (--tz)"},
)
