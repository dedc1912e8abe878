"""Markdown as agents' tools write it: front matter, sections, bullets, paragraphs, entries between § marks.

It knows text only: no files, no tools, no records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

FrontMatter = dict[str, "str | list[str] | dict[str, str]"]

_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$")
_RULE = re.compile(r"^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_KEY = re.compile(r"^(\s*)([^\s:#][^:]*?)\s*:(?:\s+(.*?))?\s*$")
_TASK = re.compile(r"^\[( |x|X)\]\s+")
SECTION_MARK = "\n§\n"
"""What Hermes joins entries with: exactly this, for a § inside a text is legal."""


@dataclass(slots=True)
class Entry:
    """One statement of a text. `line` counts from 1; `headings` from the outermost in; `comment` is the HTML comment before it.

    `done` tells a ticked box from an open one; None where there is no box.
    """

    text: str
    line: int
    headings: tuple[str, ...] = ()
    comment: str | None = None
    bullet: bool = False
    fenced: bool = False
    done: bool | None = None


def split_front_matter(text: str) -> tuple[FrontMatter | None, str, int]:
    """Return the front matter (None where there is none), the body, and the body's first line number."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != "---":
        return None, "\n".join(lines), 1
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), None)
    if end is None:
        return None, "\n".join(lines), 1
    return _front_matter(lines[1:end]), "\n".join(lines[end + 1 :]), end + 2


def _front_matter(lines: list[str]) -> FrontMatter:
    """Read `key: value`, one level of nesting and lists, leniently: tools write values that no YAML parser takes, such as `a: b: c`."""
    found: FrontMatter = {}
    open_key: str | None = None
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        listed = re.match(r"^\s*-\s+(.*?)\s*$", line)
        if listed and open_key is not None:
            items = found[open_key]
            found[open_key] = [*(items if isinstance(items, list) else []), _unquoted(listed[1])]
            continue
        match = _KEY.match(line)
        if match is None:
            continue
        key, value = match[2], match[3] or ""
        parent = found.get(open_key) if match[1] and open_key is not None else None
        if isinstance(parent, dict) or parent == "":
            found[str(open_key)] = {**(parent if isinstance(parent, dict) else {}), key: _unquoted(value)}
        else:
            found[key] = _listed(value)
            open_key = None if value else key
    return found


def _listed(value: str) -> str | list[str]:
    if value.startswith("[") and value.endswith("]"):
        return [item for part in value[1:-1].split(",") if (item := _unquoted(part))]
    return _unquoted(value)


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def between_section_marks(text: str) -> Iterator[Entry]:
    """Yield the entries between § marks, empty ones left out."""
    line = 1
    for part in text.split(SECTION_MARK):
        if part.strip():
            yield Entry(part.strip(), line + len(part) - len(part.lstrip("\n")))
        line += part.count("\n") + 2


def entries_of(text: str, first_line: int = 1) -> Iterator[Entry]:
    """Yield the top-level bullets (with what is indented below them), paragraphs and fenced blocks, each with its headings."""
    yield from _Walk(first_line).entries(text)


@dataclass(slots=True)
class _Walk:
    """The state of one pass over the lines."""

    line: int
    headings: list[tuple[int, str]] = field(default_factory=list)
    comment: str | None = None
    block: list[str] = field(default_factory=list)
    start: int = 0
    kind: str = ""
    fence: str = ""
    base: int = 0

    def entries(self, text: str) -> Iterator[Entry]:
        for line in _without_comments(text).split("\n"):
            yield from self._take(line)
            self.line += 1
        yield from self._close()

    def _take(self, line: str) -> Iterator[Entry]:
        if self.fence:
            self.block.append(line)
            if line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
                self.fence = ""
                if self.kind == "fence":
                    yield from self._close()
            return
        fence = _FENCE.match(line)
        if fence:
            if not (self.kind == "bullet" and line[:1].isspace()):
                yield from self._close()
                self._open("fence")
            self.fence = fence[1]
            self.block.append(line)
            return
        yield from self._plain(line)

    def _plain(self, line: str) -> Iterator[Entry]:
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        if line.startswith(_COMMENT_MARK):
            yield from self._close()
            self.comment = line.removeprefix(_COMMENT_MARK).strip()
        elif heading:
            yield from self._close()
            self.comment = None
            level = len(heading[1])
            self.headings = [*((depth, name) for depth, name in self.headings if depth < level), (level, heading[2])]
        elif not line.strip():
            if self.kind == "text":
                yield from self._close()
            elif self.block:
                self.block.append("")
        elif _RULE.match(line):
            yield from self._close()
        elif bullet and (self.kind != "bullet" or len(bullet[1]) <= self.base):
            yield from self._close()
            self._open("bullet")
            self.base = len(bullet[1])
            self.block.append(bullet[2])
        elif self.kind == "bullet" and (line[:1].isspace() or self.block[-1]):
            self.block.append(line)
        else:
            if self.kind != "text":
                yield from self._close()
                self._open("text")
            self.block.append(line)

    def _open(self, kind: str) -> None:
        self.kind, self.start = kind, self.line

    def _close(self) -> Iterator[Entry]:
        block, kind = self.block, self.kind
        self.block, self.kind, self.fence = [], "", ""
        text = _dedented(block) if kind == "bullet" else "\n".join(block)
        if not text.strip():
            return
        task = _TASK.match(text) if kind == "bullet" else None
        names = tuple(name for _, name in self.headings if name)
        yield Entry(
            text[task.end() :].strip() if task else text.strip(),
            self.start,
            names,
            self.comment,
            bullet=kind == "bullet",
            fenced=kind == "fence",
            done=None if task is None else task[1] != " ",
        )
        self.comment = None


def _dedented(block: list[str]) -> str:
    """Take the common indentation from what stands below a bullet."""
    if len(block) < 2:
        return "\n".join(block)
    depth = min((len(line) - len(line.lstrip()) for line in block[1:] if line.strip()), default=0)
    return "\n".join([block[0], *(line[depth:] for line in block[1:])]).rstrip()


_COMMENT_MARK = "\x00comment "
_FENCED_OR_COMMENT = re.compile(
    r"^ {0,3}(```+|~~~+)[^\n]*\n(?:.*?^ {0,3}\1[`~]*[ \t]*$|.*\Z)|<!--(.*?)(?:-->|\Z)", re.DOTALL | re.MULTILINE
)


def _without_comments(text: str) -> str:
    """Put each HTML comment that stands alone on a marked line and take the others out; fences and the number of lines stay."""
    text = text.replace("\x00", "\ufffd")

    def put(match: re.Match[str]) -> str:
        if match[1]:
            return match[0]
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        end = text.find("\n", match.end())
        after = text[match.end() : end if end >= 0 else None]
        lines = "\n" * match[0].count("\n")
        return lines if before.strip() or after.strip() else _COMMENT_MARK + " ".join(match[2].split()) + lines

    return _FENCED_OR_COMMENT.sub(put, text)
