"""Words that name no topic, Chinese and English: data. It knows nothing of how topics are found."""

_ENGLISH = """
user users person people thing things time times day days week weeks month months year years morning evening night hour minute
like love prefer want need use work make take get give go come keep put say tell know think see look find let try call ask
always never often usually sometimes every each all most more less few many much new old good bad big small long short first last next
one two three four five six seven eight nine ten monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday
january february march april june july august september october november december
live run start stop begin end show send set open close read write buy eat drink play wear speak
home name place way part kind lot bit own same other still already only even again once
"""

_CHINESE = """
用户 喜欢 每天 每周 每月 每年 早上 晚上 上午 下午 中午 周末 周一 周二 周三 周四 周五 周六 周日 今天 明天 昨天 今年 去年 明年
时候 时间 经常 一般 通常 总是 从来 已经 正在 需要 希望 打算 计划 可以 应该 必须 觉得 认为 知道 使用 工作 公司 项目 同事 朋友 家里
一个 一次 一天 两个 三个 自己 我们 他们 什么 这个 那个 没有 不是 不要 不能 不会 最近 以后 以前 之前 之后 开始 结束 第一 所有 全部
东西 事情 地方 方面 问题 情况 关于 对于 因为 所以 如果 但是 而且 或者 以及 比较 非常 特别 习惯 讨厌 偏好 星期 分钟 小时 点半 左右
本周 上周 下周 本月 上月 下月 周内 当天 当日 月底 月初 年底 年初 晚饭 早饭 午饭 大家 大概 月份 里面 外面 上面 下面 前面 后面
最后 首先 然后 一起 一直 一些 一点 有点
"""

_LOOSE = (
    "的了着是在于把将也就都这那其该吗呢吧啊呀嘛哦啦得地之由且并而又与和及或很太更最不没别勿有无会要能想让给被从到向对用为以每各"
    "一二三四五六七八九十百千万两几多少个只他她它我你您们去来过说看吃喝做叫"
)

ENGLISH = frozenset(_ENGLISH.split())
"""Lower case, not stemmed."""

CHINESE = frozenset(_CHINESE.split())

LOOSE = frozenset(_LOOSE)
"""Characters that join words: a pair that holds one of them is no word, or none that names a topic."""
