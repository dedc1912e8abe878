"""What can be set about the service, with its defaults. It knows no framework and no engine."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class ServiceSettings(BaseModel):
    """Sizes are bytes, times seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_body: Annotated[int, Field(ge=1024)] = 20 * 1_048_576
    """A JSON body. An import streams and has a limit of its own."""

    max_import: Annotated[int, Field(ge=1024)] | None = None
    """A package that is imported; None, no limit but the disk of the temporary files."""

    rate: Annotated[float, Field(gt=0)] | None = None
    """Requests a second for each token (or agent, where tokens are not in use); None, no limit."""

    burst: Annotated[int, Field(ge=1)] = 50
    """Requests that may come at once before `rate` holds."""

    threads: Annotated[int, Field(ge=1)] = 32
    """Engine calls at a time. More than there are cores, for writers wait for the disk together and are committed together."""

    streams: Annotated[int, Field(ge=1)] = 32
    """Exports and imports at a time, in threads of their own, so that slow ones never hold up a call."""

    stall: Annotated[float, Field(gt=0)] = 60.0
    """How long a body or a package stream may stand still before it is given up."""

    hosts: tuple[str, ...] = ()
    """Names that the Host header may hold, without a port. Empty: the loopback names, or any name where a token is always needed."""

    origins: tuple[str, ...] = ()
    """Origins, beside the service's own, whose pages may call it, such as https://console.example.org."""

    stop_within: Annotated[int, Field(ge=1)] = 30
    """How long requests under way may take to finish once the service is told to stop."""

    maintain_every: Annotated[float, Field(ge=1)] | None = 86_400.0
    """How often a maintenance pass is made over every scope; None: never by itself."""

    embed_in_background: bool = True
    """Whether records that have no vector yet, as after a large import, get one while nobody else needs the process."""
