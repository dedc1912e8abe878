"""Write the async twin of `Memory` under src/satchel/client/ from its source under src/satchel/operations/.

`python scripts/make_async.py` writes it; with `--check` it only tells whether it is up to date (exit code 1 where it is not).
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPERATIONS = ROOT / "src/satchel/operations"
CLIENT = ROOT / "src/satchel/client"

TWINS = {
    OPERATIONS / "memory.py": CLIENT / "asynchronous.py",
    OPERATIONS / "seeing_verbs.py": CLIENT / "asynchronous_seeing.py",
    OPERATIONS / "session_verbs.py": CLIENT / "asynchronous_sessions.py",
}
"""Each source with its twin."""

DOCSTRING = """`{twin}`: `{name}` to be awaited. Made by scripts/make_async.py from operations/{file}: change that.

It must not know who carries the request out.
"""

SHARED = {"memory.py": "from satchel.operations.memory import _require_binary, _several\n"}
"""What a twin takes from its source instead of repeating it."""

RENAMED = {
    "Memory": "AsyncMemory",
    "SeeingVerbs": "AsyncSeeingVerbs",
    "SessionVerbs": "AsyncSessionVerbs",
    "satchel.operations.seeing_verbs": "satchel.client.asynchronous_seeing",
    "satchel.operations.session_verbs": "satchel.client.asynchronous_sessions",
    "Working": "AsyncWorking",
    "Iterator": "AsyncIterator",
    "__enter__": "__aenter__",
    "__exit__": "__aexit__",
}


def _is_generator(function: ast.FunctionDef) -> bool:
    annotation = function.returns
    return isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name) and annotation.value.id == "Iterator"


class _Twin(ast.NodeTransformer):
    """Turns the class's methods into coroutines and awaits their calls on `self`."""

    def __init__(self, awaited: set[str], generators: set[str]) -> None:
        self._awaited = awaited
        self._generators = generators

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        abstract = any(isinstance(mark, ast.Name) and mark.id == "abstractmethod" for mark in node.decorator_list)
        self.generic_visit(node)
        if abstract and node.name in self._generators:
            # Without a body that yields, `async def` would be a coroutine of an iterator.
            return node
        return ast.copy_location(ast.AsyncFunctionDef(**{field: getattr(node, field) for field in node._fields}), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(RENAMED.get(node.id, node.id), node.ctx), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Await(node), node) if self._on_self(node, self._awaited) else node

    def visit_For(self, node: ast.For) -> ast.AST:
        over_generator = isinstance(node.iter, ast.Call) and self._on_self(node.iter, self._generators)
        self.generic_visit(node)
        if not over_generator:
            return node
        return ast.copy_location(ast.AsyncFor(**{field: getattr(node, field) for field in node._fields}), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.value, ast.YieldFrom):
            return node
        step = ast.Expr(ast.Yield(ast.Name("item", ast.Load())))
        return ast.copy_location(ast.For(ast.Name("item", ast.Store()), node.value.value, [step], []), node)

    @staticmethod
    def _on_self(call: ast.Call, names: set[str]) -> bool:
        method = call.func
        on_self = isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name) and method.value.id == "self"
        return on_self and method.attr in names


def _twin_class(node: ast.ClassDef) -> ast.ClassDef:
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    generators = {method.name for method in methods if _is_generator(method)}
    twin = _Twin({method.name for method in methods} - generators, generators)
    node.body = [twin.visit(part) for part in node.body]
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            part.name = RENAMED.get(part.name, part.name)
    node.name = RENAMED[node.name]
    node.bases = [ast.Name(RENAMED.get(base.id, base.id), base.ctx) if isinstance(base, ast.Name) else base for base in node.bases]
    docstring = node.body[0]
    assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)
    docstring.value.value = docstring.value.value.replace("embedded in a process and over HTTP", "to be awaited, embedded and over HTTP")
    return node


def _ruff(*arguments: str, source: str, target: Path) -> str:
    command = [sys.executable, "-m", "ruff", *arguments, "--quiet", "--stdin-filename", str(target), "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, encoding="utf-8", check=False, cwd=ROOT).stdout


def generate(origin: Path, target: Path) -> str:
    """Return the source of one twin."""
    body: list[ast.stmt] = []
    for node in ast.parse(origin.read_text(encoding="utf-8")).body[1:]:
        if isinstance(node, ast.ClassDef):
            name = node.name
            body.append(_twin_class(node))
            body.insert(0, ast.Expr(ast.Constant(DOCSTRING.format(name=name, twin=node.name, file=origin.name))))
        elif isinstance(node, ast.ImportFrom | ast.Assign):
            if isinstance(node, ast.ImportFrom):
                node.module = RENAMED.get(node.module or "", node.module)
                node.names = [ast.alias(RENAMED.get(alias.name, alias.name), alias.asname) for alias in node.names]
            body.append(node)
    source = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    source = source.replace("\nQ = ", f"\n{SHARED.get(origin.name, '')}\nQ = ", 1)
    return _ruff("check", "--fix", source=_ruff("format", source=source, target=target), target=target)


def is_current() -> bool:
    """Tell whether every file is what would be written."""
    return all(target.exists() and target.read_text(encoding="utf-8") == generate(origin, target) for origin, target in TWINS.items())


def main() -> int:
    """Write the twins, or with --check compare them."""
    if "--check" in sys.argv[1:]:
        return 0 if is_current() else 1
    for origin, target in TWINS.items():
        target.write_text(generate(origin, target), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
