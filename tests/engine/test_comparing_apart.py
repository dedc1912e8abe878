"""Memories about other people, things, times or kinds of value (CNF-1 to CNF-3): each stays, and none is asked about."""

from __future__ import annotations

import pytest

from satchel.engine.comparing import compare
from satchel.ports import Relation

OTHER_PEOPLE = [
    ("He is allergic to nuts.", "She is allergic to nuts."),
    ("Our server is down.", "Their server is down."),
    ("I live in Rome.", "He lives in Rome."),
    ("my rent is 900", "her rent is 900"),
    ("His birthday is on 4 June.", "Her birthday is on 4 June."),
    ("He owes her money.", "She owes him money."),
    ("我的狗叫旺财", "他的狗叫旺财"),
    ("His wife is a doctor.", "Her husband is a doctor."),
    ("He is vegetarian and she is not.", "She is vegetarian and he is not."),
    ("用户喜欢他的老师", "用户喜欢她的老师"),
    ("The user likes him very much today", "The user likes her very much today"),
    ("他住在北京市", "她住在北京市"),
    ("You owe me money", "I owe you money"),
    ("We meet in Berlin every year", "They meet in Berlin every year"),
    ("They paid our invoice yesterday", "We paid their invoice yesterday"),
    ("我们的服务器坏了", "他们的服务器坏了"),
    ("他欠她五百元", "她欠他五百元"),
    ("你的快递到了", "我的快递到了"),
]

OTHER_OPERATORS = [
    ("Alert when CPU > 80%.", "Alert when CPU < 80%."),
    ("Retry if the status == 500.", "Retry if the status != 500."),
    ("Scale if load >= 80.", "Scale if load <= 80."),
    ("CPU > 80% 时告警", "CPU < 80% 时告警"),
    ("状态码 == 500 时重试", "状态码 != 500 时重试"),
    ("温度 >= 30 度就开空调", "温度 <= 30 度就开空调"),
    ("Heat when it is -5 degrees outside", "Heat when it is 5 degrees outside"),
]

OTHER_DIRECTIONS = [
    ("The shop is open until 5 May.", "The shop is open from 5 May."),
    ("Call before 5pm.", "Call after 5pm."),
    ("The key is in the box.", "The key is on the box."),
    ("Send the report by Friday.", "Send the report on Friday."),
    ("Anna came with Bob.", "Anna came for Bob."),
    ("钥匙在箱子里", "钥匙在箱子上"),
    ("周五之前交报告", "周五之后交报告"),
    ("The museum is free to students", "The museum is free for students"),
    ("The gym is open from Monday to Friday", "The gym is open on Monday and Friday"),
    ("Put the lamp under the desk", "Put the lamp on the desk"),
    ("She sings with the choir", "She sings for the choir"),
    ("会员有效期从5月5日开始", "会员有效期到5月5日结束"),
    ("把书放在桌子上", "把书放在桌子下"),
    ("饭前吃药", "饭后吃药"),
    ("Meet at the station since noon", "Meet at the station until noon"),
    ("The letter is from Anna", "The letter is to Anna"),
    ("车停在楼前", "车停在楼后"),
    ("东门集合", "西门集合"),
    ("Everyone but Bob came", "Everyone and Bob came"),
]

QUESTIONS = [
    ("Is Alice vegetarian?", "Alice is vegetarian."),
    ("张三吃辣吗？", "张三吃辣。"),
    ("Should we deploy on Friday?", "We should deploy on Friday."),
    ("李四会来吗", "李四会来"),
    ("你喜欢喝茶还是咖啡？", "你喜欢喝茶还是咖啡"),
    ("Does Bob like tea", "Bob likes tea"),
    ("Can we ship on Monday?", "We can ship on Monday."),
    ("谁负责支付模块？", "张伟负责支付模块"),
    ("服务器在线吗", "服务器在线"),
    ("用户是不是素食者", "用户是素食者"),
]

OTHER_TENSES = [
    ("我养过狗", "我养狗"),
    ("我要养狗", "我养狗"),
    ("I will have a dog", "I have a dog"),
    ("I had a dog", "I have a dog"),
    ("他去过日本", "他去日本"),
    ("她要学法语", "她学法语"),
    ("The team will use Rust", "The team uses Rust"),
    ("The team used to use Rust", "The team uses Rust"),
]

OTHER_KINDS_OF_VALUE = [
    ("The user works at Google", "The user works at night"),
    ("The user works at Google", "The user works for three clients now"),
    ("The user works at Google", "The user works at home on Fridays"),
    ("The user works at Google", "The user works at night in Berlin"),
    ("The user lives in Rome", "The user lives in a small flat"),
    ("The user lives in Rome", "The user now lives in a bigger house"),
    ("用户住在北京", "用户住在公司附近"),
    ("用户住在北京", "用户住在父母家"),
    ("用户住在北京", "用户现在住在一个小公寓里"),
    ("用户在谷歌工作", "用户现在在三楼工作"),
    ("The user was born in 1990", "The user was born in Spain"),
    ("用户出生于1990年", "用户出生于西班牙"),
    ("用户出生于西班牙", "用户来自上海"),
    ("截止日期是5月3日", "截止日期是中午12点"),
    ("The deadline is 3 May", "The deadline is at noon"),
    ("The deadline is 3 May", "The deadline is 5pm"),
    ("用户的名字是安娜", "用户的名字是外婆取的"),
    ("The user's name is Anna", "The user's name is pronounced Ah-na"),
    ("My name is Anna", "My name is pronounced Ah-na"),
    ("The user moved to Berlin", "The user moved to the new team"),
    ("The user moved to Berlin", "The user moved to the second floor"),
    ("The user moved to Berlin", "The user moved to the Platform team"),
    ("The user lives in Rome", "The user lives with Anna"),
    ("The user's phone is 555-1234", "The user's phone is an iPhone"),
    ("Anna works at Siemens", "Anna works at weekends"),
    ("Anna works at Siemens", "Anna works for herself now"),
    ("Anna lives in Porto", "Anna lives in a shared house"),
    ("Anna lives in Porto", "Anna now lives in the countryside"),
    ("小王住在深圳", "小王住在学校宿舍"),
    ("小王住在深圳", "小王现在住在地铁站旁边"),
    ("小王在华为工作", "小王在晚上工作"),
    ("小王在华为工作", "小王现在在家工作"),
    ("The launch date is 3 May", "The launch date is a secret"),
    ("My phone is 555-1234", "My phone is broken"),
    ("我的电话是12345", "我的电话坏了"),
    ("The user works at Google", "The user works at the weekend"),
    ("The user works for Google", "The user works for fun"),
    ("用户在谷歌工作", "用户在周末工作"),
    ("用户住在北京", "用户住在一楼"),
    ("用户住在北京", "用户住在海边"),
    ("The user lives in Rome", "The user lives in fear"),
    ("The meeting is on Monday", "The meeting is in English"),
    ("会议在周一", "会议在三楼"),
    ("My birthday is on 3 May", "My birthday is a public holiday"),
    ("我的生日是5月3日", "我的生日是星期三"),
    ("预算是3000元", "预算是老板批的"),
    ("用户的职业是老师", "用户的职业是父母选的"),
    ("The user moved to Berlin", "The user moved to a new job"),
    ("用户搬到了柏林", "用户搬到了新办公室"),
    ("The user was born in Rome", "The user was born in May"),
]

OTHER_OWNERS = [
    ("My email is a@b.com", "His email is c@d.com"),
    ("他的电话是12345", "她的电话是67890"),
    ("My name is Anna", "Her name is Berta"),
    ("I live in Rome", "She lives in Oslo"),
    ("我住在北京", "她住在上海"),
    ("我的邮箱是a@b.com", "他的邮箱是c@d.com"),
    ("My brother lives in Rome", "My wife lives in Oslo"),
    ("Our deadline is 3 May", "Their deadline is 8 May"),
    ("我们的截止日期是5月3日", "他们的截止日期是5月8日"),
    ("His salary is 3000 euros", "Her salary is 4000 euros"),
    ("他的工资是3000元", "她的工资是4000元"),
    ("His wife is called Anna", "Her husband is called Bob"),
    ("You live in Rome", "I live in Oslo"),
]

DENIED_OF_ANOTHER = [
    ("用户对花生过敏", "用户的妻子对花生不过敏"),
    ("I eat pork", "My guest does not eat pork"),
    ("我太太吃素", "我儿子不吃素"),
    ("给小李发邮件", "不要给小王发邮件"),
    ("不要在周五发布", "周五发布会在上海"),
    ("订单1001已发货", "订单1002未发货"),
    ("A组需要加班", "B组不需要加班"),
    ("Plan A is ready", "Plan B is not ready"),
    ("Plan A needs approval", "Plan B does not need approval"),
    ("Version 1 supports Windows", "Version 2 no longer supports Windows"),
    ("我周一上班", "我周二不上班"),
    ("I work on Mondays", "I do not work on Tuesdays"),
    ("我吃鸡肉", "我不吃鸭肉"),
    ("用户喜欢冬天", "用户不喜欢夏天"),
    ("The user likes winter", "The user does not like summer"),
    ("我上午喝咖啡", "我晚上不喝咖啡"),
    ("I drink coffee in the morning", "I do not drink coffee in the evening"),
    ("用户没有车", "用户有自行车"),
    ("用户踢足球", "用户不再打网球"),
    ("Bob is allergic to nuts", "Bob is no longer allergic to milk"),
    ("My wife drinks coffee", "I no longer drink coffee"),
    ("我妻子喝咖啡", "我不再喝咖啡了"),
    ("He drinks coffee", "She does not drink coffee"),
    ("他喝咖啡", "她不喝咖啡"),
    ("Bob smokes", "Anna does not smoke"),
    ("张三抽烟", "李四不抽烟"),
    ("我妈妈喜欢猫", "我爸爸不喜欢猫"),
    ("Server 1 is online", "Server 2 is not online"),
    ("1号服务器在线", "2号服务器不在线"),
    ("The user eats fish", "The user does not eat meat"),
    ("用户喜欢红茶", "用户不喜欢绿茶"),
    ("The user swims in summer", "The user does not swim in winter"),
    ("我夏天游泳", "我冬天不游泳"),
    ("Send invoices to Anna", "Do not send invoices to Bob"),
    ("发票寄给张三", "发票不要寄给李四"),
    ("用户会弹钢琴", "用户不再拉小提琴"),
    ("Anna likes dogs", "Anna no longer likes cats"),
    ("The user has a cat", "The user does not have a dog"),
    ("用户有猫", "用户没有狗"),
    ("The user likes tea", "The user's sister does not like tea"),
    ("The user likes tea in the morning", "The user does not like tea at night"),
    ("Route A is closed", "Route B is not closed"),
    ("项目一需要审批", "项目二不需要审批"),
    ("Room 101 has a projector", "Room 102 does not have a projector"),
    ("101房间有投影", "102房间没有投影"),
    ("The red button works", "The green button does not work"),
    ("红按钮能用", "绿按钮不能用"),
    ("功能在安卓上能用", "功能在苹果上不能用"),
    ("上海办公室有食堂", "北京办公室没有食堂"),
    ("I can eat eggs", "My son cannot eat eggs"),
    ("我能吃鸡蛋", "我儿子不能吃鸡蛋"),
    ("I speak French", "I do not speak German"),
    ("我会说法语", "我不会说德语"),
    ("用户喜欢跑步", "用户不喜欢跑车"),
    ("张三是经理", "李四不是经理"),
]

BOTH_MAY_HOLD = [
    ("The user visited Paris in 2019", "The user visited Paris in 2023"),
    ("用户2019年去过巴黎", "用户2023年去过巴黎"),
    ("The user plays tennis on Mondays", "The user plays chess on Mondays"),
    ("用户周一打网球", "用户周一下棋"),
    ("I owe him 50 euros", "I owe her 60 euros"),
    ("The user ran the marathon in Rome", "The user ran the marathon in Oslo"),
    ("3月去了东京", "5月去了东京"),
    ("B组周一开会", "A组周一开会"),
    ("订单1001待发货", "订单1002待付款"),
    ("Bob is 30 years old", "Anna is 31 years old"),
    ("张三30岁", "李四31岁"),
    ("His son is 3 years old", "Her son is 5 years old"),
    ("Dark mode is on", "Night mode is off"),
    ("深色模式已开启", "夜间模式已关闭"),
    ("Server port is 8080", "Database port is 9090"),
    ("Alice is the backend lead", "Bob is the frontend lead"),
    ("前端组长是张三", "后端组长是李四"),
    ("订单1001已发货了", "订单1002已发货了"),
    ("订单1001待发货处理", "订单1002待发货处理"),
    ("1号服务器目前在线", "2号服务器目前在线"),
    ("A组周一需要加班", "B组周一需要加班"),
    ("模块A依赖数据库", "模块B依赖数据库"),
    ("房间101有投影仪", "房间102有投影仪"),
    ("Plan A needs approval from Bob", "Plan B needs approval from Bob"),
    ("Order 1001 was shipped to Berlin", "Order 1002 was shipped to Berlin"),
    ("Server web-01 runs in Berlin", "Server web-02 runs in Berlin"),
]

ONE_PERSON = [
    ("I live in Rome with my sister.", "The user lives in Rome with his sister."),
    ("I live in Rome with my sister.", "The user lives in Rome with her sister."),
    ("The user lives in Rome.", "I live in Rome."),
    ("用户住在北京市中心", "我住在北京市中心"),
]

STILL_REPLACED = [
    ("The user likes coffee", "The user no longer drinks coffee"),
    ("The user lives in Berlin", "The user moved to Munich"),
    ("The user lives in Berlin", "The user now lives in Munich"),
    ("The user lives in Berlin", "I live in Munich"),
    ("用户住在北京", "用户搬到了上海"),
    ("用户住在北京", "我现在住在上海"),
    ("My phone is 555-1234", "My phone is 555-9999"),
    ("用户的电话是12345", "用户的电话是67890"),
    ("My birthday is 3 May", "My birthday is 4 June"),
    ("他的生日是5月3日", "他的生日是6月4日"),
    ("My email is a@b.com", "My email is c@d.com"),
    ("His email is a@b.com", "His email is c@d.com"),
    ("用户的邮箱是a@b.com", "用户的邮箱是c@d.com"),
    ("The user works at Google", "The user now works at Microsoft"),
    ("用户在谷歌工作", "用户现在在微软工作"),
    ("She lives in Rome", "She now lives in Oslo"),
    ("她住在北京", "她搬到上海了"),
    ("用户出生于北京", "用户出生于上海"),
    ("The rent is 900 euros", "The rent is 950 euros"),
    ("用户的名字是安娜", "用户的名字是安妮"),
    ("My name is Anna", "My name is Anne"),
    ("用户打网球", "用户不再打网球"),
    ("Bob is allergic to milk", "Bob is no longer allergic to milk"),
    ("The user likes tea", "The user doesn't drink tea any more"),
    ("我在深圳居住", "我搬到广州了"),
    ("小王在华为工作", "小王现在在腾讯工作"),
    ("The release date is 3 May", "The release date is now 8 May"),
    ("Our deadline is 3 May", "The deadline is 8 May"),
    ("His salary is 3000 euros", "His salary is 3500 euros"),
    ("她的工资是3000元", "她的工资是4000元"),
]

FILLED_ANEW = [
    ("Alice is the team lead", "Bob is the team lead"),
    ("组长是张三", "组长是李四"),
    ("用户今年30岁", "用户今年31岁"),
    ("The user is 30 years old", "The user is 31 years old"),
    ("Server port is 8080", "Server port is 9090"),
    ("Dark mode is on", "Dark mode is off"),
    ("深色模式已开启", "深色模式已关闭"),
    ("用户抽烟", "用户戒烟了"),
    ("我在腾讯工作", "我从腾讯离职了"),
    ("用户已婚", "用户未婚"),
]

STILL_ASKED = [
    ("用户对花生过敏", "用户对花生不过敏"),
    ("用户吃猪肉", "用户不吃猪肉"),
    ("I eat pork", "I do not eat pork"),
    ("The user is vegetarian", "The user is not vegetarian"),
    ("用户喜欢冬天", "用户不喜欢冬天"),
    ("我周一上班", "我周一不上班"),
    ("A组需要加班", "A组不需要加班"),
    ("Plan A is ready", "Plan A is not ready"),
    ("Deploy on Friday", "Do not deploy on Friday"),
    ("给小李发邮件", "不要给小李发邮件"),
    ("The office has a kitchen", "The office does not have a kitchen"),
    ("我喜欢猫", "我不喜欢猫"),
    ("The user swims", "The user does not swim"),
    ("张三抽烟", "张三不抽烟"),
    ("服务器在线", "服务器不在线"),
    ("The user's blood type is A", "The user's blood type is B"),
    ("Blood type A", "Blood type B"),
    ("用户是A型血", "用户是B型血"),
    ("Uses module A", "Is about to move to module C"),
]


def _relation(older: str, newer: str) -> Relation:
    return compare(older, newer).relation


@pytest.mark.parametrize(("first", "second"), [*OTHER_PEOPLE, *OTHER_OPERATORS, *OTHER_DIRECTIONS, *QUESTIONS, *OTHER_TENSES])
def test_small_words_and_signs_keep_two_memories_two(first: str, second: str) -> None:
    assert _relation(first, second) is not Relation.SAME
    assert _relation(second, first) is not Relation.SAME


@pytest.mark.parametrize(("first", "second"), QUESTIONS)
def test_a_question_is_no_answer_to_itself(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.APART


@pytest.mark.parametrize(("first", "second"), [*OTHER_KINDS_OF_VALUE, *OTHER_OWNERS])
def test_only_values_of_one_kind_and_one_owner_replace_each_other(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.APART


@pytest.mark.parametrize(("first", "second"), [*DENIED_OF_ANOTHER, *BOTH_MAY_HOLD])
def test_what_is_denied_of_another_denies_nothing(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.APART


@pytest.mark.parametrize(("first", "second"), ONE_PERSON)
def test_the_user_and_i_are_one_person(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.SAME


@pytest.mark.parametrize(("older", "newer"), [*STILL_REPLACED, *FILLED_ANEW])
def test_news_of_the_same_thing_takes_its_place(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.REPLACES


@pytest.mark.parametrize(("older", "newer"), STILL_ASKED)
def test_a_denial_of_the_same_is_asked_about(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.CONTRADICTS
