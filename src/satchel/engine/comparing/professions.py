"""What a statement tells somebody to be by profession: "is a software engineer", "是一名画家".

It must not know what follows where two are told of one person. A profession is known by how its word ends.
"""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.engine.comparing.statements import Statement
from satchel.engine.comparing.words import words

_TOLD = re.compile(
    r"\b(?:is|am|was|works as|became)(?: now| currently)? an? ((?:[\w'-]+ ){0,4}?[\w'-]+?)"
    r"(?=$|[.,;]| (?:who|whose|with|at|in|for|and|from|based|known|\w+ing)\b)"
)
_ENDING = re.compile(r"\w{2,}(?:er|or|ist|ician)$")
_TOLD_HAN = re.compile("(?:是|当|做)(?:一?[名位个])?(?:[^，。；是的]{1,8}的)?([^，。；是的]{2,8})[。]?$")
_ENDING_HAN = re.compile("(?:师|员|医生|教授|护士|会计|司机|警察|经理|记者|作家|画家|音乐家|科学家)$")
_NONE = words(
    """
    member lover sister brother father mother daughter user owner supporter runner reader beginner customer teenager traveler traveller
    hiker believer smoker drinker founder leader former voter winner player fighter swimmer sponsor donor neighbor minor senior junior
    volunteer optimist pessimist feminist buddhist activist tourist finalist major error number letter paper order offer career
    会员 成员 党员 队员 学员 球员 人员
    """
)


def are_two_professions(first: Statement, second: Statement) -> bool:
    """Tell whether both tell a profession, and not the same one."""
    one, other = _profession(first), _profession(second)
    return bool(one and other) and one != other


@lru_cache(maxsize=4096)
def _profession(statement: Statement) -> str:
    """Return the end of the word for what somebody is told to be; empty where no profession is told."""
    if statement.is_chinese:
        found = _TOLD_HAN.search(statement.text)
        what = found[1] if found else ""
        return what[-2:] if _ENDING_HAN.search(what) and what[-2:] not in _NONE else ""
    told = _TOLD.search(statement.text)
    last = told[1].split()[-1].lower() if told else ""
    return last if _ENDING.match(last) and last not in _NONE else ""
