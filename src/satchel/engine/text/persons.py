"""Who the user and the people of theirs are: names, birth, home, work, how they are reached, health, in Chinese and English.

It must not know what becomes of it.
"""

from __future__ import annotations

import re

from satchel.engine.text.sentences import is_fleeting, leans

_KIN = (
    r"(?:孩子|宝宝|儿子|女儿|老婆|太太|妻子|先生|丈夫|老公|对象|男朋友|女朋友|妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|[表堂]?哥哥?|[表堂]?姐姐?"
    r"|[表堂]?弟弟?|[表堂]?妹妹?|家人|侄子|侄女|外甥女?|孙子|孙女|叔叔?|舅舅?|舅妈|姑姑|姑妈|阿姨|姨妈|伯父|伯母|婶婶|岳父|岳母|公公|婆婆)"
)
_THEIRS_ZH = rf"(?:{_KIN}|上司|老板|领导|经理|同事|下属|同学|朋友|闺蜜|邻居|室友|老师|导师|医生|房东|客户|助理|[猫狗]|宠物)"
_OF_MINE_ZH = rf"我们?(?:的|家的?)?(?:一个|那个)?(?:大|小|二)?{_THEIRS_ZH}(?:他|她|们)?"
_THEIRS_EN = (
    r"(?:(?:older|younger|elder|eldest|youngest|oldest|big|little|twin|best|close|good|old|new|step|half)[ -])*"
    r"(?:wife|husband|spouse|partner|fianc[eé]e?|boyfriend|girlfriend|sons?|daughters?|kids?|child(?:ren)?|mom|mum|mother|dad"
    r"|father|parents?"
    r"|brothers?|sisters?|siblings?|grand(?:ma|pa|mother|father|son|daughter)|uncle|aunt|cousin|nephew|niece|(?:mother|father"
    r"|brother|sister)-in-law"
    r"|boss|manager|supervisor|colleague|coworker|co-worker|assistant|friend|roommate|neighbou?r|landlord|teacher|doctor|dentist"
    r"|therapist|advisor"
    r"|dogs?|cats?|puppy|kitten|pet)"
)
_JOB_ZH = (
    r"(?:医生|老师|教师|教授|工程师|律师|设计师|学生|研究生|护士长?|经理|程序员|记者|会计|司机|厨师|警察|公务员|销售|编辑|翻译|作家|画家|音乐人|演员|军人|工人"
    r"|农民|店长|店员|老板|顾问|分析师|科学家|研究员|柜员|行长|秘书|理发师|摄影师|建筑师|药师|导游|主管|总监|董事长)"
)
_JOB_EN = (
    r"(?:engineer|developer|programmer|teacher|professor|lecturer|tutor|nurse|doctor|physician|surgeon|dentist|vet|veterinarian"
    r"|lawyer|attorney"
    r"|paralegal|student|freshman|sophomore|designer|artist|writer|author|journalist|editor|accountant|analyst|consultant|manager"
    r"|director"
    r"|scientist|researcher|chef|cook|baker|barista|waiter|waitress|driver|pilot|mechanic|electrician|plumber|carpenter|architect"
    r"|photographer"
    r"|musician|actor|actress|dancer|therapist|psychologist|counselor|counsellor|social worker|librarian|pharmacist|paramedic|firefighter"
    r"|police officer|soldier|veteran|entrepreneur|freelancer|contractor|salesperson|realtor|recruiter|administrator|assistant"
    r"|secretary|coach"
    r"|trainer|farmer|retiree|stay-at-home (?:mom|dad|parent))"
)
_ILLNESS = (
    r"(?:糖尿病|高血压|低血糖|哮喘|心脏病|癫痫|胃病|胃炎|鼻炎|痛风|贫血|抑郁症|焦虑症"
    r"|失眠症|关节炎|偏头痛|甲亢|甲减|乳糖不耐受?|夜盲症?|色盲|色弱)"
)
_ILLNESS_EN = (
    r"(?:diabetes|asthma|hypertension|high blood pressure|epilepsy|migraines?|arthritis|celiac(?: disease)?|coeliac(?: disease)?"
    r"|ibs|adhd|dyslexia"
    r"|insomnia|anemia|gout|a heart condition|heart disease|a bad (?:knee|back|hip)|a nut allergy)"
)

_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛"
    "邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文宫"
)
_NAMED = re.compile(
    rf"我(?:的名字)?(?:叫|姓)\S{{1,12}}$|我是(?!高手|王者|陈述|方便|常客|万能|金牌|方案|程序员)[{_SURNAMES}][^\s一个人的，,]{{1,2}}$|[你您]?(?:也|就)?(?:可以|请)?叫我[^\s，,]{{1,6}}?(?:就好|就行|吧)?$"
    rf"|{_OF_MINE_ZH}(?:的)?(?:名字|姓名|大名|小名)?(?:叫做?|名叫|姓)\S{{1,12}}$|{_OF_MINE_ZH}的?(?:名字|姓名|大名|小名)(?:是|为)\S{{1,12}}$"
    rf"|[^\s，,我你他她]{{2,4}}是我们?的?{_THEIRS_ZH}(?:[，,].*)?$"
)
_NAMED_EN = re.compile(
    rf"(?:[Mm]y (?:full |last |first |middle |nick ?)?name(?:'s| is)|[Mm]y (?:\w+ )?{_THEIRS_EN}(?:(?:'s|s'|’s) names? (?:is|are)"
    rf"| (?:is|are) (?:called|named)|'s (?:called|named)))"
    r" [\w' -]{2,40}$"
    r"|(?:(?:[Yy]ou can|[Pp]lease) )?[Cc]all me (?![A-Z]\w+day\b)[A-Z][\w'-]+$"
    r"|I(?:'m| am) (?!Okay|Ok|Fine|Good|Sorry|Done|Ready|Sure|Back|Here|Not|Happy|Glad|Just|So|Very)[A-Z][a-z]+(?: [A-Z][a-z]+)?$"
)
_FACTS_ZH = (
    r"(?:手机(?:号码?)?|电话号?码?|联系电话|邮箱(?:地址)?|邮件地址|微信号?|[阳阴农公]历生日|生日|出生(?:日期|年月|地)|年龄|身高|血型|星座|属相|学历|教育背景"
    r"|文化程度|教育程度|专业|母校|职业|职位|职称|岗位|工作(?:单位|地点?)?|单位(?:名称)?|公司(?:名称)?|老家|家乡|故乡|籍贯|国籍|民族|家庭?住址|家庭地址|地址|性格|爱好|兴趣爱好|母语)"
)
_FACTS_EN = (
    r"(?:(?:home |work |office |mailing |shipping |cell |mobile )*(?:phone|cell|cellphone|mobile|telephone|e-?mail"
    r"|address)(?: number| address)?"
    r"|birthday|birth date|date of birth|birthplace|home ?town|address|job title|occupation|profession|employer|blood type|zip code"
    r"|nationality|native language|mother tongue|first language|time ?zone|age|height|shoe size|pronouns|(?:wedding )?anniversary"
    r"|major|degree)"
)
_HAS = re.compile(
    rf"(?:我|{_OF_MINE_ZH})的?(?:一个)?{_FACTS_ZH}(?:现在|目前)?(?:是|为|在|叫|有|[:：])\S+"
    rf"|{_OF_MINE_ZH}.{{0,2}}?过?生日(?:是|在)\S+"
    rf"|{_OF_MINE_ZH}(?:的工作)?(?:现在|目前)?(?:是|当|做)(?:一?[个名位]的?)?[^，,你]{{0,14}}{_JOB_ZH}的?$"
    rf"|{_OF_MINE_ZH}(?:现在|目前)?(?:住在?|来自|出生[于在]|毕业于|在[^，,你]{{1,16}}(?:工作|上班|上学|读书|念书))[^，,你]*$"
    rf"|(?:my|my (?:\w+ )?{_THEIRS_EN}(?:'s|s'|’s)) {_FACTS_EN}(?:'s| is| are) (?:on |in |at )?\S+"
    rf"|my (?:\w+ )?{_THEIRS_EN} (?:(?:is|are) an? (?:[\w-]+ ){{0,3}}?{_JOB_EN}\b|(?:is|are) \d{{1,3}}(?: years old)?$|(?:works?"
    rf"|lives?) (?:as|at|in|for|on) \w+"
    r"|(?:was|were) born (?:in|on) \w+|(?:comes?|is|are) (?:originally )?from [A-Z]\w+|(?:just |recently )?moved (?:back )?to \w+)",
    re.IGNORECASE,
)
_BORN_AT_HOME = re.compile(
    r"我的?(?:阳历|阴历|农历|公历|陰曆|農曆)?生日(?:是|在)\S.+|我(?:是|出生[于在])?\S{0,12}(?:年|月|日|号)\S{0,6}(?:出生|生)的?$"
    r"|我的?老?家(?:现在|就)?(?:住在?|在|是|搬到了?)\S{2,30}$|我(?:现在|目前|就)?住在?\S{2,30}$|我来自\S{2,20}$|我的(?:家庭)?(?:住址|地址)是\S+"
    r"|我是(?!一|个|好|坏|本|主)\S{2,8}人$|我今年\d{1,3}岁"
    r"|my (?:birthday|date of birth) is (?:on )?\w+|I was born (?:in|on) \w+|my (?:home|address|hometown|home town|home address) is \w+"
    r"|I(?:'m| am) (?:originally )?from [A-Z]\w+|I(?:'m| am) \d{1,3} years old|I(?:'ve)? moved to [A-Z]\w+|my home is in \w+",
    re.IGNORECASE,
)
_I_AM = re.compile(
    r"我住在\S.{1,30}$|我(?:是|在)(?:一[名个位])?\S.{0,20}(?:工作|上班)$|我(?:现在|目前)?(?:是|做|当)(?:一?[个名位])?[^，,你]{0,16}"
    + _JOB_ZH
    + r"$"
    r"|我(?:毕业于\S{2,20}|是?[^，,你]{0,12}毕业的|[在读学](?:的是)?[^，,你]{2,14}(?:专业|大学|学院|研究生|博士))$"
    r"|我(?:已婚|未婚|单身|离异|离婚了|怀孕了?|退休了|是(?:独生子女|左撇子|单亲妈妈|单亲爸爸))$"
    r"|我(?:家)?(?:有|养了?)(?:[一两二三四五\d]+[个只条位])[^，,你]{0,8}(?:" + _KIN + r"|[猫狗鸟鱼]|宠物)$"
    r"|I live in [A-Z][\w', -]{1,40}$|I work (?:at|as|for|in) [\w'&, -]{2,60}$"
    r"|I(?:'m| am) an? [\w -]{2,30} (?:by profession|at [A-Z]\w+)$"
    r"|I(?:'m| am)(?: currently)? an? (?:[\w-]+ ){0,4}?"
    + _JOB_EN
    + r"(?:$| (?:at|in|for|with|from|based|working|living|who|specializing|majoring)\b.*)"
    r"|I(?:'ve| have) been (?:working|living|studying|teaching) (?:in|at|as|for) (?!my\b|this\b|a while|\d|several|many|some"
    r"|about)\w+.*|I (?:study|studied|majored|graduated|teach|am majoring) (?:in|at|from|with) \w+.*"
    r"|I (?:(?:just|recently|also|already) )*(?:completed|finished|earned|got|hold|have|received) (?:my"
    r"|an?) (?:[\w'’-]+ ){0,4}?(?:degree|phd|mba|diploma|bachelor'?s|master'?s)\b.*"
    r"|I(?:'m| am) (?:happily |recently |newly )?(?:married|single|divorced|engaged|pregnant|retired|self-employed|left-handed"
    r"|bilingual|widowed)\b(?: to .+| with .+)?$"
    r"|I have (?:an?|one|two|three|four|five|\d) (?:[\w-]+ ){0,3}?" + _THEIRS_EN + r"s?(?:$|,| (?:named|called|who)\b.*)",
    re.IGNORECASE,
)
_FOR_THE_NIGHT = re.compile(
    r"[哪谁几]|什么|怎么|多少|比较|今天|今晚|昨|刚才|酒店|宾馆|旅馆|回家|一样|\b(?:today|tonight|yesterday|hotel)\b",
    re.IGNORECASE,
)
_ALLERGIC = re.compile(
    rf"(?:我.{{0,10}}?|{_KIN}.{{0,6}}?)(?:[对對].{{1,16}}[过過]敏|有.{{1,12}}[过過]敏史?)"
    r"|my [\w' -]{2,30}?(?:'s| is| are|'re)(?: also| very| severely| highly| deathly| badly)* allergic to \w+"
    r"|(?:I|my [\w' -]{2,30}?) (?:have|has|suffers? from) (?:an? )?(?:\w+ ){1,3}(?:allergy|allergies|intolerance)",
    re.IGNORECASE,
)
_ILL = re.compile(
    rf"(?:我|{_OF_MINE_ZH}).{{0,6}}?(?:有|患有?|得了|得过|确诊了?|是){{0,1}}.{{0,4}}?{_ILLNESS}(?:患者)?$"
    rf"|(?:I|my (?:\w+ )?{_THEIRS_EN}) (?:have|has|suffers? from|was diagnosed with|were diagnosed with)(?: (?:type \d|chronic"
    rf"|severe|mild|bad))* {_ILLNESS_EN}\b.*"
    r"|(?:I'm|I am|my [\w' -]{2,30}? (?:is|are))(?: type \d| severely| also| a)* (?:diabetic|asthmatic|(?:lactose"
    r"|gluten)[ -]intolerant|colou?r-?blind|celiac|coeliac|epileptic)\b.*"
    r"|I(?:'m| am) on (?:an? |the )?(?:\w+[ -]){1,2}diet\b.*",
    re.IGNORECASE,
)


def is_person(sentence: str) -> bool:
    """Tell whether the user says who they or somebody of theirs is, where at home, at work, how reached."""
    said = any(rule.match(sentence) for rule in (_NAMED, _NAMED_EN, _HAS, _BORN_AT_HOME, _I_AM))
    return said and not leans(sentence) and not _FOR_THE_NIGHT.search(sentence)


def is_health(sentence: str) -> bool:
    """Tell whether the user says what they or somebody of theirs must not come near, or lives with; whose, the sentence must say."""
    if _ALLERGIC.match(sentence):
        return not leans(sentence)
    return _ILL.match(sentence) is not None and not leans(sentence) and not is_fleeting(sentence)
