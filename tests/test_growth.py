"""How it grows: what was measured is kept, by machine, and drawn from what is kept."""

from __future__ import annotations

import argparse
import re

from benchmarks import chart, growth

HERE = {
    "processor": "A",
    "processors": 2,
    "memory GiB": 8,
    "system": "Linux",
    "python": "3",
    "sqlite": "3",
    "satchel": "0",
    "load": [0.5, 0.4, 0.3],
}
THERE = HERE | {"processor": "B"}


def test_the_pictures_and_the_page_are_drawn_from_the_figures_beside_them(tmp_path):
    growth.draw(growth.FOLDER, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in growth.FOLDER.iterdir()} - {growth.FIGURES}
    for path in tmp_path.iterdir():
        assert path.read_text("utf-8") == (growth.FOLDER / path.name).read_text("utf-8"), f"{path.name}: python -m benchmarks.growth --draw"


def test_a_figure_stays_until_its_size_is_measured_again_and_a_machine_as_long_as_its_figures(tmp_path):
    growth.keep(tmp_path, 1000, [("scope", ("recall, p50", 1.23456)), ("scope", ("recall, p95", 5.0))], HERE)
    growth.keep(tmp_path, 10_000, [("scope", ("recall, p50", 2.0))], THERE)
    kept = growth.kept(tmp_path)
    assert kept["machines"] == [{key: value for key, value in one.items() if key != "load"} for one in (HERE, THERE)]
    assert [(row["line"], row["size"], row["value"], row["machine"]) for row in kept["figures"]] == [
        ("recall, p50", 1000, 1.235, 0),
        ("recall, p50", 10_000, 2.0, 1),
        ("recall, p95", 1000, 5.0, 0),
    ]
    growth.keep(tmp_path, 1000, [("scope", ("recall, p50", 1.0)), ("scope", ("recall, p95", 4.0))], THERE)
    assert [one["processor"] for one in growth.kept(tmp_path)["machines"]] == ["B"]
    growth.draw(tmp_path, tmp_path)
    page = (tmp_path / "README.md").read_text("utf-8")
    assert "| recall, p50 | 1 | 2 |" in page and "| recall, p95 | 4 |  |" in page and "Measured on B, 2 processors, 8 GiB" in page
    assert "busy" not in page
    growth.keep(tmp_path, 1000, [("scope", ("recall, p50", 9.0))], THERE | {"load": [5.0, 0.4, 0.3]})
    growth.draw(tmp_path, tmp_path)
    assert "while it was busy with other things (load up to 5)." in (tmp_path / "README.md").read_text("utf-8")


def test_equal_ratios_are_equal_ways_on_both_axes():
    lines = {"a": [(1000, 1.0), (10_000, 10.0), (100_000, 100.0)], "b": [(2000, 0.5)]}
    picture = chart.draw("t", "ms", lines, across="size", below=["here"])
    points = re.search(r'class="l0" points="([^"]+)"', picture)[1].split()
    first, second, third = (tuple(map(float, point.split(","))) for point in points)
    assert abs((second[0] - first[0]) - (third[0] - second[0])) < 0.2
    assert abs((second[1] - first[1]) - (third[1] - second[1])) < 0.2
    assert third[0] > first[0] and third[1] < first[1]
    assert picture.count("<circle") == 4


def test_what_is_measured_at_a_small_size_has_a_place_to_be_drawn(tmp_path):
    given = argparse.Namespace(scope=50, queries=5, dir=tmp_path, systems=["satchel"])
    for name in ("inside", "scope", "peers"):
        found = list(growth.MEASURES[name](150, given))
        assert found and all(name in growth.CHARTS and value > 0 for name, (_, value) in found)
        growth.keep(tmp_path / "out", 150, found, HERE)
    growth.draw(tmp_path / "out", tmp_path / "out")
    assert (tmp_path / "out/inside.svg").exists() and (tmp_path / "out/peers-search.svg").exists()
