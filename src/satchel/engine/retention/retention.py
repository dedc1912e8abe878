"""Default retention (RET-2): which class a memory belongs to, and the score and half-life that follow.

It owns the tables; it must not know how strength decays or what is archived.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from satchel.engine.settings import Settings
from satchel.protocol.record import Origin, core_type

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class RetentionClass:
    """A range of scores and a range of half-lives (seconds): the stated end is the high one of both."""

    name: str
    lowest: float
    highest: float
    shortest: float
    longest: float

    def score(self, origin: Origin) -> float:
        """Return the default score: high in the range for what was stated, low for what was inferred."""
        return round(self.lowest + _PLACE[origin] * (self.highest - self.lowest), 6)

    def half_life(self, origin: Origin) -> float:
        """Return the default half-life in seconds."""
        return round(self.shortest + _PLACE_IN_TIME[origin] * (self.longest - self.shortest), 6)


_PLACE = {Origin.STATED: 0.75, Origin.IMPORTED: 0.5, Origin.INFERRED: 0.25}
_PLACE_IN_TIME = {Origin.STATED: 1.0, Origin.IMPORTED: 0.5, Origin.INFERRED: 0.0}

CLASSES = {
    found.name: found
    for found in (
        RetentionClass("permanent", 0.95, 1.0, 365 * _DAY, 365 * _DAY),
        RetentionClass("core", 0.80, 0.90, 30 * _DAY, 30 * _DAY),
        RetentionClass("factual", 0.60, 0.80, 60 * _DAY, 60 * _DAY),
        RetentionClass("procedural", 0.40, 0.60, 7 * _DAY, 7 * _DAY),
        RetentionClass("ephemeral", 0.10, 0.40, 1 * _DAY, 3 * _DAY),
    )
}
"""The five classes by name."""

CLASS_OF_TYPE = {
    "profile": "core",
    "preference": "core",
    "fact": "factual",
    "skill": "factual",
    "task": "procedural",
    "interaction": "ephemeral",
}

_HALF_LIFE_OF_TYPE = {
    "classes": {},
    "types": {"profile": 30 * _DAY, "task": 15 * _DAY, "preference": 14 * _DAY, "fact": 7 * _DAY},
}

_LASTING = re.compile(
    r"过敏|過敏|不耐受|乳糜泻"
    r"|(?:姓名|名字|本名|全名)(?:是|为|叫|：|:)|(?:生日|出生日期|出生年月|血型|国籍|國籍|母语|母語)(?:是|为|為|：|:|在)|出生于|出生於|生于|(?:用户|我|他|她)(?:的名字)?(?:叫|姓)"
    r"|\ballerg(?:y|ies|ic)\b|\banaphyla|\bintoleran(?:t|ce)\b|\bc(?:o)?eliac\b"
    r"|\b(?:name|birthday|blood type|nationality|native language|mother tongue|date of birth)\s*(?:is|:)|\bwas born\b|\bborn (?:on|in)\b"
    r"|\b(?:is named|goes by)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:不|没有?|沒有?|无|無|未)(?:任何|已知|食物|药物|藥物|再|曾|会|會|对\S{0,8}?|對\S{0,8}?){0,2}(?:过敏|過敏)"
    r"|\b(?:no|not|isn't|never|without|no longer)\b(?:\s+\w+){0,3}\s+(?:allerg\w*|intoleran\w*)",
    re.IGNORECASE,
)


def is_lasting(content: str) -> bool:
    """Tell whether a profile states an allergy or an identity; a denied allergy is neither."""
    return bool(_LASTING.search(_DENIED.sub("", content)))


def default_class(record_type: str, content: str) -> RetentionClass:
    """Return the class of a memory that names none."""
    kind = core_type(record_type)
    name = "permanent" if kind == "profile" and is_lasting(content) else CLASS_OF_TYPE[kind]
    return CLASSES[name]


def default_half_life(settings: Settings, record_type: str, found: RetentionClass, origin: Origin) -> float:
    """Return the half-life in seconds: by the settings' own table, then the preset's table per type, then the class.

    What is permanent stays so whatever the tables say.
    """
    if found.name == "permanent":
        return found.half_life(origin)
    kind = core_type(record_type)
    own = settings.half_life_by_type
    preset = _HALF_LIFE_OF_TYPE[settings.retention_preset]
    for table, key in ((own, record_type), (own, kind), (preset, kind)):
        if key in table:
            return table[key]
    return found.half_life(origin)
