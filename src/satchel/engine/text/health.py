"""What the user and the people of theirs must not come near, live with, take and fear: health, in Chinese and English, and denials of it.

Losing one may hurt somebody, so that the one it is said of may be a mere "she". It must not know what becomes of it.
"""

from __future__ import annotations

import re

from satchel.engine.text.kin import KIN, MINE_EN, NAMED_EN, NAMED_ZH, OF_MINE_ZH
from satchel.engine.text.sentences import leans

_ILLNESS = (
    r"(?:糖尿病|高血压|低血糖|哮喘|心脏病|癫痫|胃病|胃炎|鼻炎|痛风|贫血|抑郁症|焦虑症"
    r"|失眠症|关节炎|偏头痛|甲亢|甲减|乳糖不耐受?|夜盲症?|色盲|色弱|多动症|自闭症|孤独症|阅读障碍|双相障碍?|躁郁症|强迫症|抑郁|焦虑|癌症?|白血病|红斑狼疮|类风湿|腰椎?间盘突出|颈椎病|肾病|乙肝|脂肪肝"
    r"|高血脂|荨麻疹|湿疹|青光眼|白内障|听力障碍|视力障碍|残疾|幽闭恐惧症|恐高症|蚕豆病|帕金森|痴呆症?|中风|花粉症|冠心病|ADHD)"
)
_ILLNESS_EN = (
    r"(?:diabetes|asthma|hypertension|high blood pressure|epilepsy|migraines?|arthritis|celiac(?: disease)?"
    r"|coeliac(?: disease)?"
    r"|ibs|adhd|dyslexia"
    r"|insomnia|anemia|gout|a heart condition|heart disease|autism|depression|(?:an )?anxiety(?: disorder)?|ptsd|ocd"
    r"|bipolar(?: disorder)?|(?:\w+ )?cancer|lupus|multiple sclerosis|crohn'?s(?: disease)?|parkinson'?s|dementia|glaucoma"
    r"|tinnitus|vertigo|sleep apn(?:o)?ea|eczema|psoriasis|a pacemaker|hay fever|claustrophobia|a phobia"
    r"|high cholesterol|kidney disease|chronic (?:pain|fatigue)|hearing loss|a (?:stutter|disability|prosthetic \w+"
    r"|guide dog)|a bad (?:knee|back|hip)|a nut allergy)"
)
_WHO_ZH = rf"(?:我|{OF_MINE_ZH}|{KIN}|{NAMED_ZH}|[他她])"
_WHO_EN = rf"(?:I|we|he|she|{MINE_EN}|{NAMED_EN}|my [\w' -]{{2,30}}?)"
_IS_EN = r"(?:'m|'s|'re| is| am| are)(?:n't)?(?: (?:not|no longer|also|very|severely|highly|deathly|badly|really|mildly|type \d|a))*"
_HAS_EN = r"(?: have|'ve got| has| (?:do|does)(?:n't| not) have| suffers? from| (?:was|were) diagnosed with)"
_MEDICINE_EN = (
    r"(?:insulin|medication|medicine|meds|pills|tablets|eye drops|injections|warfarin|aspirin|ibuprofen|metformin|statins"
    r"|antidepressants"
    r"|blood thinners|beta blockers|steroids|iron|vitamins?(?: \w)?|an inhaler|levothyroxine|\w+(?:pril|sartan|statin|olol|azole"
    r"|cillin|oxetine))"
)
_ALLERGIC = re.compile(
    rf"(?:我[^，,说讲问]{{0,10}}?|{_WHO_ZH}[^，,说讲问]{{0,6}}?)(?:[对對].{{1,16}}[过過]敏|有.{{1,12}}[过過]敏史?)"
    rf"|{_WHO_ZH}(?:花生|坚果|牛奶|鸡蛋|海鲜|虾|青霉素|花粉|尘螨|芒果|酒精)[过過]敏"
    rf"|{_WHO_EN}{_IS_EN} allergic to (?!work|mornings?|mondays?|nonsense)\w+"
    rf"|{_WHO_EN}{_HAS_EN} (?:an? )?(?:\w+ ){{1,3}}(?:allergy|allergies|intolerance)",
    re.IGNORECASE,
)
_ILL = re.compile(
    rf"(?:我|{OF_MINE_ZH}|{NAMED_ZH}).{{0,6}}?(?:有|患有?|得了|得过|确诊了?|是){{0,1}}.{{0,4}}?{_ILLNESS}(?:患者)?$"
    rf"|(?:我|{OF_MINE_ZH}|{NAMED_ZH})(?:有点|一直|也|很|特别|从小)*(?:不|没有?)?(?:恐高|怕高|恐飞|怕(?:狗|猫|黑|水|打针|蛇|虫子?|小丑|坐飞机)"
    r"|晕(?:车|船|机|血)|坐轮椅|戴助听器|(?:[左右双][耳眼])?失聪|失明|听不见|色盲|在备孕)$"
    rf"|(?:我|{OF_MINE_ZH}|{NAMED_ZH})(?:现在|已经)?(?:没有?)?怀孕(?:[\d一二两三四五六七八九十]+个?多?[月周])?了?$"
    rf"|(?:我|{OF_MINE_ZH}|{NAMED_ZH})(?:每[天日周晚早]|长期|一直在?|早晚)(?:都|要|得|需要|要?在|早晚)*(?:打|吃|服用?|注射)[^，,你]{{0,8}}?(?:胰岛素|药|药片|针|华法林"
    rf"|二甲双胍|阿司匹林)$"
    rf"|{_WHO_EN}{_HAS_EN}(?: (?:type \d|chronic|severe|mild|bad))* {_ILLNESS_EN}\b.*"
    rf"|{_WHO_EN}{_IS_EN} (?:diabetic|asthmatic|(?:lactose|gluten)[ -]intolerant|colou?r-?blind|celiac|coeliac|epileptic|autistic"
    rf"|dyslexic"
    r"|deaf|blind|hard of hearing|visually impaired|disabled|bipolar|claustrophobic|an[a]?emic|pregnant|HIV positive"
    r"|on dialysis)\b(?! (?:to|about)\b).*"
    rf"|{_WHO_EN}{_IS_EN} (?:\w+ (?:weeks|months) pregnant|in a wheelchair)$"
    rf"|{_WHO_EN}{_IS_EN} (?:(?:afraid|scared|terrified) of (?:heights|flying|dogs|cats|spiders|snakes|needles|clowns|the dark"
    rf"|water|closed spaces))$"
    r"|I(?:'m| am) on (?:an? |the )?(?:\w+[ -]){1,2}diet\b.*"
    rf"|{_WHO_EN} (?:takes?|uses?|injects?|needs?) (?:\d+ ?mg (?:of )?)?{_MEDICINE_EN}(?: for .+| \w+ (?:times )?(?:a|every|each"
    rf"|per) .+| daily| every .+)"
    rf"|{_WHO_EN}{_IS_EN} on (?:{_MEDICINE_EN}|chemo(?:therapy)?)\b.*"
    rf"|{_WHO_EN} (?:uses?|wears?) (?:an? )?(?:wheelchair|hearing aids?|screen reader|CPAP)\b.*",
    re.IGNORECASE,
)
_OF_A_DAY = re.compile(r"今天|今晚|此刻|暂时|昨天|昨晚|\b(?:today|tonight|right now|yesterday)\b", re.IGNORECASE)
_ASKED = re.compile(r"[哪谁]|什么|怎么")


def is_health(sentence: str) -> bool:
    """Tell whether the user says what they or others must not come near, or live with, or that it is not so."""
    if leans(sentence) or _ASKED.search(sentence):
        return False
    return bool(_ALLERGIC.match(sentence)) or (_ILL.match(sentence) is not None and not _OF_A_DAY.search(sentence))
