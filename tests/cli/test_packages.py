"""Packages from the terminal: out, looked at, in again, and refused where they are damaged (PRO-10)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import open_memory


@pytest.fixture
def package(satchel, tmp_path: Path) -> Path:
    satchel.remember("用户的自行车是灰色的", "--id", "bike", "--tag", "物品")
    satchel.remember("Her train leaves at 7:12", "--id", "train")
    satchel.remember("旧的门禁密码在信封里", "--id", "old")
    assert satchel("forget", "old").code == 0
    path = tmp_path / "alice.satchel"
    answer = satchel("export", "-o", str(path))
    assert answer.code == 0, answer.err
    return path


def test_a_package_carries_everything_to_another_store(satchel, package: Path, tmp_path: Path) -> None:
    other = ("--store", f"sqlite:///{tmp_path / 'other.db'}")
    before = satchel("show", "bike", "--json").json
    answer = satchel("import", str(package), *other)
    assert answer.code == 0, answer.err
    assert "2 created" in answer.out
    after = satchel("show", "bike", *other, "--json").json
    same = ("id", "content", "created_at", "tags", "source", "score", "type")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert satchel("show", "old", *other).code == 1
    assert satchel("show", "old", "--tombstone", *other).code == 0


def test_the_same_package_again_changes_nothing(satchel, package: Path) -> None:
    counts = satchel("import", str(package), "--json").json["counts"]
    assert counts == {"unchanged": 3}


def test_a_dry_run_writes_nothing(satchel, package: Path, tmp_path: Path) -> None:
    other = ("--store", f"sqlite:///{tmp_path / 'other.db'}")
    answer = satchel("import", str(package), "--dry-run", *other)
    assert answer.code == 0
    assert answer.out.startswith("would do")
    assert satchel("list", *other).code == 1


def test_scopes_can_be_mapped_on_the_way_in(satchel, package: Path) -> None:
    assert satchel("import", str(package), "--map", "user:alice=user:alice-2").code == 0
    assert len(satchel("list", "--scope", "user:alice-2", "--json").json["records"]) == 2


def test_inspect_says_what_a_package_holds(satchel, package: Path) -> None:
    answer = satchel("inspect", str(package))
    assert answer.code == 0
    assert "user:alice" in answer.out
    assert "verified" in answer.out
    assert satchel("inspect", str(package), "--json").json["counts"] == {"deleted": 1, "active": 2}


def test_a_package_goes_through_a_pipe(satchel, package: Path, tmp_path: Path) -> None:
    answer = satchel("import", "-", "--store", f"sqlite:///{tmp_path / 'piped.db'}", stdin=package.read_bytes())
    assert answer.code == 0
    out = satchel("export")
    assert out.code == 0
    assert out.out.splitlines()[0].startswith('{"kind":"header"')


def test_a_compressed_package_is_told_by_its_name(satchel, tmp_path: Path) -> None:
    pytest.importorskip("zstandard")
    satchel.remember("压缩我 " * 200)
    path = tmp_path / "alice.satchel.zst"
    assert satchel("export", "-o", str(path)).code == 0
    assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert satchel("inspect", str(path)).code == 0


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda data: data[:-30], "invalid_package"),
        (lambda data: data.replace("灰色".encode(), "红色".encode()), "invalid_package"),
        (lambda data: data.replace(b'"protocol":"1.0"', b'"protocol":"2.0"'), "version"),
        (lambda data: b"\xef\xbb\xbf" + data, "invalid_package"),
        (lambda data: "用户的猫".encode("gb18030"), "invalid_package"),
        (lambda data: b"", "invalid_package"),
    ],
    ids=["truncated", "altered", "newer-major", "bom", "not-utf8", "empty"],
)
def test_a_damaged_package_is_refused_before_anything_is_written(satchel, package: Path, tmp_path: Path, damage, code: str) -> None:
    broken = tmp_path / "broken.satchel"
    broken.write_bytes(damage(package.read_bytes()))
    store = ("--store", f"sqlite:///{tmp_path / 'fresh.db'}")
    for command in (["import", str(broken), *store], ["inspect", str(broken)]):
        answer = satchel(*command, "--json")
        assert answer.code == 3
        assert answer.error["code"] == code
        assert answer.out == ""
        assert answer.error["message"].startswith(f"{broken}: ")
    assert list(tmp_path.glob("fresh.db*")) == []


def test_a_package_that_is_cut_within_a_line_is_called_truncated(satchel, package: Path, tmp_path: Path) -> None:
    data = package.read_bytes()
    cut = tmp_path / "cut.satchel"
    for length in (len(data) - 1, len(data) - 30, len(data) // 2, data.index(b"\n") + 40):
        cut.write_bytes(data[:length])
        answer = satchel("inspect", str(cut))
        assert answer.code == 3
        assert f"{cut}: the package is truncated" in answer.err, length
    answer = satchel("import", "-", stdin=data[:-30])
    assert "standard input: the package is truncated" in answer.err


def test_a_refused_package_begins_no_store(satchel, package: Path, tmp_path: Path) -> None:
    store = ("--store", f"sqlite:///{tmp_path / 'fresh.db'}")
    assert satchel("import", "-", *store, stdin=package.read_bytes()[:-30]).code == 3
    assert satchel("import", str(package), "--map", "nonsense", *store).code == 2
    assert satchel("import", str(tmp_path / "nowhere.satchel"), *store).code == 2
    assert list(tmp_path.glob("fresh.db*")) == []
    assert satchel("import", "-", *store, stdin=package.read_bytes()).code == 0


def test_inspect_says_the_position_that_an_export_can_go_on_from(satchel, package: Path) -> None:
    position = satchel("inspect", str(package), "--json").json["header"]["position"]
    assert f"position  {position}\n" in satchel("inspect", str(package)).out


def test_a_difference_needs_two_packages(satchel, package: Path) -> None:
    for words in ([str(package)], [str(package), "now"], ["now", str(package)]):
        answer = satchel("diff", *words)
        assert answer.code == 2
        assert str(package) in answer.err and "another package" in answer.err
    assert satchel("diff", str(package), str(package)).code == 1


def test_an_export_that_fails_leaves_the_old_file_alone(satchel, package: Path, tmp_path: Path) -> None:
    before = package.read_bytes()
    answer = satchel("export", "-o", str(package), "--store", str(tmp_path / "nowhere" / "x.db"))
    assert answer.code == 2
    assert package.read_bytes() == before
    assert [path.name for path in tmp_path.glob(".alice*")] == []
    assert satchel("export", "-o", str(tmp_path / "no-folder" / "x.satchel")).code == 2


def test_an_export_to_a_link_replaces_what_it_points_to(satchel, package: Path, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    link = tmp_path / "link.satchel"
    link.symlink_to(tmp_path / "place" / "real.satchel")
    for _ in range(2):  # a link to nothing yet, then one to a file
        assert satchel("export", "-o", str(link)).code == 0
        assert link.is_symlink()
        assert satchel("inspect", str(tmp_path / "place" / "real.satchel")).code == 0
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    assert satchel("export", "-o", str(circle)).code in {2, 3}
    assert circle.is_symlink()


def test_an_export_to_a_pipe_is_written_into_it(satchel, package: Path, tmp_path: Path) -> None:
    pipe, there = tmp_path / "pipe", tmp_path / "read.satchel"
    os.mkfifo(pipe)
    script = "import shutil, sys; shutil.copyfileobj(open(sys.argv[1], 'rb'), open(sys.argv[2], 'wb'))"
    with subprocess.Popen([sys.executable, "-c", script, str(pipe), str(there)]) as reader:
        assert satchel("export", "-o", str(pipe)).code == 0
        assert reader.wait(30) == 0
    assert pipe.is_fifo()
    assert satchel("inspect", str(there)).code == 0


def test_an_export_whose_reader_goes_away_says_so(satchel, package: Path, tmp_path: Path) -> None:
    satchel.remember("长" * 30_000)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", "import sys; open(sys.argv[1], 'rb').read(10)", str(pipe)]):
        answer = satchel("export", "-o", str(pipe))
    assert answer.code == 3
    assert str(pipe) in answer.err
    assert pipe.is_fifo()


def test_only_what_changed_since_a_position(satchel, package: Path, tmp_path: Path) -> None:
    position = satchel("inspect", str(package), "--json").json["header"]["position"]
    satchel.remember("新买了一盏灯", "--id", "lamp")
    later = tmp_path / "later.satchel"
    assert satchel("export", "--since", str(position), "-o", str(later)).code == 0
    found = satchel("inspect", str(later), "--json").json
    assert found["counts"] == {"active": 1}
    assert found["header"]["complete"] is False


def test_a_package_is_not_printed_on_a_terminal(tmp_path: Path) -> None:
    words = ["-m", "satchel", "export", "--scope", "user:a"]
    script = (
        "import os, pty, sys\n"
        "child, end = pty.fork()\n"
        "if child == 0:\n"
        f"    os.execv(sys.executable, [sys.executable, *{words!r}])\n"
        "said = b''\n"
        "try:\n"
        "    while part := os.read(end, 4096): said += part\n"
        "except OSError: pass\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode())\n"
    )
    environment = os.environ | {"SATCHEL_STORE": str(tmp_path / "x.db")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert done.stdout.startswith("2 ")
    assert "--output" in done.stdout


def test_sessions_travel_where_they_are_asked_for(satchel, tmp_path: Path) -> None:
    with open_memory(f"sqlite:///{tmp_path / 'memory.db'}", embedder="none", agent="planner") as memory:
        session = memory.session_start("trip", scope="user:alice")
        session.slots["城市"] = "杭州"
        session.save()
    for words, there in (([], False), (["--sessions"], True)):
        assert satchel("export", *words, "-o", str(tmp_path / "p.satchel")).code == 0
        assert ("杭州" in (tmp_path / "p.satchel").read_text("utf-8")) is there
