"""The words for people, what they are to the user, and what they do for a living: data for the rules on what is said of them.

It must not know what is said.
"""

from __future__ import annotations

KIN = (
    r"(?:孩子|宝宝|儿子|女儿|老婆|太太|妻子|先生|丈夫|老公|对象|男朋友|女朋友|妈妈?|爸爸?|母亲|父亲|爷爷|奶奶|外公|外婆|姥姥|姥爷|[表堂]?哥哥?|[表堂]?姐姐?"
    r"|[表堂]?弟弟?|[表堂]?妹妹?|家人|侄子|侄女|外甥女?|孙子|孙女|叔叔?|舅舅?|舅妈|姑姑|姑妈|阿姨|姨妈|伯父|伯母|婶婶|岳父|岳母|公公|婆婆)"
)
THEIRS_ZH = rf"(?:{KIN}|上司|老板|领导|经理|同事|下属|同学|朋友|闺蜜|邻居|室友|老师|导师|医生|房东|客户|助理|[猫狗]|宠物)"
OF_MINE_ZH = rf"我们?(?:的|家的?)?(?:一个|那个)?(?:大|小|二)?{THEIRS_ZH}(?:他|她|们)?"
THEIRS_EN = (
    r"(?:(?:older|younger|elder|eldest|youngest|oldest|big|little|twin|best|close|good|old|new|step|half)[ -])*"
    r"(?:wife|husband|spouse|partner|fianc[eé]e?|boyfriend|girlfriend|sons?|daughters?|kids?|child(?:ren)?|mom|mum|mother|dad"
    r"|father|parents?"
    r"|brothers?|sisters?|siblings?|grand(?:ma|pa|mother|father|son|daughter)|uncle|aunt|cousin|nephew|niece|(?:mother|father"
    r"|brother|sister)-in-law"
    r"|boss|manager|supervisor|colleague|coworker|co-worker|assistant|friend|roommate|neighbou?r|landlord|teacher|doctor|dentist"
    r"|therapist|advisor"
    r"|dogs?|cats?|puppy|kitten|pet)"
)
JOB_ZH = (
    r"(?:医生|老师|教师|教授|工程师|律师|设计师|学生|研究生|护士长?|经理|程序员|记者|会计|司机|厨师|警察|公务员|销售|编辑|翻译|作家|画家|音乐人|演员|军人|工人"
    r"|农民|店长|店员|老板|顾问|分析师|科学家|研究员|柜员|行长|秘书|理发师|摄影师|建筑师|药师|导游|主管|总监|董事长|助产士|保安|快递员|架构师|负责人|组长|测试|前端|后端|运维|开发|产品|客服|人事)"
)
JOB_EN = (
    r"(?:engineer|developer|programmer|teacher|professor|lecturer|tutor|nurse|doctor|physician|surgeon|dentist|vet|veterinarian"
    r"|lawyer|attorney"
    r"|paralegal|student|freshman|sophomore|designer|artist|writer|author|journalist|editor|accountant|analyst|consultant|manager"
    r"|director"
    r"|scientist|researcher|chef|cook|baker|barista|waiter|waitress|driver|pilot|mechanic|electrician|plumber|carpenter|architect"
    r"|photographer"
    r"|musician|actor|actress|dancer|therapist|psychologist|counselor|counsellor|social worker|librarian|pharmacist|paramedic"
    r"|firefighter"
    r"|police officer|soldier|veteran|entrepreneur|freelancer|contractor|salesperson|realtor|recruiter|administrator|assistant"
    r"|secretary|coach"
    r"|trainer|farmer|retiree|midwife|carer|caregiver|tester|tech lead|team lead|product owner|project manager|CEO|CTO|founder"
    r"|stay-at-home (?:mom|dad|parent))"
)
SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛"
    "邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文宫"
)

NAMED_ZH = rf"(?:(?:小|老|阿)[\u4e00-\u9fff]{{1,2}}?|[{SURNAMES}][\u4e00-\u9fff]{{1,2}}?)"
"""A person's name, told by its first character."""

NAMED_EN = (
    r"(?-i:(?!(?:I|He|She|It|They|We|You|This|That|These|Those|There|Here|What|Who|Which|Where|When|Why|How|Everyone|Everybody|Nobody"
    r"|Someone|Somebody|People|Many|Most|Some|All|Any|No|Not|Nothing|Everything|Something|Life|Today|Tomorrow|God|The|A|An|My|Our|Your"
    r"|If|One|Then|Maybe|But|And|So|Dogs|Cats|Kids|Children)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
)
"""A name, told by its capital."""

MINE_EN = rf"(?:my|our) (?:\w+ )?{THEIRS_EN}(?:,? {NAMED_EN})?,?"
