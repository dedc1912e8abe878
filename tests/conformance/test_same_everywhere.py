"""The same questions have the same answers, in the same order and with the same scores, on every store and over HTTP (STO-1, ENG-1)."""

from __future__ import annotations

from contextlib import ExitStack

from door_stage import client_of
from tour_stage import tour
from write_stage import Clock, opened


def test_every_store_and_door_answers_the_same(tmp_path):
    answers = []
    with ExitStack() as stack:
        for place, url in enumerate(["memory://", tmp_path / "a.db", f"jsonl:///{tmp_path}/b.jsonl", tmp_path / "c.db"]):
            clock = Clock()
            memory = stack.enter_context(opened(url, clock=clock))
            if place == 3:
                memory = stack.enter_context(client_of(memory, agent="writer"))
            answers.append(tour(memory, clock))
    for other in answers[1:]:
        for ours, theirs in zip(answers[0], other, strict=True):
            assert ours == theirs
