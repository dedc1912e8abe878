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
    half_life_by_type: dict[str, Annotated[float, Field(gt=0.0, allow_inf_nan=False)]] = Field(default_factory=dict)
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
    refresh_on: Literal["returned", "used"] = "returned"
    """What counts as a use of a memory: that recall returned it, or that a session reported that it used it."""

    answer_cache_seconds: Annotated[float, Field(ge=0)] = 5.0
    index_cache_bytes: Annotated[int, Field(ge=0)] = 512 * 1_048_576

    # writing
    max_content_bytes: Annotated[int, Field(ge=1, le=1_048_576)] = 1_048_576
    screen_secrets: bool = True
    embed_inline: Annotated[int, Field(ge=0)] = 256
    """Records of one import that are embedded before it returns; more are left to `reindex`."""

    compare: bool = True
    """Whether a memory that is remembered is compared with those it may repeat, replace or contradict."""

    compare_max_chars: Annotated[int, Field(ge=0, le=400)] = 400
    """Characters of a memory beyond which it is not compared."""

    review_after: Annotated[int, Field(ge=1)] = 5
    """Uses of a memory from which on it is put up for review when it turns out wrong."""

    # the life of a memory
    on_expiry: Literal["leave_out", "demote"] = "leave_out"
    """What a ttl that is past does: the record is left out of recall and archived by maintenance, or its score and strength count half."""

    archive_share: _Unit = 0.02
    archive_floor: _Unit = 0.01
    archive_unused_seconds: Annotated[float, Field(ge=0)] = 2_592_000.0
    purge_after_seconds: Annotated[float, Field(gt=0)] | None = None
    """Age of an archived record, counted from its last change, at which it is erased. None: never."""

    size: Literal["default", "small"] = "default"
    """Preset of `ceiling`: 10,000, or 2,000 in `small`."""

    ceiling: Annotated[int, Field(ge=1)] | None = None
    """Active records of a scope; the weakest and longest unused beyond it are archived. None: the preset's."""

    neighbours: Annotated[int, Field(ge=0, le=50)] = 3
    """Records close in topic to one that is used that are refreshed a little too; 0: none."""

    neighbour_share: _Unit = 0.2
    """How much of the way to the present their last use moves."""

    consolidate: bool = True
    consolidate_at: Annotated[int, Field(ge=2)] = 8
    """Records of one topic that are merged into one at once."""

    consolidate_least: Annotated[int, Field(ge=2)] = 3
    """Records of one topic that are merged into one once in `consolidate_every_seconds`."""

    consolidate_every_seconds: Annotated[float, Field(gt=0)] = 604_800.0
    consolidate_max_chars: Annotated[int, Field(ge=200)] = 2_000

    # working memory
    recent_events: Annotated[int, Field(ge=1, le=1000)] = 20
    """Turns of a session that are kept at hand."""

    session_idle_seconds: Annotated[float, Field(gt=0)] = 604_800.0
    """A session that nobody saved for this long is condensed and let go."""

    session_archive_seconds: Annotated[float, Field(gt=0)] = 2_592_000.0
    """How long the snapshot of a session that is over is kept."""

    promote_after: Annotated[int, Field(ge=0)] = 2
    """Mentions after which a slot's value, or what a turn says, becomes a long-term memory by itself. 0: never."""

    due_within_seconds: Annotated[float, Field(ge=0)] = 259_200.0
    """How far ahead of its time something due comes with the start of a session."""

    # looking back
    automatic_snapshots: Annotated[int, Field(ge=1, le=1000)] = 50
    """Snapshots made before large changes that a scope keeps; the oldest beyond them go."""

    recall_log_seconds: Annotated[float, Field(ge=0)] = 7_776_000.0
    """Age at which entries leave the recall log."""

    recall_log_batches: Annotated[int, Field(ge=1)] = 2_000
    """Batches of entries, about one a second of use, that a scope's recall log keeps."""

    # forgetting
    plan_seconds: Annotated[float, Field(gt=0)] = 3600.0

    @property
    def most_active(self) -> int:
        """Return the ceiling in force: the one set, or the preset's."""
        return self.ceiling or (2_000 if self.size == "small" else 10_000)
