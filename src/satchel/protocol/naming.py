"""The names that callers write under: one rule for every door. It must not know who bears a name or what it may do."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

from satchel.protocol.record import Label
from satchel.protocol.validation import validated

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _one_line(value: str) -> str:
    if _CONTROL.search(value):
        raise PydanticCustomError("character", "may not hold line breaks or other control characters")
    return value


AgentName = Annotated[Label, AfterValidator(_one_line)]
"""A pydantic field: the name of an agent, on one line."""


class _Named(BaseModel):
    model_config = ConfigDict(strict=True)

    agent: AgentName | None


def agent_name(given: Any) -> str | None:
    """Return the name as given. Raises InvalidRequest (field `agent`) where no record could be written under it."""
    return None if given is None else validated(_Named, {"agent": given}, subject="agent").agent
