"""A conflict put as a question, in the language of its memories (CNF-3). It must not know how a conflict comes about or is settled."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from satchel.engine.recall.prompting import language_of, quoted
from satchel.protocol.record import MemoryRecord


def question_about(records: Sequence[MemoryRecord], *, used: int | None = None, agreed: Collection[str] = ()) -> str:
    """Return the question which of these memories holds, the oldest first; `used`: how often the first was used before it was put away.

    `agreed`: ids of those that were said to hold together, which is not asked again.
    """
    is_chinese = language_of(records) == "zh"
    told = [f"“{quoted(record.content)}”" for record in records]
    if agreed:
        known, asked = (
            [text for text, record in zip(told, records, strict=True) if (record.id in agreed) is held] for held in (True, False)
        )
        return _beside(known, asked, is_chinese)
    if used is not None:
        return _review(told, used, is_chinese)
    if len(told) == 1:
        return f"{told[0]} 还对吗？" if is_chinese else f"Does this still hold: {told[0]}?"
    if is_chinese:
        return f"下面哪一条是对的（也可能都对）：{'；'.join(told)}？"
    return f"Which of these holds, or do all of them: {'; '.join(told)}?"


def _beside(known: Sequence[str], asked: Sequence[str], is_chinese: bool) -> str:
    if is_chinese:
        return f"这些已确认都对：{'；'.join(known)}。这条也对吗，还是取代它们：{'；'.join(asked)}？"
    return f"These were said to hold together: {'; '.join(known)}. Does this hold too, or in their place: {'; '.join(asked)}?"


def _review(told: Sequence[str], used: int, is_chinese: bool) -> str:
    now = told[1] if len(told) > 1 else ""
    if is_chinese:
        return f"{told[0]} 用过 {used} 次，现在改成了{now or '别的'}。用到它的地方要不要复查？"
    return (
        f"{told[0]} was used {used} times before it was replaced{f' by {now}' if now else ''}. Does what was built on it need another look?"
    )
