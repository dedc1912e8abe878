"""Which memories are hard constraints: what must be obeyed, whatever the question is (RCL-6).

It owns the wording, Chinese and English, that tells a prohibition or a danger; it must not know prompts or ranking. Precision before
recall: a trace of conversation that happens to say "don't" binds nobody.
"""

from __future__ import annotations

import re

from satchel.protocol.record import MemoryRecord, core_type

STANDING_TYPES = frozenset({"profile", "preference"})
_UNBINDING = frozenset({"interaction", "task"})

DANGER_WORDS = (
    "过敏 禁忌 忌口 哮喘 癫痫 心脏病 不耐 allergy allergic allergies anaphylaxis epilepsy epileptic asthma asthmatic intolerant "
    "intolerance contraindicated contraindication coeliac celiac 糖尿病 血友病 蚕豆病 苯丙酮尿症 乳糜泻 起搏器 diabetes diabetic "
    "haemophilia hemophilia phenylketonuria pacemaker"
)
"""Words by which an index finds memories of dangers to the user; `is_constraint` then decides."""

_ILLNESS_ZH = "(?:糖尿病|血友病|蚕豆病|蠶豆病|苯丙酮尿症|乳糜泻|乳糜瀉|心脏起搏器|心臟起搏器)"
_ILLNESS = r"(?:diabet(?:es|ic)|ha?emophilia(?:c)?|phenylketonuria|heart (?:disease|condition|failure)|kidney disease|pacemaker)\b"
_DANGER = re.compile(
    "过敏|過敏|禁忌|忌口|哮喘|癫痫|癲癇|心脏病|心臟病|乳糖不耐|不耐受"
    r"|\ballerg|\banaphyla|\bepilep|\basthma|\bintoleran|\bcontraindicat|\bcoeliac|\bceliac"
    # Of an illness one may speak in many ways; only who has it must be careful.
    f"|(?:有|患|得了|得过|确诊|確診|装|裝|我|他|她|用户|用戶|妈|爸|儿子|女儿).{{0,8}}{_ILLNESS_ZH}|{_ILLNESS_ZH}(?:患者|病人)"
    rf"|\b(?:ha[sd]|have|had|with|from|wears?|am|is|are|was)\b(?:\s+[\w-]+){{0,3}}\s+{_ILLNESS}|'(?:s|m|re|ve)(?:\s+[\w-]+){{0,3}}\s+{_ILLNESS}",
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
    "不(?:再|会|會|是)?(?:[对對].{1,12}?)?(?:过敏|過敏)"
    f"|(?:没有?|沒有?|无|無|未).{{0,8}}(?:过敏|過敏|禁忌|哮喘|癫痫|心脏病|{_ILLNESS_ZH})"
    "|(?:过敏|過敏).{0,6}(?:好了|痊愈|没了|消失)"
    r"|(?:\b(?:no|not|never|without|no longer)|n't)\b(?:\s+[\w-]+){0,3}\s+"
    rf"(?:allerg\w*|intoleran\w*|asthma\w*|epilep\w*|co?eliac|{_ILLNESS})"
    r"|\boutgr[eo]wn?\b.{0,20}\b(?:allerg\w*|intoleran\w*)|\b(?:allerg\w*|intoleran\w*)\b.{0,20}\b(?:outgr[eo]wn?|is gone|are gone)\b",
    re.IGNORECASE,
)

_ORDER = re.compile(
    r"(?:^|[.;!]\s+)(?:please,? )?(?:never|always|do not|don't|under no circumstances|at no time)\b"
    r"(?!\s+(?:know|think|remember|mind|sure|been|had|was|were|seen|got|heard))"
    r"|(?:^|[。；！])(?:请|請|以后|以後|今后|今後)?(?:永远|永遠|始终|始終|总是|總是|一律|务必|務必|必须|必須|一定要|不要|不得|不许|不許|不准|禁止|严禁|嚴禁|切勿|请勿"
    "|請勿|绝不|絕不|千万别|千萬別|千万不要|千萬不要|别再|別再"
    f"|{_BIE}(?!担心|擔心|急|客气|客氣|忘|提了|说了|說了))|一律",
    re.IGNORECASE,
)
"""A standing order: what is always or never to be done, said as an order, whatever type it was given."""


_SOMEBODYS = re.compile(
    "[对對].{1,12}(?:过敏|過敏)|(?:我|我们|他|她|用户|用戶|妈|爸|儿子|女儿|孩子|老婆|老公|妻子|丈夫|客人|同事).{0,12}"
    f"(?:过敏|過敏|禁忌|忌口|哮喘|癫痫|癲癇|心脏病|心臟病|不耐|{_ILLNESS_ZH})|{_ILLNESS_ZH}(?:患者|病人)|过敏(?:史|原)[:：]|过敏者"
    r"|\b(?:allergic|intolerant|asthmatic|epileptic|anaphylactic|diabetic|ha?emophiliac)\b"
    r"|\b(?:ha[sd]|have|having|with|from|my|his|her|their|\w+'s)\b(?:\s+[\w-]+){0,4}\s+"
    rf"(?:allerg(?:y|ies)|anaphylaxis|epilepsy|asthma|intolerances?|contraindications?|co?eliac|{_ILLNESS})|^allerg(?:y|ies)(?: to\b|:)",
    re.IGNORECASE,
)
"""A danger that is somebody's: a fact of the world ("the report is about allergies") is none."""


def tells_danger(record_type: str, content: str) -> bool:
    """Tell whether a memory says that something is dangerous to somebody: an allergy, an illness; one that is denied is none.

    What says of whom it tells by its type, a profile or a preference, need not say it in its words.
    """
    kind, left = core_type(record_type), _DENIED.sub(" ", content)
    if kind in _UNBINDING or not _DANGER.search(left):
        return False
    return kind in STANDING_TYPES or _SOMEBODYS.search(left) is not None


def binds(record_type: str, content: str) -> bool:
    """Tell whether what a memory says must be obeyed: a danger, a standing order, or a prohibition that is a preference or a trait.

    Neither time nor a question may take it out of answers. A trace of conversation binds nobody, and a task has its own rules.
    """
    kind = core_type(record_type)
    if kind in _UNBINDING:
        return False
    told = _SOFT.sub(" ", _DENIED.sub(" ", content))
    if tells_danger(record_type, content) or _ORDER.search(told):
        return True
    return kind in STANDING_TYPES and _PROHIBITION.search(told) is not None


def must_not_wait(record: MemoryRecord) -> bool:
    """Tell whether a record must be obeyed even while it is asked whether it holds.

    What takes a danger away can wait for the answer.
    """
    return binds(record.type, record.content) or (is_constraint(record) and not _DENIED.search(record.content))


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
    if kind not in _UNBINDING and _DANGER.search(record.content):
        return True
    return (standing or lasting) and _PROHIBITION.search(_SOFT.sub(" ", record.content)) is not None
