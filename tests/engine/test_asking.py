"""A question and its sentences."""

import numpy as np
import pytest

from satchel.engine.recall.asking import MAX_SENTENCES, ask, sentences


@pytest.mark.parametrize(
    "text", ["", "茶", "我对什么过敏？", "Which seat do I like?", "Is version 1.2.3 of www.example.org fine", "好。我对什么过敏？"]
)
def test_one_sentence_has_no_parts(text):
    assert sentences(text) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("我对什么过敏？另外，我的猫叫什么？", ["我对什么过敏？", "我的猫叫什么？"]),
        ("I am tired today. Which seat do I like?", ["I am tired today.", "Which seat do I like?"]),
        ("今天很累\n明天几点开会", ["今天很累", "明天几点开会"]),
    ],
)
def test_several_sentences_are_parted(text, parts):
    assert sentences(text) == parts


def test_more_sentences_than_are_looked_for_go_together_and_none_is_lost():
    text = "".join(f"这是第{n}句话。" for n in range(40))
    found = sentences(text)
    assert len(found) == MAX_SENTENCES
    assert "".join(found).replace(" ", "") == text


def test_each_text_with_terms_is_asked_for_with_its_vector():
    vectors = list(np.eye(3, dtype=np.float32))
    asked = ask(["花生。？？？", "？？？", "peanuts"], vectors)
    assert [question.vector.tolist() for question in asked] == [vectors[0].tolist(), vectors[2].tolist()]
    assert [question.wide for question in asked] == [1.0, 0.0]
