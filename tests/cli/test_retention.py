"""Maintenance and simulation from the terminal (surface.md)."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from satchel.cli.picture import sparkline


def test_maintain_tells_what_it_did_and_a_dry_run_what_it_would_do(satchel) -> None:
    record_id = satchel.remember("午饭的口令是枫叶", "--expires", "2020-01-01")
    assert f"expire  {record_id}" in satchel("maintain", "--dry-run").out
    assert satchel("show", record_id, "--json").json["status"] == "active"
    answer = satchel("maintain")
    assert answer.code == 0
    assert "done in 1 scope: 1 expire" in answer.out
    assert "expired on 2020-01-01" in answer.out
    assert "nothing to do" in satchel("maintain").out
    assert satchel("maintain", "--json").json["counts"] == {}


def test_maintain_takes_every_scope_unless_one_is_named(satchel) -> None:
    satchel.remember("甲", "--expires", "2020-01-01", "--scope", "user:alice")
    satchel.remember("乙", "--expires", "2020-01-01", "--scope", "user:bob")
    assert satchel("maintain", "--scope", "user:bob", "--json").json["counts"] == {"expire": 1}


def test_simulate_lists_who_goes_when_and_draws_a_line(satchel) -> None:
    satchel.remember("用户在学手风琴", "--half-life", "5d", "--score", "0.6")
    satchel.remember("Never phone before nine", "--pin")
    answer = satchel("simulate", "--scope", "user:alice", "--days", "60")
    assert answer.code == 0
    assert "stays" in answer.out
    assert re.search(r"strength  [▁▂▃▄▅▆▇█]{60}", answer.out)
    assert "1 of 2 memories would be archived within 60 days" in answer.out
    found = satchel("simulate", "--days", "60", "--json").json
    assert found["archived"] == 1
    assert len(found["records"][0]["curve"]) == len(found["days"]) == 61


def test_simulate_tries_settings(satchel) -> None:
    satchel.remember("甲")
    satchel.remember("乙")
    assert satchel("simulate", "--set", "ceiling=1", "--json").json["reasons"] == {"beyond": 1}
    answer = satchel("simulate", "--set", "ceilings=1")
    assert answer.code == 2
    assert "ceilings" in answer.err


def test_the_picture_is_an_svg_without_a_word_of_what_is_remembered(satchel, tmp_path) -> None:
    satchel.remember("秘密的花园", "--half-life", "5d")
    target = tmp_path / "fading.svg"
    assert satchel("simulate", "--svg", str(target)).code == 0
    text = target.read_text("utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert len(root.findall(".//{*}polyline")) == 2
    assert "花园" not in text
    assert ElementTree.fromstring(satchel("simulate", "--svg", "-").out).tag == root.tag


def test_an_empty_store_has_nothing_to_fade(satchel) -> None:
    assert "0 of 0 memories" in satchel("simulate").out
    assert satchel("simulate", "--svg", "-").code == 0


@pytest.mark.parametrize(
    ("values", "line"), [([], ""), ([0.0], "▁"), ([0.0, 1.0], "▁█"), ([1.0] * 200, "█" * 60), ([0.5, 0.25], "█▅"), ([0, 0], "▁▁")]
)
def test_sparklines_go_from_zero_to_the_greatest(values, line) -> None:
    assert sparkline(values) == line
