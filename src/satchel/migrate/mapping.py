"""Which column of a plain table is which field of a record: as a person said it, or recognised by name and shown in the plan.

It must not know files. The scale of a score is declared, never guessed from its values.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from satchel.errors import Fault, InvalidRequest
from satchel.protocol.scope import parse_scope

FIELDS = (
    "content", "id", "type", "created_at", "updated_at", "expires_at", "due_at", "tags",
    "score", "confidence", "user", "agent", "session", "scope", "deleted",
)  # fmt: skip
"""What a column can be mapped to; `user` and `scope` say whose the row is, `deleted` whether its tool had deleted it."""

KEEP = "keep"
"""What `deleted` is mapped to where deleted rows are to be taken as the others are."""

SETTINGS = ("table", "encoding", "dates", "where", "delimiter", "ids", "instructions")
"""What else a mapping can say: a SQLite table, a text encoding, the order of numeric dates (dmy, mdy), which rows (column:value).

`ids=derived` makes ids of its own where the table's are not unique beyond it, such as 1, 2, 3."""

_KNOWN = {
    "content": ("content", "memory", "text", "fact", "observation", "note", "body", "message", "msg", "data", "description",
                "内容", "记忆", "文本", "正文", "备注", "消息"),
    "id": ("id", "uuid", "memory_id", "record_id", "_id", "uid", "编号", "序号"),
    "type": ("type", "memory_type", "kind", "category", "类型", "类别", "分类"),
    "created_at": ("created_at", "createdat", "created", "create_time", "created_time", "timestamp", "ts", "datetime", "date", "time",
                   "时间", "创建时间", "日期", "记录时间"),
    "updated_at": ("updated_at", "updatedat", "update_time", "modified", "modified_at", "更新时间", "修改时间"),
    "expires_at": ("expires_at", "expiration_date", "expires", "过期时间", "到期时间"),
    "due_at": ("due_at", "due", "deadline", "due_date", "截止时间", "截止日期"),
    "tags": ("tags", "labels", "keywords", "标签"),
    "user": ("user_id", "user", "userid", "username", "owner", "用户", "用户名"),
    "agent": ("agent", "agent_id"),
    "session": ("session", "session_id", "conversation_id", "thread_id", "会话"),
}  # fmt: skip
_GONE = re.compile(
    r"(?:is_?)?(?:soft_?)?(?:deleted|removed)(?:_?(?:at|on|time|date|flag))?|tombstoned?|delete_?(?:time|flag)|is_?delete"
    r"|(?:是否)?(?:已经?)?(?:被)?(?:删除|刪除|移除)(?:时间|時間|日期|标记|標記|标志)?"
)
_STATE = re.compile(r"(?:memory_|record_)?(?:state|status)|状态|狀態")
_GONE_STATES = {"deleted", "removed", "tombstone", "tombstoned", "trashed", "soft_deleted", "已删除", "已刪除", "删除", "刪除", "已移除"}
_THERE = {"0", "false", "f", "no", "n", "none", "null", "nil", "nan", "nat", "n/a", "-", "active", "not deleted", "否", "未删除", "未刪除",
          "正常", "无"}  # fmt: skip
_KEYS = ("k", "key", "name", "键", "名称", "项目")
_VALUES = ("v", "value", "val", "值")
_SCALED = re.compile(r"(.+)/(\d+(?:\.\d+)?)\Z")
_PLACE = re.compile(r"\{([^{}]+)\}")
_VECTOR = re.compile(r"embedding|vector|向量", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Columns:
    """The resolved mapping: for each field a column or (content only) a template with `{column}` places; divisors of scaled scores."""

    fields: Mapping[str, str]
    scales: Mapping[str, float] = field(default_factory=dict)
    where: tuple[str, str] | None = None
    gone: tuple[str, ...] = ()
    """Columns that tell whether a row was deleted."""

    @property
    def content_columns(self) -> tuple[str, ...]:
        """Return the columns that the content is made of."""
        content = self.fields["content"]
        return tuple(_PLACE.findall(content)) or (content,)

    @property
    def is_template(self) -> bool:
        """Whether the content is a sentence made of columns."""
        return bool(_PLACE.search(self.fields["content"]))

    def fill(self, values: Mapping[str, str]) -> str:
        """Put values into the template."""
        return _PLACE.sub(lambda match: values[match[1]], self.fields["content"])

    def used(self) -> set[str]:
        """Return every column that goes to a field."""
        return {column for name, column in self.fields.items() if name != "content"} | set(self.content_columns)

    def note(self, detected: Iterable[str]) -> str:
        """Say the mapping, for the plan."""
        marked = set(detected)
        said = ", ".join(f"{name}={column}{' (detected)' if name in marked else ''}" for name, column in self.fields.items())
        if not self.gone:
            return said
        return f"{said}; rows that are deleted by {' or '.join(self.gone)} stay out (--map deleted={KEEP} takes them)"


def says_deleted(column: str, value: object) -> bool:
    """Tell whether a value says that its row was deleted: a state by its word, a flag by being true, a time by being there."""
    text = "" if value is None or isinstance(value, bytes | dict | list) else str(value).strip().lower()
    if text in _GONE_STATES:
        return True
    if _STATE.fullmatch(_folded(column)) or not text or text in _THERE or text.startswith("0000-00-00"):
        return False
    try:
        return float(text) != 0
    except ValueError:
        return True


def is_vector(column: str) -> bool:
    """Tell whether a column holds vectors, which are rebuilt from the content."""
    return bool(_VECTOR.search(column))


def split_pairs(pairs: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Split the command line's `--map FROM=TO` into (mapping, scope_map): what maps to a scope, as `alice=user:alice`, is a scope rule.

    Raises InvalidRequest with all faults at once.
    """
    mapping: dict[str, str] = {}
    scopes: dict[str, str] = {}
    faults: list[Fault] = []
    for pair in pairs:
        before, _, last = pair.rpartition("=")
        left, _, right = (before, "", last) if last in FIELDS else pair.partition("=")
        if not left.strip() or not right.strip():
            faults.append(Fault(field="map", message=f"{pair!r} is not of the form FROM=TO"))
        elif left not in FIELDS and left not in SETTINGS and _is_scope(right):
            scopes[left] = right
        else:
            mapping[left] = right
    if faults:
        raise InvalidRequest.of(faults, subject="mapping")
    return mapping, scopes


def _is_scope(text: str) -> bool:
    try:
        parse_scope(text)
    except InvalidRequest:
        return False
    return True


def resolve(mapping: Mapping[str, str], columns: Sequence[str]) -> tuple[Columns, list[str]]:
    """Resolve a mapping over the columns at hand; what it does not say is recognised by name. Returns the names detected, too.

    A pair is FROM=TO (`内容=content`); FIELD=COLUMN is taken as well where the right side is no field or the left side no column.
    Raises InvalidRequest for columns that are not there, or where no column holds the content.
    """
    fields: dict[str, str] = {}
    scales: dict[str, float] = {}
    faults: list[Fault] = []
    gone: tuple[str, ...] | None = None
    for left, right in mapping.items():
        if left in SETTINGS and left not in columns:
            continue
        name, column = _directed(left, right, columns)
        if name == "deleted":
            gone = () if column == KEEP and KEEP not in columns else (column,)
            faults += _absent(name, column, columns) if gone else []
            continue
        if name not in FIELDS:
            faults.append(Fault(field="map", message=f"{left}={right}: neither side is one of {', '.join(FIELDS)}"))
            continue
        scaled = _SCALED.match(column)
        if scaled and column not in columns and name in {"score", "confidence"}:
            column, scales[name] = scaled[1], float(scaled[2])
        faults += _absent(name, column, columns)
        fields[name] = column
    detected = _detect(fields, columns)
    if "content" not in fields and not faults:
        found = ", ".join(columns) or "none"
        faults.append(
            Fault(field="map", message=f"no column is known to hold the content; say which, as in NAME=content (columns: {found})")
        )
    if faults:
        raise InvalidRequest.of(faults, subject="mapping")
    where = mapping.get("where", "").partition(":")
    if gone is None:
        gone = tuple(column for column in columns if column not in {*fields.values(), where[0]} and _tells_deleted(column))
    return Columns(fields, scales, (where[0], where[2]) if where[0] else None, gone), detected


def _tells_deleted(column: str) -> bool:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column)
    return any(pattern.fullmatch(_folded(name)) is not None for pattern in (_GONE, _STATE))


def _directed(left: str, right: str, columns: Sequence[str]) -> tuple[str, str]:
    if right in FIELDS and (left not in FIELDS or left in columns):
        return right, left
    return left, right


def _absent(name: str, column: str, columns: Sequence[str]) -> list[Fault]:
    places = _PLACE.findall(column) if name == "content" else []
    wanted = places or [column]
    roots = {known.partition(".")[0] for known in columns} | set(columns)
    return [
        Fault(field="map", message=f"there is no column {each!r} (columns: {', '.join(columns)})")
        for each in wanted
        if each not in roots and each.partition(".")[0] not in roots
    ]


def _detect(fields: dict[str, str], columns: Sequence[str]) -> list[str]:
    """Fill in the fields whose column has a known name."""
    by_name = {_folded(column): column for column in reversed(columns)}
    taken = set(fields.values()) | set(_PLACE.findall(fields.get("content", "")))
    detected = []
    for name, names in _KNOWN.items():
        column = next((by_name[known] for known in names if known in by_name and by_name[known] not in taken), None)
        if name not in fields and column is not None:
            fields[name] = column
            taken.add(column)
            detected.append(name)
    key = next((by_name[known] for known in _KEYS if known in by_name), None)
    value = next((by_name[known] for known in _VALUES if known in by_name), None)
    if "content" not in fields and key and value:
        fields["content"] = f"{{{key}}}: {{{value}}}"
        detected.append("content")
        if "id" not in fields:
            fields["id"] = key
            detected.append("id")
    return detected


def _folded(column: str) -> str:
    return unicodedata.normalize("NFKC", column).strip().lower().replace(" ", "_").replace("-", "_")
