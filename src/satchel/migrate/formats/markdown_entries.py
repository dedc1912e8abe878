"""From Markdown files to items, by the role a file plays: a memory, an index, a list of bullets, directives, a day's notes, instructions.

It must not know which tool gives a file which role.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from satchel.migrate.formats.markdown_text import Entry, FrontMatter, between_section_marks, entries_of, split_front_matter
from satchel.migrate.items import Draft, Options, SourceItem, deleted, dropped, made_id, quarantined, relative_name
from satchel.migrate.reading import read_text
from satchel.migrate.statements import type_about_user
from satchel.migrate.times import NO_ZONE, UNTIMED, Moment, modified, read_time
from satchel.protocol.record import Origin, Status

DAILY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[-_ ].+)?\.(?:md|markdown)\Z")
"""Name of a file with one day's notes."""

_PLACEHOLDER = re.compile(
    r"(?:(?:prefer|always|never)\s*)?(?:\.\.\.|…)|\*\*[^*]+:\*\*|[_*][^_*]+[_*]|\[(?:unknown|none yet|tbd)\]|\?|n/a|tbd|\(none(?: yet)?\)",
    re.IGNORECASE,
)
_COMMENT_MEMBER = re.compile(r"(observed|status)\s*:\s*([^|]+)")
_CLOCK = re.compile(r"[\[(*]{0,3}(\d{1,2}:\d{2}(?::\d{2})?)[\])*]{0,3}\s*(?:[-–—:|：]\s*)?")
_INDEX_LINE = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)\s*(?:[-–—:：]+\s*(.*))?\Z", re.DOTALL)
_LINK = re.compile(r"\[\[([^\]]+)\]\]")
_IMPORT = re.compile(r"@\S+")
_TEMPLATE = (
    "begin each directive with",
    "record the observation date and",
    "when a preference changes, mark",
    "keep stable communication style",
    "save this file at the workspace root",
)
INSTRUCTIONS = "instructions for the agent, not a memory; --map instructions=yes takes them as preferences"
_MEMORY_TYPES = {"feedback": "preference", "project": "fact", "reference": "fact"}


@dataclass(slots=True)
class Folder:
    """What the readers of one source share: where it is, what was said about it, and which ids were given."""

    kind: str
    root: Path
    options: Options
    agent: str | None = None
    told: Counter[str] = field(default_factory=Counter)

    def item(self, path: Path, line: int | None = None) -> str:
        """Return an item's label."""
        name = relative_name(self.root, path)
        return name if line is None else f"{name}:{line}"

    def identity(self, path: Path, text: str) -> str:
        """Make an entry's id from its file and text, so that moving it within the file changes nothing.

        The file is known by the last parts of its path: the same from whichever folder above it the reading starts, and not the same
        in two projects whose files have the same name.
        """
        parts = ("/".join(path.absolute().parts[-3:]), text)
        made = made_id(self.kind, *parts)
        self.told[made] += 1
        return made if self.told[made] == 1 else made_id(self.kind, *parts, str(self.told[made]))


Role = Callable[[Folder, Path], Iterator[SourceItem]]
"""Reads one file into items."""


def left_out(reason: str) -> Role:
    """Return the role of a file that holds no memories."""

    def role(folder: Folder, path: Path) -> Iterator[SourceItem]:
        yield dropped(folder.item(path), reason)

    return role


def instructions(*, wanted: bool) -> Role:
    """Return the role of a file of instructions: preferences where they are wanted, by being named itself or by the mapping."""

    def role(folder: Folder, path: Path) -> Iterator[SourceItem]:
        asked = folder.options.mapping.get("instructions", "").lower() in {"yes", "true", "1"}
        read = bullets("instruction", origin=Origin.STATED) if wanted or asked else left_out(INSTRUCTIONS)
        yield from read(folder, path)

    return role


def bullets(type: str, *, timed_by_file: bool = False, origin: Origin = Origin.IMPORTED, fences: bool = False) -> Role:
    """Return the role of a file of statements; headings become tags. Fenced blocks are examples unless `fences`."""

    def role(folder: Folder, path: Path) -> Iterator[SourceItem]:
        matter, body, line = split_front_matter(read_text(path))
        created = _matter_time(matter, folder) if matter else UNTIMED
        if created is UNTIMED and timed_by_file:
            created = modified(path)
        for entry in entries_of(body, line):
            item = folder.item(path, entry.line)
            if entry.fenced and not fences:
                yield dropped(item, "a fenced example, not a memory")
            elif _PLACEHOLDER.fullmatch(entry.text):
                yield dropped(item, "a placeholder of the template")
            elif not _without_imports(entry.text):
                yield dropped(item, "an import of another file; migrate that file itself")
            else:
                text = _without_imports(entry.text)
                draft = Draft(folder.identity(path, entry.text), text, _entry_type(entry, matter, type), created, origin=origin)
                draft.agent, draft.tags = folder.agent, [*_matter_tags(matter), *entry.headings]
                if text != entry.text:
                    draft.changes.append("content: a line that imports another file left out")
                if entry.done:
                    draft.status = Status.ARCHIVED
                    draft.meta["done"] = True
                yield SourceItem(item, draft)

    return role


def _without_imports(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _IMPORT.fullmatch(line.strip())).strip()


def _entry_type(entry: Entry, matter: FrontMatter | None, fallback: str) -> str:
    named = (matter or {}).get("type")
    return "task" if entry.done is not None else named if isinstance(named, str) and named else fallback


def _matter_tags(matter: FrontMatter | None) -> list[str]:
    found = (matter or {}).get("tags") or []
    return [tag.strip() for tag in found.split(",")] if isinstance(found, str) else list(found)


def _matter_time(matter: FrontMatter, folder: Folder) -> Moment:
    named = next((matter[key] for key in ("created_at", "created", "date", "timestamp") if isinstance(matter.get(key), str)), None)
    return read_time(named, zone=folder.options.zone) if named else UNTIMED


# ---------------------------------------------------------------- one memory a file


def memory_file(folder: Folder, path: Path) -> Iterator[SourceItem]:
    """Read a file that is one memory: its name, description and type in the front matter, flat or nested below `metadata`."""
    matter, body, _ = split_front_matter(read_text(path))
    flat = _flattened(matter or {})
    links = list(dict.fromkeys(_LINK.findall(body)))
    kind, session = str(flat.pop("type", "") or "fact"), str(flat.pop("originSessionId", "") or "") or None
    created, cwd = _session_start(path, session)
    draft = Draft(
        folder.identity(path, ""),
        body.strip(),
        kind,
        modified(path) if created is UNTIMED else created,
        tags=[*_matter_tags(matter), *([kind] if matter else [])],
        session=session,
        agent=folder.agent,
        meta={key: value for key, value in flat.items() if value and key != "tags"},
    )
    _type_of_memory(draft)
    draft.meta |= {key: value for key, value in {"links": links, "cwd": cwd}.items() if value}
    if not draft.content and isinstance(flat.get("description"), str):
        draft.content = str(flat["description"])
        draft.changes.append("content: the description, for the file has no text")
    yield SourceItem(folder.item(path), draft)


def _flattened(matter: FrontMatter) -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in matter.items():
        if isinstance(value, dict):
            flat.update(value)
        else:
            flat.setdefault(key, value)
    return flat


def _type_of_memory(draft: Draft) -> None:
    """Map the four types of coding agents: what is known of the user is profile or preference, feedback is preference."""
    mapped = _MEMORY_TYPES.get(draft.type)
    if draft.type == "user":
        mapped = type_about_user(draft.content, "profile")
    if mapped:
        draft.meta["original_type"] = draft.type
        draft.type = mapped


def _session_start(path: Path, session: str | None) -> tuple[Moment, str | None]:
    """Find when and where the session began that wrote a memory: the transcript lies beside the memory folder."""
    if not session or not re.fullmatch(r"[\w-]+", session):
        return UNTIMED, None
    transcript = path.parent.parent / f"{session}.jsonl"
    if not transcript.is_file():
        return UNTIMED, None
    created, cwd = UNTIMED, None
    with transcript.open(encoding="utf-8", errors="replace") as stream:
        for _, line in zip(range(50), stream, strict=False):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                created = read_time(row.get("timestamp"), zone=None) if created.instant is None else created
                cwd = cwd or (row["cwd"] if isinstance(row.get("cwd"), str) else None)
    return (created if created.instant else UNTIMED), cwd


def index(folder: Folder, path: Path) -> Iterator[SourceItem]:
    """Read an index of memory files: its lines point, and only what points nowhere, or is no pointer, says something of its own."""
    _, body, line = split_front_matter(read_text(path))
    pointers = 0
    for entry in entries_of(body, line):
        item = folder.item(path, entry.line)
        pointer = _INDEX_LINE.match(entry.text)
        if pointer is None or "://" in pointer[2]:
            created = modified(path)
            draft = Draft(folder.identity(path, entry.text), entry.text, created=created, tags=entry.headings, agent=folder.agent)
            yield SourceItem(item, draft)
        elif (path.parent / pointer[2]).is_file():
            pointers += 1
        else:
            yield quarantined(item, f"the index names {pointer[2]}, which is not there")
    if pointers:
        yield dropped(folder.item(path), f"an index: its {pointers} lines name files that are taken themselves")


# ---------------------------------------------------------------- entries with times


def sections(type: str) -> Role:
    """Return the role of a file whose entries stand between § marks and have no times but the file's."""

    def role(folder: Folder, path: Path) -> Iterator[SourceItem]:
        created = modified(path)
        for number, entry in enumerate(between_section_marks(read_text(path)), 1):
            kind = type_about_user(entry.text, type) if type == "preference" else type
            draft = Draft(folder.identity(path, entry.text), entry.text, kind, created, agent=folder.agent)
            yield SourceItem(f"{folder.item(path)}#{number}", draft)

    return role


def daily(folder: Folder, path: Path) -> Iterator[SourceItem]:
    """Read one day's notes: the date is the file's name, the time of day what a bullet begins with, both in the user's zone."""
    match = DAILY.fullmatch(path.name)
    day = match[1] if match else ""
    _, body, line = split_front_matter(read_text(path))
    for entry in entries_of(body, line):
        item = folder.item(path, entry.line)
        if entry.fenced or _PLACEHOLDER.fullmatch(entry.text):
            yield dropped(item, "a fenced example, not a memory" if entry.fenced else "a placeholder of the template")
            continue
        clock = _CLOCK.match(entry.text)
        text = entry.text[clock.end() :] if clock and entry.text[clock.end() :].strip() else entry.text
        written = f"{day} {clock[1]}" if clock and text is not entry.text else day
        draft = Draft(folder.identity(path, entry.text), text, "event", read_time(written, zone=folder.options.zone), agent=folder.agent)
        draft.tags = [name for name in entry.headings if name != day]
        if draft.created.instant is None and text is not entry.text:
            draft.content = entry.text
        yield SourceItem(item, draft)


def directives(folder: Folder, path: Path) -> Iterator[SourceItem]:
    """Read dated directives: a comment with `observed` and `status` before each. Older files are plain lists of labels."""
    _, body, line = split_front_matter(read_text(path))
    entries = list(entries_of(body, line))
    dated = any(_COMMENT_MEMBER.search(entry.comment or "") for entry in entries)
    for entry in entries:
        item = folder.item(path, entry.line)
        members = {key: value.strip() for key, value in _COMMENT_MEMBER.findall(entry.comment or "")}
        reason = _not_a_directive(entry, members)
        if reason:
            yield dropped(item, reason)
        elif dated and not members:
            yield quarantined(item, "has no line with observed and status before it: whether it is a directive cannot be told")
        elif members.get("status", "").lower() in {"deleted", "removed", "retracted"}:
            yield deleted(item, folder.identity(path, entry.text), {})
        else:
            yield SourceItem(item, _directive(folder, path, entry, members))


def _not_a_directive(entry: Entry, members: dict[str, str]) -> str | None:
    if entry.fenced:
        return "a fenced example, not a memory"
    if _PLACEHOLDER.fullmatch(entry.text) or members.get("observed") == "YYYY-MM-DD":
        return "a placeholder of the template"
    if not entry.bullet and not members:
        return "prose between the entries"
    if not members and (entry.text.lower().startswith(_TEMPLATE) or "Related" in entry.headings[-1:]):
        return "text of the template"
    return None


def _directive(folder: Folder, path: Path, entry: Entry, members: dict[str, str]) -> Draft:
    created = read_time(members.get("observed"), zone=folder.options.zone)
    label = re.match(r"\*\*([^*]+):\*\*", entry.text)
    draft = Draft(folder.identity(path, entry.text), entry.text, "profile" if label else "preference", created, origin=Origin.STATED)
    draft.tags, draft.agent = [name for name in entry.headings[1:] if name != "Directives"], folder.agent
    if members.get("status", "active").lower() not in {"", "active"}:
        draft.status = Status.ARCHIVED
        draft.meta["status"] = members["status"]
    if created.problem == NO_ZONE:
        draft.created = replace(created, problem="a date without a zone; give --tz")
    return draft
