"""Which memories are hard constraints: what must be obeyed, whatever the question is (RCL-6).

It owns the wording, Chinese and English, that tells a prohibition or a danger; it must not know prompts or ranking. Precision before
recall: a trace of conversation that happens to say "don't" binds nobody.
"""

from __future__ import annotations

import re

from satchel.protocol.record import MemoryRecord, core_type

STANDING_TYPES = frozenset({"profile", "preference"})

DANGER_WORDS = (
    "过敏 禁忌 忌口 哮喘 癫痫 心脏病 不耐 allergy allergic allergies anaphylaxis epilepsy epileptic asthma asthmatic intolerant "
    "intolerance contraindicated contraindication coeliac celiac"
)
"""Words by which an index finds memories of dangers to the user; `is_constraint` then decides."""

_DANGER = re.compile(
    "过敏|過敏|禁忌|忌口|哮喘|癫痫|癲癇|心脏病|心臟病|乳糖不耐|不耐受"
    r"|\ballerg|\banaphyla|\bepilep|\basthma|\bintoleran|\bcontraindicat|\bcoeliac|\bceliac",
    re.IGNORECASE,
)
_BIE = "(?<![特区區分级級性个個类類差识識告辨派鉴鑑辞辭])[别別](?![人的墅针針名称稱处處致样樣])"
_PROHIBITION = re.compile(
    "不要|不得|不许|不許|不准|不可以|不能|不吃|不喝|禁止|严禁|嚴禁|切勿|请勿|請勿|勿|绝不|絕不|必须|必須|务必|務必|一定要|"
    + _BIE
    + r"|\b(?:never|must|mustn't|forbid|forbids|forbidden|prohibit\w*|refuses?|cannot|not allowed|off[- ]limits)\b"
    r"|\b(?:do|does|may|can|should|shall)(?: ?not|n't)\b"
    r"|\bunless (?:asked|told)\b|\bwithout (?:asking|permission|approval)\b",
    re.IGNORECASE,
)
_SOFT = re.compile(r"\b(?:do|does)(?: ?not|n't) (?:like|enjoy|mind|care|know|have)\b|不要紧|不要緊|不得了|不得不|不能不", re.IGNORECASE)


_AT_STAKE = re.compile(
    "[吃喝餐饭飯菜食饮飲药藥]|外卖|外賣|零嘴|零食|甜点|甜點|早点|早點|点心|點心|医院|醫院|看病|治疗|治療|手术|手術|疫苗|处方|處方"
    r"|\b(?:restaurants?|eat(?:s|ing)?|ate|meals?|lunch|dinner|breakfast|brunch|supper|snacks?|recipes?|cook(?:s|ing)?|bak(?:e|es|ing)"
    r"|menus?|foods?|dish(?:es)?|desserts?|drinks?|cater(?:ing)?|groceries|medicines?|medications?|drugs?|prescri\w+|antibiotics?"
    r"|vaccin\w+|surger(?:y|ies)|doctors?|hospitals?)\b",
    re.IGNORECASE,
)


def at_stake(question: str) -> bool:
    """Tell whether a question is about food or medicine, where a danger to the user matters though no word of it is asked for."""
    return _AT_STAKE.search(question) is not None


_DENIED = re.compile(
    "不(?:再|会|會|是)?(?:对.{1,12}?)?(?:过敏|過敏)|(?:没有|沒有|无|無).{0,8}(?:过敏|過敏|禁忌|哮喘|癫痫|心脏病)"
    "|(?:过敏|過敏).{0,6}(?:好了|痊愈|没了|消失)"
    r"|\b(?:not|n't|never|no longer)\b.{0,12}\b(?:allergic|intolerant|asthmatic|epileptic|co?eliac)"
    r"|n't.{0,12}\b(?:allergic|intolerant)|\bno (?:\w+ )?(?:allerg|intoleran)|\boutgr[eo]w",
    re.IGNORECASE,
)


def must_not_wait(record: MemoryRecord) -> bool:
    """Tell whether a record is a constraint that must be obeyed even while it is asked whether it holds.

    What takes a danger away can wait for the answer.
    """
    return is_constraint(record) and not _DENIED.search(record.content)


def is_danger(record: MemoryRecord) -> bool:
    """Tell whether a record says, lastingly, that something is dangerous to the user: an allergy and the like."""
    standing = core_type(record.type) in STANDING_TYPES
    lasting = record.pinned or record.retention == "permanent"
    return (standing or lasting) and _DANGER.search(record.content) is not None


def is_constraint(record: MemoryRecord) -> bool:
    """Tell whether a record must be obeyed.

    A danger to the user (allergy and the like) in anything but a trace or a task; what is kept for ever (`permanent`) or pinned, where
    it is a preference or says who the user is; a prohibition or a duty stated there, or in anything pinned.
    """
    kind = core_type(record.type)
    standing = kind in STANDING_TYPES
    lasting = record.pinned or record.retention == "permanent"
    if standing and lasting:
        return True
    if kind not in {"interaction", "task"} and _DANGER.search(record.content):
        return True
    return (standing or lasting) and _PROHIBITION.search(_SOFT.sub(" ", record.content)) is not None
