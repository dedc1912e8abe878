"""A conflict put as a question, in the language of its memories (CNF-3). It must not know how a conflict comes about or is settled."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.engine.recall.prompting import language_of, quoted
from satchel.protocol.record import MemoryRecord


def question_about(records: Sequence[MemoryRecord], *, used: int | None = None) -> str:
    """Return the question which of these memories holds, the oldest first; `used`: how often the first was used before it was put away."""
    is_chinese = language_of(records) == "zh"
    told = [f"“{quoted(record.content)}”" for record in records]
    if used is not None:
        return _review(told, used, is_chinese)
    if len(told) == 1:
        return f"{told[0]} 还对吗？" if is_chinese else f"Does this still hold: {told[0]}?"
    if is_chinese:
        return f"下面哪一条是对的（也可能都对）：{'；'.join(told)}？"
    return f"Which of these holds, or do all of them: {'; '.join(told)}?"


def _review(told: Sequence[str], used: int, is_chinese: bool) -> str:
    now = told[1] if len(told) > 1 else ""
    if is_chinese:
        return f"{told[0]} 用过 {used} 次，现在改成了{now or '别的'}。用到它的地方要不要复查？"
    return (
        f"{told[0]} was used {used} times before it was replaced{f' by {now}' if now else ''}. Does what was built on it need another look?"
    )
