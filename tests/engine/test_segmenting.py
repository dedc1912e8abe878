"""Terms of memories and questions (RCL-4), and their packed form."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.engine.text.segmenting import (
    CHARACTER_WEIGHT,
    MAX_WORD,
    hash_query,
    hash_term,
    pack_terms,
    segment,
    segment_query,
    unpack_many,
    unpack_terms,
    wide_share,
)


def test_chinese_gives_each_character_and_each_pair():
    assert segment("花生过敏") == ["花", "生", "过", "敏", "花生", "生过", "过敏"]


def test_punctuation_parts_the_pairs():
    assert "敏不" not in segment("过敏，不吃")


@pytest.mark.parametrize(
    ("question", "memory"), [("茶", "他爱喝茶"), ("花生", "对花生过敏"), ("红楼梦", "在读《红楼梦》"), ("１２", "还剩 12 天")]
)
def test_a_question_of_one_two_or_three_characters_shares_a_term_with_its_memory(question, memory):
    assert set(segment_query(question)) & set(segment(memory))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("喜歡蘋果與電腦", "喜欢苹果与电脑"),
        ("ＡＢＣ１２３", "abc123"),
        ("ﾃﾞｰﾀ", "データ"),
        ("MEMORY", "memory"),
        ("café naïve", "cafe naive"),
        ("the user’s dogs", "the user's dogs"),
    ],
)
def test_forms_of_one_text_fold_together(one, other):
    assert segment(one) == segment(other)


def test_english_words_are_stemmed():
    assert segment("running dogs") == segment("run dog")


@pytest.mark.parametrize("identifier", ["getUserName", "get_user_name", "GetUserName", "get-user-name"])
def test_an_identifier_is_found_by_its_parts(identifier):
    assert {"get", "user", "name"} <= set(segment(identifier))


@pytest.mark.parametrize(
    ("identifier", "typed"), [("getUserName", "getusername"), ("MAX_RETRY_COUNT", "max_retry_count"), ("iPhone15", "iphone 15")]
)
def test_an_identifier_is_found_as_it_is_typed(identifier, typed):
    assert set(segment_query(typed)) <= set(segment(identifier))


def test_an_acronym_is_parted_from_the_word_after_it():
    assert {"http", "server"} <= set(segment("HTTPServer"))


def test_contractions_lose_their_tail_and_names_keep_both_parts():
    assert segment("it's don't") == ["it", "do"]
    assert segment("O'Brien")[0] == "obrien"


def test_stop_words_are_dropped_from_a_question_but_not_from_a_memory():
    assert segment_query("What does the user like to eat?") == ["user", "like", "eat"]
    assert "the" in segment("the user")


def test_a_question_of_stop_words_alone_keeps_them():
    assert segment_query("who are you") == ["who", "are", "you"]


def test_a_questions_terms_are_distinct():
    assert segment_query("tea tea 茶茶茶") == ["tea", "茶茶"]


@pytest.mark.parametrize("text", ["東京タワーに行った", "김치를 좋아해요", "ชอบกินข้าว"])
def test_other_scripts_without_reliable_spaces_are_found_by_their_pairs(text):
    assert segment_query(text[:2])[0] in segment(text)


def test_a_script_with_marks_is_not_torn_apart():
    assert segment("हिन्दी में") == ["हिन्दी", "में"]


def test_a_picture_character_is_a_term():
    assert "🍕" in segment("今晚吃🍕")


@pytest.mark.parametrize("text", ["", " ", "___", "。，！", "\x00", "\ufeff"])
def test_text_without_words_has_no_terms(text):
    assert segment(text) == segment_query(text) == []
    assert unpack_terms(pack_terms(text)).hashes.size == 0


def test_a_lone_surrogate_is_no_reason_to_stop():
    assert segment("a\ud800b") == ["a", "b"]


def test_a_very_long_word_is_cut_alike_in_memory_and_question():
    word = "ab" * 50_000
    assert segment(word) == segment_query(word)
    assert len(segment(word)[0]) <= MAX_WORD


def test_a_megabyte_is_segmented():
    assert unpack_terms(pack_terms("对花生过敏" * 70_000)).length == 70_000 * 5 - 1


def test_a_hash_is_the_crc_of_the_terms_utf8():
    assert hash_term("花生") == zlib.crc32("花生".encode())


def test_a_questions_hashes_weigh_characters_below_pairs():
    terms = dict(zip(*(part.tolist() for part in hash_query("花生 tea 码")), strict=True))
    assert terms == {
        hash_term("花"): CHARACTER_WEIGHT,
        hash_term("生"): CHARACTER_WEIGHT,
        hash_term("花生"): 1.0,
        hash_term("tea"): 1.0,
        hash_term("码"): 1.0,
    }


def test_the_packed_length_counts_no_character_twice():
    assert unpack_terms(pack_terms("花生过敏 and tea")).length == 3 + 2
    assert unpack_terms(pack_terms("茶")).length == 1


@pytest.mark.parametrize(("text", "low", "high"), [("花生过敏", 255, 255), ("peanut", 0, 0), ("", 0, 0), ("用 Kubernetes 部署", 80, 160)])
def test_the_packed_entry_says_how_a_text_is_mixed(text, low, high):
    assert low <= unpack_terms(pack_terms(text)).wide <= high


def test_a_text_without_letters_is_in_no_language():
    assert wide_share("429 12") is None
    assert wide_share("peanut") == 0.0


def test_frequencies_stop_at_255():
    packed = unpack_terms(pack_terms("tea " * 300))
    assert packed.frequencies.tolist() == [255]
    assert packed.length == 300


texts = st.text(st.one_of(st.characters(), st.sampled_from("花生过敏喜歡abcXYZ_'12 ，한글𠀀")), max_size=80)


@given(texts)
def test_packing_keeps_every_term_and_its_frequency(text):
    terms = segment(text)
    hashes, frequencies, *_ = unpack_terms(pack_terms(text))
    assert dict(zip(hashes.tolist(), frequencies.tolist(), strict=True)) == {hash_term(term): terms.count(term) for term in terms}
    assert (np.diff(hashes.astype(np.int64)) > 0).all()


@given(texts)
def test_a_memory_holds_every_term_of_the_same_text_as_a_question(text):
    assert set(segment_query(text)) <= set(segment(text))


@given(st.lists(texts, max_size=6))
def test_unpacking_many_is_unpacking_each(parts):
    blobs = [pack_terms(part) for part in parts] + [b""]
    many = unpack_many(blobs)
    for number, blob in enumerate(blobs):
        one = unpack_terms(blob)
        start, end = many.offsets[number], many.offsets[number + 1]
        assert many.hashes[start:end].tolist() == one.hashes.tolist()
        assert many.frequencies[start:end].tolist() == one.frequencies.tolist()
        assert (many.lengths[number], many.wide[number]) == (one.length, one.wide)
