"""What a tool is: what it takes, what it gives, and how it is listed. It must not know any one tool, nor transports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from satchel.mcp.binding import Binding
from satchel.mcp.confirming import Confirmations


class Arguments(BaseModel):
    """Base of what a tool takes; an unknown argument is a fault. Scope and agent are never arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(BaseModel):
    """Base of what a tool gives."""

    model_config = ConfigDict(frozen=True)


class Said(NamedTuple):
    """A tool's result, structured and as text."""

    answer: Answer
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is listed and run."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[Answer]
    run: Callable[[Binding, Any, Confirmations], Said]
    reads_only: bool = False
    destroys: bool = False
