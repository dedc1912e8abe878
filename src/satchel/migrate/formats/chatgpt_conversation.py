"""What one conversation of a ChatGPT export holds that is memory: saved memories, the memory list, custom instructions.

It knows the export's schema, and only the branch the user stayed on; it must not know files or other conversations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from satchel.migrate.times import UNTIMED, Moment, read_time
from satchel.protocol.times import format_instant

What = Literal["saved", "forget", "list", "about_user", "about_model"]

_MARK = re.compile("\ue200[^\ue200\ue201]*\ue201")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_FENCE = re.compile(r"```(?:\w*\n)?(.*?)```", re.DOTALL)
_BOILERPLATE = re.compile(
    r"^The user provided the (?:following information about themselves|additional info about how they would like you to respond)"
    r".*?(?:\n|:|\.{3})\s*",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"^\s*(?:please\s+)?(?:forget\b\s*(?:that\b|about\b)?|(?:请)?(?:忘记|忘掉|不要再记)(?:关于)?)[\s:：,，]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One memory found. `text` is clean; `altered` says what was taken out of it; `barred` why it may not be taken.

    `created` is its message's own time. `around` orders it among others: where the message has none, when its conversation began.
    """

    what: What
    text: str
    message: str
    conversation: str
    created: Moment
    around: Moment
    meta: dict[str, Any]
    altered: str | None = None
    barred: str | None = None


def findings_of(conversation: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what the current branch of a conversation holds, oldest first."""
    identity = str(conversation.get("conversation_id") or conversation.get("id") or "")
    barred = "the conversation is marked as not to be remembered" if conversation.get("is_do_not_remember") else None
    started = read_time(conversation.get("create_time"), zone=None)
    meta = {"conversation_id": identity, "conversation_title": conversation.get("title"), "gizmo_id": conversation.get("gizmo_id")}
    meta = {key: value for key, value in meta.items() if value}
    for message in _current_branch(conversation):
        created = read_time(message.get("create_time"), zone=None)
        for what, raw in _memories(message):
            text = _clean(raw)
            altered = "content: citation marks of the export removed" if text != raw.strip() else None
            around = started if created is UNTIMED else created
            told = dict(meta)
            if around is not created and around.instant is not None:
                told["conversation_started_at"] = format_instant(around.instant)
            yield Finding(what, text, str(message.get("id") or ""), identity, created, around, told, altered, barred)


def _current_branch(conversation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Walk from the current node to the root: siblings are edits that the user abandoned."""
    mapping = conversation.get("mapping")
    if not isinstance(mapping, dict):
        return []
    at, seen, found = conversation.get("current_node"), set(), []
    if at not in mapping:
        # Without a current node, only a conversation that never branched has one reading.
        leaves = [key for key, node in mapping.items() if isinstance(node, dict) and not node.get("children")]
        at = leaves[0] if len(leaves) == 1 else None
    while isinstance(at, str) and at in mapping and at not in seen:
        seen.add(at)
        node = mapping[at]
        if not isinstance(node, dict):
            break
        message = node.get("message")
        if isinstance(message, dict):
            found.append({"id": at, **message})
        at = node.get("parent")
    return found[::-1]


def _memories(message: Mapping[str, Any]) -> Iterator[tuple[What, str]]:
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else None
    content = message.get("content")
    content = content if isinstance(content, dict) else {}
    kind = content.get("content_type")
    if kind == "model_editable_context":
        yield from (("list", text) for text in [content.get("model_set_context")] if isinstance(text, str) and text.strip())
    elif kind == "user_editable_context":
        yield from _instructions(message, content)
    elif role == "assistant" and message.get("recipient") == "bio":
        text = _spoken(content)
        yield "forget" if _FORGET.match(text) else "saved", text


def _spoken(content: Mapping[str, Any]) -> str:
    if isinstance(content.get("text"), str):
        return str(content["text"])
    parts = content.get("parts")
    return "\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""


def _instructions(message: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[tuple[What, str]]:
    """Prefer the clean copy in the metadata to the one wrapped in boilerplate and fences."""
    metadata = message.get("metadata")
    clean = metadata.get("user_context_message_data") if isinstance(metadata, dict) else None
    clean = clean if isinstance(clean, dict) else {}
    names: tuple[tuple[What, str, str], ...] = (
        ("about_user", "about_user_message", "user_profile"),
        ("about_model", "about_model_message", "user_instructions"),
    )
    for what, clean_name, wrapped_name in names:
        text = clean.get(clean_name)
        if not isinstance(text, str) or not text.strip():
            wrapped = content.get(wrapped_name)
            text = _unwrapped(wrapped) if isinstance(wrapped, str) else ""
        if text.strip():
            yield what, text


def _unwrapped(text: str) -> str:
    fenced = _FENCE.search(text)
    return (fenced[1] if fenced else _BOILERPLATE.sub("", text.strip())).strip()


def _clean(text: str) -> str:
    return _PRIVATE.sub("", _MARK.sub("", text)).strip()


def forgotten_text(text: str) -> str:
    """Return what a request to forget is about, for comparing."""
    return comparable(_FORGET.sub("", text, count=1))


def comparable(text: str) -> str:
    """Fold a memory's text for comparing: case, white space and final stops do not matter, nor does a leading article."""
    return re.sub(r"\s+", " ", text).strip().rstrip(".。!！").casefold().removeprefix("the ")


def list_entries(text: str) -> list[tuple[str | None, str]]:
    """Split the memory list `1. [2026-09-21]. text` into (date or None, text); without numbers, a line is an entry."""
    found: list[tuple[str | None, str]] = []
    for line in text.split("\n"):
        match = re.match(r"\s*\d{1,5}[.)]\s*(?:\[([^\]]{4,30})\]\.?\s*)?(.*)", line)
        if match:
            found.append((match[1], match[2].strip()))
        elif found and line.strip() and re.match(r"\s*\d{1,5}[.)]", text):
            date, before = found[-1]
            found[-1] = date, f"{before}\n{line.strip()}"
        elif line.strip():
            found.append((None, line.strip()))
    return [(date, entry) for date, entry in found if entry]
