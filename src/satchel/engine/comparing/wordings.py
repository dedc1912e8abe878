"""Other ways of saying one thing, as patterns over canonical texts, Chinese and English: data, and applying it.

It must not know what is done with a text that was put otherwise. A pattern stands for wording alone: who does what to whom, values, names
and denials come out of it as they went in.
"""

from __future__ import annotations

import re
from functools import cache

from satchel.engine.comparing.synonyms import unified

_NP = r"(?:(?!(?:is|are|past|has|have|of|for|in|on|at|:|\|)(?: |$))\S+ ){1,3}"
_TIME = r"(?:num|date|time|weekday|month|every|part):"

_ENGLISH = rf"""
(?<!\S)am(?!\S) => is
^i (?!$) => user
(?<!\S)name~(?!\S) => call~
^(?:it is |it past )([^|]+?) (?:who|that|which) ([^|]+)$ => \1 \2
^what ([^|]+?) is ([^|]+)$ => \1 \2
^([^|]+?) is (?:what|who|the @\S+ that) ((?:the )?(?:user|[a-z]+) [^|]+)$ => \2 \1
^([^|]+?) is where ([^|]+)$ => \2 in \1
^([^|]+?) is when ([^|]+)$ => \2 \1
(?<!\S)(?:is |are )?(?:employ~|engag~) as (?:an?|the)(?!\S) => is
(?<!\S)(?:is|are) (?:an? )?([a-z]+) (?:employe|staff)(?= \||$) => @work \1
(?<!\S)(?:is|are) (?:an? )?(?:employe|staff)~? (?:of|with|at|by)(?!\S) => @work
(?<!\S)fall on(?!\S) => is on
(?<!\S)(?:biweek|fortnight|everi num:2 week|everi other week|every:week num:2)(?!\S) => every:2weeks
(?<!\S)(?:has|have) (?:an? )?(\S+) @allergy(?!\S) => @allergy \1
(?<!\S)(?:has|have) (?:an )?@allergy to(?!\S) => @allergy
(?<!\S)(?:is|are) @allergy to(?!\S) => @allergy
(?<!\S)(?:is|are) (?:the )?(?:owner|proprietor) of(?!\S) => own
(?<!\S)(?:is|are) (?:the )?(maintain|review|sponsor) of(?!\S) => \1
^(?:the )?user is (\S+) 's ([^|]+)$ => \1 's \2 is user
^(?:the )?([^|]+?) 's (?:manag|boss|@lead) is ((?:the )?[^|]+)$ => \2 @lead \1
^([^|]+?) is (?:the )?([^|]+?) 's (?:manag|boss|@lead)$ => \1 @lead \2
^(?:the )?owner (?:of|for) ([^|]+?) is ([^|]+)$ => \2 own \1
^([^|]+?) 's owner is ([^|]+)$ => \2 own \1
^(?:the )?(author|writer) of ([^|]+?) is ([^|]+)$ => \3 write~ \2
^([^|]+?) is the (?:author|writer) of ([^|]+)$ => \1 write~ \2
(?<!\S)@want (\S+)(?: to)? be ([a-z]+)(?= \||$) => @want \2 \1
(?<!\S)pay (num:\S+ @\S+)( every:\S+)? for ([^|]+)$ => \3 @cost \1 \2
(?<!\S)pay (every:\S+) (num:\S+ @\S+) for ([^|]+)$ => \3 @cost \2 \1
(?<!\S)pay (num:\S+ @\S+) (every:\S+ )?for ([^|]+)$ => \3 @cost \1 \2
^user (.+ @cost .*)$ => \1
(?<!\S)@cost (?:the )?(?:user|me) => @cost
(?<!\S)(?:take|ride|catch) the (bus|train|tram|subwai|subway|ferri|car) (?:to|for) ([^|]+?)(?= \||$) => go to \2 by \1
(?<!\S)(?:commut|goe|get|travel|trip) (?:to ([^|]+?) )?by (bus|train|tram|subwai|subway|ferri|car|bike) => go to \1 by \2
(?<!\S)(@buy|go|visit|trip) to (?=[^|]* by ) => \1 to
(?<!\S)(?:travel|trip) to(?!\S) => visit
(?<!\S)(?:goe|go|went) on (?:an? )?([a-z]+)(?!\S) => \1
(?<!\S)would rather(?: be)?(?!\S) => @like
^((?:the )?user) @like(?: to)?(?: be)? call~ => call user
(?<!\S)(?:has|have) (?:an? |much |great )?interest in(?!\S) => interest in
(?<!\S)(?:is|are) (?:veri )?interest~ in(?!\S) => interest in
(?<!\S)(?:is|are) suppos~ to(?!\S) => @must
(?<!\S)is (?:a|the) parent of(?!\S) =>
^(?:the )?(?:we |i |user |team |project |it )?@use ([^|]+?) (?:to|for) (\S+) ([^|]+)$ => \3 \2 with \1
^([^|]+?) (?:is|are) ([a-z]+)~ (?:with|use|via|through) ([^|]+)$ => \1 \2 with \3
(?<!\S)(?:is|are) (?:write~|built|made|develop~|implement~|code~|program~) (?:in|with|on|use)(?!\S) => @use
^([^|]+?) (?:is|are) (?:the )?([a-z]+) (?:@use|use~|us~) (?:by|in|for) ([^|]+)$ => \3 @use \1
^([^|]+?) (?:is|are) (?:use~|us~|@use) (?:by|in|for) ((?:the |my |our )?[^|]+)$ => \2 @use \1
(?<!\S)(?:@must) (?:be )?@deadline => is @deadline
(?<!\S)(?:there (?:is|are)(?: an?)?|@happen|been held|be held|held)(?!\S) =>
(?<!\S)leav(?!\S) => depart
(?<!\S)set off(?!\S) => depart
(?<!\S)shut(?!\S) => close
(?<!\S)(?:expir|@run out|run out)(?!\S) => @end
(?<!\S)till(?!\S) => until
(?<!\S)colour(?!\S) => color
(?<!\S)favourit(?!\S) => favorit
(?<!\S)centr(?!\S) => center
(?<!\S)(?:request~|ask~(?: for)?)(?!\S) => ask~
(?<!\S)complet~(?!\S) => finish~
(?<!\S)(?:remov|eras)(~?)(?!\S) => delet\1
(?<!\S)(?:reserv|book)~(?!\S) => @book
(?<!\S)(?:modif|alter)(~?)(?!\S) => chang\1
(?<!\S)(?:fix|repair)(~?)(?!\S) => mend\1
(?<!\S)(?:receiv|obtain)(~?)(?!\S) => get\1
(?<!\S)(?:creat|construct)~(?!\S) => built
(?<!\S)(?:send|mail|@mail)(?= .*?(?:report|letter|invoic|newslett)) => send
(?<!\S)(?:physician|doc)(?!\S) => doctor
(?<!\S)(?:firm|busi)(?!\S) => compani
(?<!\S)(?:flat)(?!\S) => apart
(?<!\S)(?:mum|mom|mother)(?!\S) => mother
(?<!\S)(?:dad|father)(?!\S) => father
(?<!\S)(?:bike|bicycl)(?!\S) => bike
(?<!\S)(?:grown up|adult)(?!\S) => adult
(?<!\S)(?:medicin|medic)(?!\S) => medicin
(?<!\S)(?:vacat|holiday)(?!\S) => holiday
(?<!\S)(?:every|everi|each)(?!\S) => everi
(?<!\S)(?:rapid|fast|quick)(?!\S) => quick
(?<!\S)(?:live|dwell)(?!\S) => @live
^([^|]+?) (?:is|are) @need (?:for|by) ([^|]+)$ => \2 @need \1
(?<!\S)@use ([^|]+?) as (?:the |an? |my |his |her |their )?([^|]+)$ => \2 is \1
(?<!\S)(?:is|are) an? (\S+) player(?!\S) => play \1
(?<!\S)play the(?!\S) => play
(?<!\S)'s @job is(?: an?| the)?(?!\S) => is
^((?:the )?user|[a-z]+) meet (?!(?:with|on|at|in|for|is|are|every|everi|@\S+|\||date:\S+|weekday:\S+|time:\S+)(?: |$)) => \1 meet with
(?<!\S)(?:main|primari)(?!\S) => main
(?<!\S)(?:employe|staff|worker)(?!\S) => staff
(?<!\S)(?:begin|start)(?!\S) => @start
(?<!\S)@start from(?= num:) => @start at
(?<!\S)(?:rest|relax)(?!\S) => rest
(?<!\S)(?:trip|journey|travel)(?!\S) => trip
(?<!\S)(?:speak|talk)(?!\S) => talk
(?<!\S)twice(?!\S) => num:2 time
(?<!\S)noon(?!\S) => time:1200
(?<!\S)midnight(?!\S) => time:0000
(?<!\S)(?:scare|frighten)~? of(?!\S) => afraid of
(?<!\S)afraid of(?!\S) => afraid
(?<!\S)(?:supper|dinner)(?!\S) => dinner
(?<!\S)(?:photo|pictur|photograph)(?!\S) => photo
(?<!\S)(?:tv|televis)(?!\S) => tv
(?<!\S)(?:fridg|refriger)(?!\S) => fridg
(?<!\S)(?:sick|ill)(?!\S) => ill
(?<!\S)(?:assist|help)(?!\S) => help
(?<!\S)(?:respons|repli|answer)(?!\S) => answer
(?<!\S)(?:choos|pick|select)(?!\S)(?! up) => choos
(?<!\S)(?:often|frequent|regular)(?!\S) => often
(?<!\S)(?:approxim|around|rough)(?= num:) =>
(?<!\S)(?:small|littl)(?!\S) => small
(?<!\S)(?:show|display)(?!\S) => show
(?<!\S)annual(?!\S) => every:year
(?<!\S)own(?= (?:a|an|the|num:\S+)(?: |$)) =>
(?<!\S)having(?!\S) =>
(?<!\S)(?:come|came|hail|origin) from(?!\S) => from
(?<!\S)(?:is |are )?(?:valid|good) (?:until|till|through)(?!\S) => @end
(?<!\S)(?:wake|get) up(?!\S) => get up
(?<!\S)(?:goe|go) to (?:bed|sleep)(?!\S) => sleep
(?<!\S)(?:arriv|land|get in)(?= (?:at|on|in|time:|date:|weekday:)) => arriv
(?<!\S)(?:take off|depart|leav)(?= (?:at|on|time:|date:|weekday:)) => depart
(?<!\S)(?:collect|fetch|pick up)(?!\S) => pick up
(?<!\S)(?:sign up|enrol|enroll|regist)(~?)(?!\S) => regist\1
(?<!\S)(?:charg|cost)(?= .*@(?:dollar|euro|pound|yuan)) =>
(?<!\S)(?:is |are )?(?:a |the )?member of(?!\S) => member
(?<!\S)belong to(?!\S) => member
(?<!\S)(?:contain|includ|compris|consist of)(?!\S) => contain
(?<!\S)(?:next to|close to|near to|besid)(?!\S) => near
(?<!\S)(?:@planned|arrang~|set)(?: for)?(?= (?:on |at |in |for )?(?:date:|weekday:|time:|month:)) =>
(?<!\S)(wage|salari|pay)(?= is num:) => salari
(?<!\S)(?:goe|go|went) for (?:a|an) (\S+) => \1
(?<!\S)run(?!\S) => @run
(?<!\S)(?:has|have) (?:a|an) (\S+) (?:who is )?(?:name|call)~(?!\S) => 's \1 is
^((?:\S+ )?\S+) is (?:the|my|our|his|her|their) ([^|]+)$ => \2 is \1
(?<!\S)(?:reboot|restart)~(?!\S) => restart~
(?<!\S)(?:usual|general|normal|typic)(?!\S) =>
(?<!\S)(?:has |have )(?:been (?:live~|@live)|(?:live~|@live)(?=.*(?:since|for) ))(?: in)?(?!\S) => @live in
(?<!\S)everi (?!weekday:|every:|part:|num:|(?:day|week|month|year|morn|even|night|hour|minut)(?: |$)) =>
(?<!\S)(?:stand|sit|lie|lay|stay|remain|hang)(?= (?:in|on|at|under|next|behind)(?: |$)) => is
(?<!\S)@must be (?:made|done|complet~|finish~|paid)(?= (?:within|by|befor)(?: |$)) => is @deadline
(?<!\S)work as (?:a|an|the)(?!\S) => is
(?<!\S)(?:(?:'s )?weight (?:is|:)|weigh)(?= num:) => weight
(?<!\S)is (num:\S+ \S+) (?:tall|high)(?!\S) => height \1
(?<!\S)(?:'s )?height (?:is|:)(?= num:) => height
(?<!\S)(?:is |are )?not abl(?: to)?(?!\S) => not
(?<!\S)(?:is |are )abl to(?!\S) =>
(?<!\S)with not(?!\S) => not
(?<!\S)(?:drink|take|has|have)(?= (?:coffe|tea|milk|water|wine|beer)(?: |$)) => drink
(?<!\S)(key|entranc|door|access|ticket) to(?!\S) => \1 of
(?<!\S)(@live|@work)(?! (?:in|at|for|with|there|near)(?: |$)) => \1 in
(?<!\S)in num:((?:19|20)\d\d)(?!\S) => date:\1
^([^|]+?) (?:@run|is instal~|is deploy~) (?:on|in) ([^|]+)$ => \2 @run \1
^on the ([^|]+?) (?:we |i )?@run ([^|]+)$ => \1 @run \2
(?<!\S)(?:'s )?limit is(?= num:) =>
(?<!\S)(?:is|are) (?:locat|situat|base)~(?!\S) => is
(?<!\S)stay (?=open|close) =>
(?<!\S)@must (?:have|contain|includ)(?!\S) => @need
(?<!\S)(?:not fewer than|not less than|minimum of)(?!\S) => @least
(?<!\S)maximum of(?!\S) => @most
(?<!\S)(?:last|take)(?= num:\S+ (?:@hour|@minute|day|week|month|year)) => take
(?<!\S)(?:@cost|amount to)(?= (?:@only )?num:) =>
(?<!\S)'s age is (num:\d+)(?: year)?(?: old)?(?!\S) => is \1 year
(?<!\S)is (num:\d+) year old(?!\S) => is \1 year
(?<!\S)(?:goe|go|went) to(?= .*?(?:school|univers|colleg|kindergarten)) => @attend
(?<!\S)@like (\S+) (?:over|to|more than) (\S+) => @like \1 than \2
(?<!\S)(?:the )?user (?:@want|plan)(?: to)? be call~ => call user
(?<!\S)(?:is|are) (?:a|an) ((?:\S+ )?)teacher(?!\S) => teach \1
^(?:the )?({_NP})(?:of|for|in) ((?:the |my |our |an? )?{_NP})(?=(?:is|are|past|has|have|:)(?: |$)) => \2's \1
(?<!\S)([a-z]+) (?:of|for) (?:the |an? |my |our )?([a-z]+)(?= (?:\||on|in|at|by|from|until|\w+:)|$) => \2 \1
(?<!\S)(?:'s )?name (?:is|:)(?!\S) => is
(?<!\S)(?:is|are) (?:call|name)~(?!\S) => is
^(.+?) (?:is)(?: the| an?)? (?:@lead|manag)(?: of| on| for)?(?!\S) => \1 @lead
^(.+?) (?:is|are|be|been)(?: be)? (\S+?)~? by (?!{_TIME})([^|]+)$ => \3 \2 \1
^(.+?) past (\S+) by (?!{_TIME})([^|]+)$ => \3 \2 \1
(?<!\S)manag(?!\S)(?= \S) => @lead
(?<!\S)befor(?!\S) => before
"""

_MEETING = r"(?:例会|会议|周会|年会|晚会|大 会|班 会|早 会)"
_ROLE = r"(?:@lead|经 理)"

_CHINESE = rf"""
^用户 (?:的 )?@lead (?:是|叫|为) ([^|]+)$ => \1 @lead 用户
(?<!\S)(?<!老 )(?<!人 )(?<!回 )(?<!大 )(?<!@study )家 (?:就 )?(?:住 )?在(?!\S) => @live
^请 ([^|]+?)(?: 用户)?$ => 用户 @want \1
^用户 ((?:希望|@want|要求|想要|要)(?: 我| 你| AI| 助 手)?) (?=[^|]) => 用户 @want
(?<!\S)(?:体 重|身 高) (?:是|为)(?!\S) => 体 重
(?<!\S)(?:在|位 于) (num:\S+) 层(?!\S) => 在 \1 楼
(?<!\S)(目 录) (?:下|里|中|内|@under)(?!\S) => \1
(?<!\S)(?:要|得|需 要|@need) (?=(?:在 )?(?:date:|weekday:|time:)\S+ (?:之 )?(?:前|@before)) => @must
(date:\S+|weekday:\S+|time:\S+) (?:之 )?(?:前|@before) => \1 @before
@before (@must )?(?:交|提 交)(?= \||$) => @before \1 提 交
(?<!\S)由 ([^|]+?) (?:来 )?(?:做|办|处 理|承 担|完 成)(?= \||$) => 由 \1 @lead
(?<!\S)@lead (?:做|处 理|承 担|办)(?!\S) => @lead
(?<!\S)由 ([^|]+?) (?:来 )?(@lead|写|做|修|设 计|开 发|维 护|主 持)(?: 的)?(?= \||$) => 由 \1 \2
(?<!\S)是 ([^|]+?) (?:来 )?(@lead|写|做|修|设 计|开 发|维 护|主 持) 的(?= \||$) => 由 \1 \2
(?<!\S)(开|用|@use|吃|喝|住|养|@study|教|坐|玩|买) 的 (?:车 )?是(?!\S) => \1
(?<!\S)基 于(?!\S) => @use
(?<!\S)(?:@use|用) ([^|]+?) (?:写|开 发|实 现|搭 建|做)(?: 的)?(?= \||$) => @use \1
(?<!\S)(?:每 num:2 周(?: num:1 次)?|num:2 周 (?:num:1|一) 次|隔 周)(?!\S) => every:2weeks
(?<!\S)(?:放|加)(?= [糖盐奶冰醋辣葱]) => 加
(?<!\S)喝 (咖 啡|茶|奶 茶|豆 浆) (?=(?:not|只|@only|都|@always|要|加|放)) => \1
(time:\S+) 营 业(?= \||$) => \1 @open
(?<!\S)(?:养|饲 养|家 里 有|有)(?: 了| 着)?(?= (?:num:\S+ )?[只条匹]?) ?(?=(?:num:\S+ )?(?:[只条匹] )?[猫狗鸟兔鱼龟]) => 养
^([^|]+?) 是 用户 (?:的 )?([^|]+)$ => \2 是 \1
(?<!\S)有 (num:\S+ (?:gb|mb|tb|kg|@\S+)) (?:的 )?((?:\S+ ){{0,3}}\S+)$ => \2 \1
(?<!\S)(?:@study|读|念|上)(?= .*(?:年 级|小 学|中 学|大 学|幼 儿 园)) => 上
(?<!\S)(?:是|当|做|担 任) (?:一名 |一个 |一位 |名 )?(?=\S) => 是
(?<!\S)(?:刚 刚|刚 才)(?!\S) => 刚
(?<!\S)(?:研 究 生 考 试|研 究 生 入 学 考 试)(?!\S) => 研
(?<!\S)用户 的(?!\S) =>
(?<!\S)(?:(?:的 )?名 字 (?:是|叫|为)|名 叫|叫 (?:做|作)|取 名(?: 叫| 为)?|名 为)(?!\S) => 叫
(?<!\S)(?:位 于|坐 落 (?:于|在)|地 处|设 在|开 在)(?!\S) => 在
(?<!\S)(?:(?:放|存|摆|收|搁)(?: 放)? (?:在|于)|@store (?:在|于)?)(?!\S) => 在
^([^|]+?)(?: 里| 上| 中)? (?:放|停|挂|摆|存) (?:着|有) ([^|]+)$ => \2 在 \1
(?<!\S)正 在(?!\S) => 在
(?<!\S)(?:举 行|召 开|举 办|进 行|开 展)(?!\S) =>
(?<!\S)(?<!公 )开(?= .*{_MEETING}) =>
({_MEETING} .*?) 开(?= \||$) => \1
(?<!\S)(?:到 期|期 满|为 止|截 止|结 束)(?!\S) => @end
(?<!\S)(?:关 门|闭 馆|关 馆|打 烊|停 止 营 业)(?!\S) => @close
(?<!\S)(?:开 门|开 馆|开 始 营 业)(?!\S) => @open
(?<!\S)(?:发 车|出 发|开 车(?= \||$)|起 飞)(?!\S) => @depart
(?<!\S)(?:付 款|缴 费|交 费|付 (?:清|掉))(?!\S) => 付
(?<!\S)(?:上 学|读 书|念 书|就 读(?: 于)?|上(?= .*(?:小 学|中 学|大 学|幼 儿 园)(?: \||$)))(?!\S) => @school
(?<!\S)@school 在 (.+)$ => 在 \1 @school
(?<!\S)@school ((?:\S )*\S)$ => 在 \1 @school
(?<!\S)(?:会|能|可 以) (?:说|讲)(?!\S) => 会 说
(?<!\S)是 (.+?)(?: 的)? (\S+ \S+) (?:老 师|教 师)(?!\S) => 在 \1 教 \2
(?<!\S)(?:管 理|主 管|掌 管)(?!\S) => @manage
(?<!\S)经 理(?!\S) => @manage
^([^|]+?) 是 ([^|]+?)(?: 的)? (@manage|@lead)$ => \1 \3 \2
^([^|]+?)(?: 的)? (@manage|@lead) (?:是|为|:) ([^|]+)$ => \3 \2 \1
^([^|]+?) 由 ([^|]+?) (?:来 )?(@\S+|\S \S)$ => \2 \3 \1
(?<!\S)(?:删 掉|清 除|移 除|去 掉|清 掉|清 理)(?!\S) => 删 除
(?<!\S)(?:修 理|维 修|修 复|修 好)(?!\S) => 修
(?<!\S)(?:购 买|买 入|采 购|购 入)(?!\S) => 买
(?<!\S)(?:服 用|口 服)(?!\S) => 吃
(?<!\S)(?:医 师|大 夫)(?!\S) => 医 生
(?<!\S)(?:妈 妈|母 亲|老 妈)(?!\S) => 妈 妈
(?<!\S)(?:爸 爸|父 亲|老 爸)(?!\S) => 爸 爸
(?<!\S)(?:老 婆|太 太|妻 子)(?!\S) => 妻 子
(?<!\S)(?:老 公|先 生|丈 夫)(?!\S) => 丈 夫
(?<!\S)(?:单 车|自 行 车)(?!\S) => 自 行 车
(?<!\S)(?:轿 车|汽 车|小 汽 车)(?!\S) => 车
(?<!\S)(?:晨 跑)(?!\S) => part:morning 跑 步
(?<!\S)(?:酒 店|宾 馆|旅 馆)(?!\S) => 酒 店
(?<!\S)(?:饭 店|餐 厅|餐 馆)(?!\S) => 餐 厅
(?<!\S)(?:告 知|通 知|告 诉)(?!\S) => 告 诉
(?<!\S)(?:寄 出|邮 寄|寄 送|发 送|发 给|寄 给)(?!\S) => 寄
(?<!\S)(?:抵 达|到 达|送 达|送 到)(?!\S) => 到
(?<!\S)(?:领 养|收 养)(?!\S) => 养
(?<!\S)(?:共 有|总 共|一共|合 计)(?!\S) => 有
(?<!\S)(?:修 改|更 改|改 动)(?!\S) => 改
(?<!\S)(?:回 复|答 复|回 答)(?!\S) => 回 答
(?<!\S)(?:撰 写|编 写|书 写)(?!\S) => 写
(?<!\S)(?:检 查|核 对|查 验)(?!\S) => 检 查
(?<!\S)(?:部 署|上 线|发 布)(?= 到| 在| 于) => 部 署
(?<!\S)保 留(?= num:\S+ \S+ (?:后|@after|以 后|之 后)) =>
(?<=[天月年周日时] )(?:后|以 后|之 后)(?!\S) => @after
(?<!\S)(?:(?<!目 )(?<!之 )(?<!以 )前)(?= [^面端台任景途提辈年天]) => @before
(?<!\S)(?:@want|要求|想(?= 让| 叫))(?!\S) => @want
(?<!\S)请 叫 用户(?!\S) => 用户 @want 叫
(?<!\S)被(?: 人| 大 家)? (?:称 呼 为|称 为|称 作|叫 做|叫)(?!\S) => 叫
(?<!\S)让(?: 大 家| 人| 别 人)? 叫(?: 他| 她| 用户)?(?!\S) => 叫
(?<!\S)有 (num:\S+|\d\S*) ((?:\S+ ){{0,3}}\S+)$ => \2 \1
(?<!\S)费(?= .*@yuan) =>
(?<!\S)从(?= .*@graduate) =>
(?<!\S)num:((?:19|20)\d\d) 年(?!\S) => date:\1
(?<!\S)(?:@use|用) ([^|]+?) (?:作 为|做|当) ([^|]+)$ => \2 \1
(?<!\S)(?:的 )?@job (?:是|为)(?!\S) => 是
(?<!\S)从 事 ([^|]+?)(?: 工 作| @work| 行 业)?(?= \||$) => 是 \1
(?<!\S)(?:当 前 |现 在 )?主 要(?!\S) =>
(?<!\S)(?:跟|和|@with) ([^|]+?) (?:见 面|碰 面|会 面)(?!\S) => 见 \1
(?<!\S)(?:旅 游|旅 行|出 游)(?!\S) => 旅 行
(?<!\S)(?:聊 天|谈 话|交 谈)(?!\S) => 聊
(?<!\S)(?:休 息|歇 息)(?!\S) => 休 息
(?<!\S)(?:每 隔|隔)(?= ) => 每
(?<!\S)(?:害 怕|惧 怕|怕)(?!\S) => 怕
(?<!\S)(?:晚 餐|晚 饭)(?!\S) => 晚 饭
(?<!\S)(?:早 餐|早 饭)(?!\S) => 早 饭
(?<!\S)(?:午 餐|午 饭|中 饭)(?!\S) => 午 饭
(?<!\S)(?:照 片|相 片)(?!\S) => 照 片
(?<!\S)电 视 机(?!\S) => 电 视
(?<!\S)(?:帮 忙|协 助|帮 助)(?!\S) => 帮
(?<!\S)(?:选 择|挑 选|选 用)(?!\S) => 选
(?<!\S)(?:经 常|常 常|时 常|常)(?!\S) => 常
(?<!\S)(?:展 示|呈 现|显 示)(?!\S) => 显 示
(?<!\S)拥 有(?!\S) => 有
(?<!\S)来 自 (\S \S(?: \S)?)(?= \||$) => 是 \1 人
(?<!\S)(?:出 生 (?:于|在)|生 (?:于|在))(?!\S) => 生
(?<!\S)(?:就 寝|入 睡|上 床 睡 觉|睡 觉)(?!\S) => 睡
(?<!\S)(?:抵 达|到 达|降 落|落 地|到 站)(?!\S) => 到
(?<!\S)(?:报 名|注 册|登 记)(?!\S) => 报 名
(?<!\S)(?:收 费|@cost|花 费|要 价|标 价)(?: 是| 为)?(?= .*@(?:yuan|dollar|euro)) =>
(?<!\S)(?:包 含|包 括|含 有|含)(?!\S) => 有
(?<!\S)(?:准 许|允 许|@allow)(?!\S) =>
(?<!\S)(?:@end|过 期|有 效 期 (?:到|至)|有 效 至)(?!\S) => @end
(?<!\S)(?:缴 纳|交 纳|缴)(?!\S) => 交
(?<!\S)(?:领 取|拿 取|取 走)(?!\S) => 取
(?<!\S)(?:携 带|随 身 带)(?!\S) => 带
(?<!\S)(?:@planned|@agree|排)(?: 在| 于| 好)?(?= (?:date:|weekday:|time:|month:)) =>
(?<!\S)(?:每 次|每 回)(?!\S) => @always
(?<!\S)(?:两 次|num:2 次) => num:2 次
(?<!\S)(?:@book|约 好|约) (?:了 )?(?=.*(?:@appointment|医|诊)) => @book
(?<!\S)(?:马 路|大 街|大 道|街)(?= \||$) => 路
(?<!\S)(?:有 个|有 一 个|有 num:1 个)(?!\S) => 有
(?<!\S)(?:之 间|之 中)(?!\S) => 中
(?<!\S)(?:聚 会|聚 餐)(?!\S) => 聚
(?<!\S)(?:体 检|身 体 检 查)(?!\S) => 体 检
(?<!\S)(?:驾 驶|开 车(?= 去| 上)) => 开 车
(?<!\S)(?:网 购|网 上 买)(?!\S) => 网 购
(?<=date:\d\d-\d\d )(?:前|以 前)(?!\S) => @before
(?<!\S)(?:从 |自 )?(date:\d{{4}}) (?:年 )?(?:起|开 始|以 来|至 今)(?!\S) => @since \1
(?<!\S)(?:定|安 排|约) (?:在|于)(?!\S) => 在
(?<!\S)每 [个份次条位名台](?! (?:weekday:|月|周|小)) =>
(?<!\S)(?:读|念|学|@study)(?= (?:的 )?(?:\S ){{1,4}}(?:学|系)(?: |$)) => @study
(?<!\S)(?:体 重|重 量|重)(?: 是| 为| 有)?(?= num:) => 重
(?<!\S)(?:身 高|高)(?: 是| 为| 有)?(?= num:) => 高
(\S) not 了(?!\S) => not \1
(?<!\S)(?:习 惯|一 般|通 常|往 往|平 时)(?!\S) =>
(?<!\S)发 (?:送|出)(?!\S) => 发
(?<!\S)(?:须|需)(?!\S) =>
(?<!\S)(?:是 素 食 者|@only 吃 素|是 素 食 主 义 者|吃 素 食)(?!\S) => 吃 素
(?<!\S)(?:有|上)(?= (?:\S ){{0,4}}课(?: |$)) => 上
(?<!\S)(?:当|担 任)(?= \S) => 是
(?<!\S)以(?= (?:\S+ ){{1,4}}(?:计 价|结 算|支 付|格 式|方 式)(?: |$)) => @use
(?<!\S)之 内(?!\S) => 内
(?<!\S)房 子(?!\S) => 房
(?<!\S)限 (?:制|定)(?: 为| 在| 是)?(?= .*num:) => @most
(?<!\S)句 话(?!\S) => 句
(?<!\S)报 纸(?!\S) => 报
(?<!\S)收 到(?!\S) => 到
(?<!\S)(?:坐|乘) (?:飞 机|航 班) (?:去|到|飞)(?!\S) => 飞
(?<!\S)(?:所 以|因 此|因 而|@because)(?!\S) =>
(?<!\S)学(?! [校生期院员历位号费分])(?!\S) => @study
(?<!\S)@study (?:弹|打|拉|画|做|唱|练)(?!\S) => @study
(?<!\S)(?:大 约|约|左 右|差不多)(?!\S) =>
(?<!\S)@need(?= num:) =>
(?<!\S)num:1 [辆所家只条张把件位座间部台栋名幅套份](?!\S) =>
(?<!\S)[这那] [个所家只条台辆份些本间](?!\S) =>
(?<!\S)本(?= (?:项 目|公 司|团 队|仓 库|系 统|店|校|组)) =>
(?<!\S)用(?!\S) => @use
(?<!\S)爱(?!\S) => @like
(?<!\S)年 龄(?= .*岁) =>
(?<!\S)今 年(?= num:\S+ 岁) =>
(?<!\S)(?:num:1|一) 天(?= .*num:) => every:day
(?<!\S)(?:num:1 (?:个 )?|一个 |一 个 )月(?= .*num:) => every:month
(?<!\S)(?:num:1|一) 周(?= .*num:) => every:week
(?<!\S)每 早(?!\S) => every:day part:morning
(?<!\S)每 晚(?!\S) => every:day part:evening
(?<!\S)每(?: 个)? (?=weekday:) => everi
(?<!\S)(?<!everi )(weekday:\d+)(?= (?:\S+ ){{0,2}}都 ) => everi \1
(?<!\S)(?:有 些|部 分)(?!\S) => 些
(?<!\S)(?:家 里|家 中)(?= 有| @kid| num:) =>
(?<!\S)会 被(?!\S) =>
"""


@cache
def _rules(*, is_chinese: bool) -> tuple[tuple[re.Pattern[str], str], ...]:
    # Read at the first comparison that needs them: a tenth of a second that a command without one need not spend.
    lines = _CHINESE if is_chinese else _ENGLISH
    pairs = (line.partition(" =>") for line in lines.strip().splitlines())
    # Blanks around, for a pattern may take those of the words it stands for.
    return tuple((re.compile(pattern), f" {wording.strip()} ") for pattern, _, wording in pairs)


def plainly(canonical: str, *, is_chinese: bool) -> str:
    """Put a canonical text in the one wording that stands for all that say the same."""
    canonical = unified(canonical, is_chinese=is_chinese)
    for pattern, wording in _rules(is_chinese=is_chinese):
        put, count = pattern.subn(wording, canonical)
        if count:
            canonical = " ".join(put.split())
    return canonical
