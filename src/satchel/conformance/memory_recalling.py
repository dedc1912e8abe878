"""The contract of a memory: recall. It must not know how a memory ranks, nor whether it has a model.

What is asked shares words with what is remembered, so that the lexical lane alone must find it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import CONTENTS, make
from satchel.errors import InvalidRequest
from satchel.operations.memory import Memory
from satchel.operations.models import Hit


def _ids(hits: list[Hit]) -> list[str]:
    return [hit.record.id for hit in hits]


class Recalling(Contract):
    """`recall`, `search`, `context`."""

    subject = "memory"

    def _filled(self, memory: Memory) -> None:
        memory.remember_many([{"content": content, "id": f"m{place}"} for place, content in enumerate(CONTENTS)], scope=self.scope())

    @requirement("RCL-1", "RCL-4")
    def test_the_memory_that_answers_comes_first_in_either_language(self, memory: Memory) -> None:
        self._filled(memory)
        asked = {
            "花生过敏": "m0", "window seat": "m1", "数据平台组的会": "m2", "when is staging rebuilt": "m3",
            "代码注释": "m4", "母亲生日": "m6",
        }  # fmt: skip
        for query, expected in asked.items():
            assert _ids(memory.recall(query, scope=self.scope()))[:1] == [expected], query
            assert _ids(memory.search(query, scope=self.scope()))[:1] == [expected], query

    @requirement("RCL-4")
    def test_short_and_foldable_queries_find_their_record(self, memory: Memory) -> None:
        self._filled(memory)
        memory.remember("the flag is max_retry_count in RetryPolicy", scope=self.scope(), id="code")
        for query, expected in {"花": "m0", "花生": "m0", "代码": "m4", "農曆": "m6", "ｍａｉｎ": "m5", "retry count": "code"}.items():
            assert expected in _ids(memory.search(query, scope=self.scope()))[:3], query

    @requirement("RCL-3")
    def test_hits_are_best_first_and_explain_themselves(self, memory: Memory) -> None:
        self._filled(memory)
        hits = memory.recall("staging cluster rebuilt", scope=self.scope())
        assert hits
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert {"relevance", "recency", "strength"} <= hits[0].reasons.keys()
        assert _ids(memory.recall("staging cluster rebuilt", scope=self.scope())) == _ids(hits)

    @requirement("RCL-1")
    def test_what_does_not_hold_now_is_left_out_and_still_listed(self, memory: Memory) -> None:
        scope = self.scope()
        memory.remember("the gate code was 4711", scope=scope, id="past", valid_until="2001-01-01T00:00:00Z")
        memory.remember("the gate code will be 1331", scope=scope, id="later", valid_from="2999-01-01T00:00:00Z")
        assert memory.recall("gate code", scope=scope) == []
        assert "gate code" not in memory.context("gate code", scope=scope)
        memory.remember("the gate code is kept at the desk", scope=scope, id="now", valid_from="2001-01-01T00:00:00Z")
        assert _ids(memory.recall("gate code", scope=scope)) == ["now"]
        assert {record.id for record in memory.every_record(scope=scope)} == {"past", "later", "now"}

    @requirement("RCL-3")
    def test_nothing_found_is_an_answer(self, memory: Memory) -> None:
        self._filled(memory)
        assert memory.recall("zzyzx quux", scope=self.scope()) == []
        assert memory.recall("花生", scope=self.scope("nobody")) == []

    @requirement("STO-3", "ACC-1")
    def test_another_scopes_memory_never_comes(self, memory: Memory) -> None:
        alice, bob = self.scope("alice"), self.scope("bob")
        for scope in (alice, bob, f"{alice}/project:web", f"{alice}x"):
            memory.remember_many([f"{scope} 对花生过敏 {place}" for place in range(4)], scope=scope)
        for found in (memory.recall("花生过敏", scope=alice, limit=50), memory.search("花生过敏", scope=alice, limit=50)):
            assert {hit.record.scope for hit in found} == {alice}
        both = memory.recall("花生过敏", scope=[alice, bob], limit=50)
        assert {hit.record.scope for hit in both} == {alice, bob}

    @requirement("STO-3")
    def test_a_question_without_a_scope_or_a_word_is_an_error(self, memory: Memory) -> None:
        nowhere: list[str | list[str]] = [[], "", "*", "user:*"]
        for scope in nowhere:
            with refused(InvalidRequest):
                memory.recall("花生", scope=scope)
            with refused(InvalidRequest):
                memory.search("花生", scope=scope)
        with refused(InvalidRequest):
            memory.recall("   ", scope=self.scope())
        with refused(InvalidRequest):
            memory.recall("花生", scope=self.scope(), limit=0)

    @requirement("RCL-1", "ENG-5")
    def test_filters_hold_before_ranking(self, memory: Memory) -> None:
        for place in range(12):
            memory.write_record(
                make(
                    f"r{place}", self.scope(), f"花生酱的第 {place} 种做法 peanut", type=["skill", "fact"][place % 2], meta={"n": place},
                    tags=[("a",), ("b",)][place % 2], pinned=place == 3, source={"origin": ["stated", "inferred"][place % 2]},
                )
            )  # fmt: skip
        conditions: list[tuple[dict[str, object], set[int]]] = [
            ({"types": ["skill"]}, set(range(0, 12, 2))),
            ({"tags": ["b"]}, set(range(1, 12, 2))),
            ({"where": {"n": [4, 5, 99]}}, {4, 5}),
            ({"pinned": True}, {3}),
            ({"origins": ["inferred"]}, set(range(1, 12, 2))),
            ({"since": "2026-03-03T00:00:00Z"}, set()),
            ({"until": "2026-03-03T00:00:00Z", "types": ["fact"], "tags": ["a"]}, set()),
        ]
        for given, expected in conditions:
            found = memory.recall("花生酱 peanut", scope=self.scope(), limit=50, min_relevance=0.0, min_strength=0.0, **given)  # type: ignore[arg-type]
            assert set(_ids(found)) == {f"r{place}" for place in expected}, given

    @requirement("RCL-3")
    def test_no_more_come_than_were_asked_for(self, memory: Memory) -> None:
        memory.remember_many([f"花生的第 {place} 件事" for place in range(20)], scope=self.scope())
        for limit in (1, 3, 11):
            assert len(memory.recall("花生", scope=self.scope(), limit=limit, min_relevance=0.0)) == limit
            assert len(memory.search("花生", scope=self.scope(), limit=limit)) == limit

    @requirement("RCL-7")
    def test_a_change_is_seen_by_the_next_question(self, memory: Memory) -> None:
        self._filled(memory)
        assert _ids(memory.recall("window seat", scope=self.scope()))[:1] == ["m1"]
        memory.remember("Always asks for seat 12A by the window", scope=self.scope(), id="new")
        assert "new" in _ids(memory.recall("window seat", scope=self.scope()))
        memory.remember("如今更喜欢坐火车", scope=self.scope(), id="m1")
        assert _ids(memory.recall("window seat", scope=self.scope()))[:1] == ["new"]
        assert _ids(memory.recall("坐火车", scope=self.scope()))[:1] == ["m1"]
        memory.forget("new", scope=self.scope())
        assert "new" not in _ids(memory.recall("window seat", scope=self.scope()))

    @requirement("CNF-2", "CNF-4", "PRO-7")
    def test_what_was_replaced_or_waits_is_not_recalled_as_true(self, memory: Memory) -> None:
        memory.remember("用户住在上海浦东", scope=self.scope(), id="old")
        memory.correct("old", "用户住在苏州园区", scope=self.scope(), new_id="new")
        assert _ids(memory.recall("用户住在哪里", scope=self.scope())) == ["new"]
        memory.update("new", scope=self.scope(), status="pending")
        assert "new" not in _ids(memory.recall("用户住在哪里 苏州", scope=self.scope()))

    @requirement("RET-3", "PRO-9")
    def test_recall_counts_as_use_and_search_does_not(self, memory: Memory) -> None:
        self._filled(memory)
        memory.search("花生过敏", scope=self.scope())
        memory.recall("花生过敏", scope=self.scope(), touch=False)
        assert memory.read("m0", scope=self.scope()).usage.access_count == 0
        before = memory.read("m0", scope=self.scope())
        memory.recall("花生过敏", scope=self.scope())
        package = bytearray()
        memory.export(to=_Sink(package), scope=self.scope())
        after = memory.read("m0", scope=self.scope())
        assert after.usage.access_count == 1
        assert after.state() == before.state()

    @requirement("RCL-6")
    def test_a_prompt_block_holds_what_answers_and_nothing_of_others(self, memory: Memory) -> None:
        self._filled(memory)
        memory.remember("别人的花生", scope=self.scope("bob"))
        text = memory.context("花生过敏", scope=self.scope())
        assert CONTENTS[0] in text
        assert "别人的花生" not in text
        assert memory.context("花生过敏", scope=self.scope("nobody")) == ""
        assert CONTENTS[0] not in memory.context("花生过敏", scope=self.scope(), max_tokens=50, types=["task"])

    @requirement("STO-5")
    def test_questions_and_writes_at_once_disturb_nobody(self, memory: Memory) -> None:
        self._filled(memory)

        def ask(place: int) -> bool:
            memory.remember(f"第 {place} 个旁观者 bystander", scope=self.scope(), id=f"b{place}")
            return _ids(memory.recall("花生过敏", scope=self.scope()))[:1] == ["m0"]

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(ask, range(12)))


class _Sink:
    """Takes a package's bytes."""

    def __init__(self, target: bytearray) -> None:
        self._target = target

    def write(self, data: bytes, /) -> None:
        self._target += data
