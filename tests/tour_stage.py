"""A tour through a memory: everything whose order could differ, with what was answered, for stores, doors and indexes to be compared."""

from __future__ import annotations

import random

_SUBJECTS = [
    "花生",
    "咖啡",
    "窗口座位",
    "周三的会议",
    "staging cluster",
    "code review",
    "母亲的生日",
    "the train",
    "红茶 tea",
    "搬家 moving",
]
_SAYINGS = ["用户不喜欢{}", "remember {} next week", "{} 每天都提到", "about {}: ask first", "对{}过敏", "{} is fine now"]


def _memories(seed: int) -> list[dict[str, object]]:
    chance = random.Random(seed)
    return [
        {
            "id": f"m{place:03}",
            "content": f"{chance.choice(_SAYINGS).format(chance.choice(_SUBJECTS))}（{chance.choice(_SUBJECTS)}）{place % 37}",
            "type": chance.choice(["fact", "preference", "task", "interaction"]),
            "tags": chance.sample(["甲", "b", "丙"], chance.randrange(3)),
            "scope": chance.choice(["user:alice", "user:bob", "user:alice/project:web"]),
            "created_at": f"20{chance.randrange(10, 26)}-0{chance.randrange(1, 10)}-11T08:00:00Z",
            "pinned": place % 31 == 0,
        }
        for place in range(240)
    ]


def tour(memory, clock) -> list[object]:
    """Do everything whose order could differ, and return what was answered."""
    told: list[object] = []
    for start in range(0, 240, 60):
        results = memory.remember_many(_memories(5)[start : start + 60])
        told.append([(done.record.id, done.outcome, done.related, done.record.score) for done in results])
        clock.pass_(days=9)
    for name in ("m003", "m050", "m111"):
        held = next(record for record in memory.every_record(scope=_SCOPES) if record.id == name)
        memory.correct(name, f"更正：{held.content} corrected", scope=held.scope, new_id=f"{name}-new")
        clock.pass_(hours=1)
    gone = list(memory.every_record(scope="user:bob"))[3:6]
    told.append([memory.forget(record.id, scope="user:bob").count for record in gone])
    for query in (*_SUBJECTS, "茶", "next week", "meeting 会议", "过敏"):
        for scope in (["user:alice"], ["user:bob", "user:alice/project:web"], _SCOPES):
            hits = memory.recall(query, scope=scope, limit=20, min_relevance=0.0)
            told.append([(hit.record.id, hit.record.scope, hit.score, hit.reasons) for hit in hits])
            told.append([(hit.record.id, hit.score) for hit in memory.search(query, scope=scope, limit=15)])
    told.append([record.model_dump(exclude={"usage"}) for record in memory.every_record(scope=_SCOPES)])
    told.append([(change.scope, change.id, change.revision) for change in memory.changes(scope=_SCOPES).changes])
    told.append([(found.scope, found.counts) for found in memory.scopes()])
    told.append(memory.context("花生", scope=_SCOPES))
    return told


_SCOPES = ["user:alice", "user:bob", "user:alice/project:web"]
