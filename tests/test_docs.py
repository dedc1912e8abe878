"""What the documentation says is true: every code block runs, every reference page is current, every link leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import ROOT, RUN, SHOWN, blocks, environment, run_page, runnable

PAGES = sorted(
    [ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")]
)
PROSE = [*PAGES, *sorted((ROOT / "spec").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#]+)(?:#[^)]*)?\)")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PROSE, ids=_name)
def test_every_block_is_run_shown_or_excused(page: Path) -> None:
    strange = [f"line {block.line}: {block.language!r}" for block in blocks(page) if block.language not in RUN | SHOWN]
    assert not strange, "name the language of each block"


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if runnable(page)], ids=_name)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    done = run_page(page, tmp_path)
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}"


def test_both_readmes_hold_the_same_code() -> None:
    english, chinese = blocks(ROOT / "README.md"), blocks(ROOT / "README.zh-CN.md")
    assert [(block.language, block.code) for block in english] == [(block.language, block.code) for block in chinese]


def test_both_readmes_are_of_one_shape_and_lead_to_the_same_pages() -> None:
    """What one says, the other says: as many sections, paragraphs, points and links, in one order."""

    def shape(name: str) -> list[tuple[str, list[str]]]:
        text = re.sub(r"```.*?```", "```", (ROOT / name).read_text("utf-8"), flags=re.DOTALL)
        lines = [line for line in text.splitlines() if line and not line.startswith("<!--")]
        pages = [[link for link in LINK.findall(line) if not link.startswith("README")] for line in lines]
        return [(line.split(" ")[0] if line[0] in "#-`" else "text", sorted(links)) for line, links in zip(lines, pages, strict=True)]

    assert shape("README.md") == shape("README.zh-CN.md")


@pytest.mark.parametrize("page", PROSE, ids=_name)
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = LINK.findall(re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL))
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_every_page_of_docs_is_in_the_index() -> None:
    listed = set(LINK.findall((ROOT / "docs" / "README.md").read_text("utf-8")))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed


FORBIDDEN = ("/work/", "/root/", "pypi.org", "pythonhosted", "registry.npmjs", "index-url", "find-links", "deb.debian")


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    guilty = []
    for name in filter(None, tracked):
        path = ROOT / name
        if path == Path(__file__) or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        guilty += [f"{name}: {word}" for word in FORBIDDEN if word in text]
    assert not guilty


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_every_example_runs(example: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(example)], cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
