"""What a long run showed reaches the page: a line, a file for each run, and a table between the page's marks."""

from __future__ import annotations

from pathlib import Path

from scripts.soak_table import BEGIN, END, keep, read, table, written

from pages import ROOT

MACHINE = {"processor": "a processor", "cores": 2, "load": [1.0, 2.0]}


def test_a_run_is_kept_in_place_of_the_last_one_and_told_in_a_line(tmp_path: Path) -> None:
    keep(tmp_path / "soak", "SQLite, 杀 killed", {"kills": 3}, seconds=1, machine=MACHINE)
    kept = keep(tmp_path / "soak", "SQLite, 杀 killed", {"kills": 200, "longest_wait_seconds": 0.12345}, seconds=61.2, machine=MACHINE)
    assert kept.line == "soak: SQLite, 杀 killed: kills 200, longest wait seconds 0.123; 61 s"
    assert read(tmp_path / "soak") == [kept]


def test_the_table_names_every_run_and_the_machine_once(tmp_path: Path) -> None:
    keep(tmp_path, "b", {"records": 8000}, seconds=5, machine=MACHINE)
    keep(tmp_path, "a", {"kills": 200, "lost": 0}, seconds=3, machine=MACHINE)
    made = table(read(tmp_path)).split("\n")
    assert [line.split(" | ")[:3] for line in made[2:4]] == [["| a", "kills 200, lost 0", "3 s"], ["| b", "records 8,000", "5 s"]]
    assert made[4:] == ["", "Machine: a processor, cores 2."]


def test_only_what_is_between_the_marks_is_written() -> None:
    page = (ROOT / "docs" / "soak.md").read_text("utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    anew = written(page, "| new |")
    assert f"{BEGIN}\n| new |\n{END}" in anew
    assert anew.partition(BEGIN)[0] == page.partition(BEGIN)[0]
    assert anew.partition(END)[2] == page.partition(END)[2]
    assert written(anew, "| new |") == anew
