"""Default retention (RET-2): which class a memory belongs to, and the score and half-life that follow.

It owns the tables; it must not know how strength decays or what is archived.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from satchel.engine.recall.constraints import binds, tells_danger
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

_IDENTITY = re.compile(
    r"(?:姓名|名字|本名|全名)(?:是|为|叫|：|:)|(?:生日|出生日期|出生年月|血型|国籍|國籍|母语|母語)(?:是|为|為|：|:|在)|出生于|出生於|生于"
    r"|(?:用户|用戶|我|他|她)(?:的名字)?(?:叫|姓)"
    r"|\b(?:name|birthday|blood type|nationality|native language|mother tongue|date of birth)\s*(?:is|:)|\bname's\b"
    r"|\bwas born\b|\bborn (?:on|in)\b|\b(?:is|am|'m) (?:named|called)\b|\bgoes by\b|^(?:please )?call me [A-Z]",
    re.IGNORECASE,
)
_SELF = re.compile(r"^(?:I am|I'm|[Tt]he user is|[Uu]ser is|This is) [A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}[.!]?$")
_SELF_ZH = re.compile(
    "^(?:我|用户|用戶)是[王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘蒋蔡余杜叶葉程苏蘇魏吕丁任沈姚卢盧"
    "姜崔钟谭陆汪范廖贾夏韦付邹孟熊秦邱江尹薛闫段雷侯龙陶黎贺顾毛郝龚邵万钱严][一-鿿]{1,2}(?<![生人者员員师師工手家迷民])[。！]?$"
)


def is_lasting(content: str) -> bool:
    """Tell whether a profile states a danger (an allergy, an illness) or an identity; a danger that is denied is neither."""
    return tells_danger("profile", content) or any(said.search(content) for said in (_IDENTITY, _SELF, _SELF_ZH))


def default_class(record_type: str, content: str) -> RetentionClass:
    """Return the class of a memory that names none."""
    kind = core_type(record_type)
    is_permanent = is_lasting(content) if kind == "profile" else tells_danger(kind, content)
    name = "permanent" if is_permanent else CLASS_OF_TYPE[kind]
    return CLASSES[name]


def default_half_life(settings: Settings, record_type: str, content: str, found: RetentionClass, origin: Origin) -> float:
    """Return the half-life in seconds: by the settings' own table, then the preset's table per type, then the class.

    What is permanent, or must be obeyed, stays so whatever the tables say.
    """
    if found.name == "permanent" or binds(record_type, content):
        return CLASSES["permanent"].half_life(origin)
    kind = core_type(record_type)
    own = settings.half_life_by_type
    preset = _HALF_LIFE_OF_TYPE[settings.retention_preset]
    for table, key in ((own, record_type), (own, kind), (preset, kind)):
        if key in table:
            return table[key]
    return found.half_life(origin)
