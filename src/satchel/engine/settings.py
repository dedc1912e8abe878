"""What can be set about the engine, with the defaults of the specification. It knows no store and no formula."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

_Unit = Annotated[float, Field(ge=0.0, le=1.0)]


class Settings(BaseModel):
    """Defaults follow RET-1 to RET-5, RCL-1 to RCL-7 and WRT-6; every one can be changed. Times are seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # retention
    retention_preset: Literal["classes", "types"] = "classes"
    half_life_by_type: dict[str, float] = Field(default_factory=dict)
    access_bonus_cap: _Unit = 0.3
    access_bonus_step: _Unit = 0.02
    decay_base: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.5
    decay_bonus: bool = True
    decay_from: Literal["last_access", "created"] = "last_access"

    # recall
    policy: str = "default"
    limit: Annotated[int, Field(ge=1, le=1000)] = 8
    candidates: Annotated[int, Field(ge=50)] = 50
    strongest: Annotated[int, Field(ge=0, le=50)] = 3
    lexical_share: _Unit = 0.3
    min_relevance: _Unit = 0.15
    """Something must reach it, or nothing is found; what stands beside it needs a third of it, unless the request names its own."""
    min_strength: _Unit = 0.15
    recency_half_life: Annotated[float, Field(gt=0)] = 2_592_000.0
    touch_on_recall: bool = True
    answer_cache_seconds: Annotated[float, Field(ge=0)] = 5.0
    index_cache_bytes: Annotated[int, Field(ge=0)] = 512 * 1_048_576

    # writing
    max_content_bytes: Annotated[int, Field(ge=1, le=1_048_576)] = 1_048_576
    screen_secrets: bool = True
    embed_inline: Annotated[int, Field(ge=0)] = 256
    """Records of one import that are embedded before it returns; more are left to `reindex`."""

    # forgetting
    plan_seconds: Annotated[float, Field(gt=0)] = 3600.0
