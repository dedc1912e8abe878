"""Consolidation by a model: its answer is checked as a stranger's, and a bad one leaves one note and changes nothing (RET-6).

It must not know which model, or what happens to a good answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from satchel.engine.core import Core
from satchel.engine.settings import Settings
from satchel.engine.text.screening import screen
from satchel.ports import Batch, Consolidator, Document
from satchel.protocol.record import MemoryRecord, new_id

if TYPE_CHECKING:
    from satchel.engine.retention.passing import ScopePass

FAILURES = "failures"
"""Documents about what a model got wrong: when, what for, and why; no content."""

_VALUE = re.compile(r"\d+(?:[.,:/-]\d+)*")


class BadAnswer(Exception):
    """A model's answer that cannot be used; the message quotes nothing of it."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    content: str
    sources: list[str]


def rewritten(model: Consolidator, originals: Sequence[MemoryRecord], settings: Settings) -> str:
    """Return a model's text for these records.

    Raises:
        BadAnswer: it failed, its answer has not the shape asked for, leaves a record or a value out, or is too long.
    """
    try:
        given: Any = model.consolidate(originals)
    except Exception as error:  # noqa: BLE001 - a model may fail in any way
        raise BadAnswer(f"the model failed ({type(error).__name__})") from None
    try:
        answer = _Answer.model_validate(given)
    except ValidationError as error:
        members = ", ".join(sorted({str(fault["loc"][0]) for fault in error.errors() if fault["loc"]})) or "the whole"
        raise BadAnswer(f"the model's answer has not the shape that was asked for ({members})") from None
    _check(answer, originals, settings)
    return answer.content.strip()


def _check(answer: _Answer, originals: Sequence[MemoryRecord], settings: Settings) -> None:
    if not answer.content.strip() or "\x00" in answer.content:
        raise BadAnswer("the model's text is empty or holds what no text may hold")
    longest = max(settings.consolidate_max_chars, sum(len(record.content) for record in originals))
    if len(answer.content) > 2 * longest:
        raise BadAnswer("the model's text is much longer than what it was made of")
    if set(answer.sources) != {record.id for record in originals}:
        raise BadAnswer("the model does not account for the memories it was given")
    values = {value for record in originals for value in _VALUE.findall(record.content)}
    lost = values - set(_VALUE.findall(answer.content))
    if lost:
        raise BadAnswer(f"the model's text lacks {len(lost)} of the numbers that were given")
    if settings.screen_secrets and screen(answer.content):
        raise BadAnswer("the model's text holds a credential")


def fail(work: ScopePass, names: Sequence[str], reason: str) -> None:
    """Note a failure: in the answer, and in the store, where `doctor` finds it."""
    work.failures.append(f"{work.scope}: {len(names)} memories were not put together: {reason}")
    if not work.dry_run:
        value = {"at": work.now.isoformat(), "operation": "consolidate", "reason": reason, "ids": list(names)}
        work.core.store.apply(Batch(documents=[Document(FAILURES, f"{work.scope}\n{new_id()}", value, work.scope)]))


def count_failures(core: Core) -> int:
    """Return how many failures are noted."""
    return len(core.store.documents(FAILURES))
