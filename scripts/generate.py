"""Writes what is generated from the code: JSON Schema, TypeScript types, the reference pages. `--check` only compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts import reference  # noqa: E402

from satchel.protocol import schema, typescript  # noqa: E402


def generated() -> dict[Path, str]:
    """Return every generated file's text by path."""
    files = {
        ROOT / "spec" / "schema" / name: json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        for name, document in schema.documents().items()
    }
    files[ROOT / "spec" / "types" / "satchel.d.ts"] = typescript.declarations()
    files[ROOT / "docs" / "cli.md"] = reference.command_line()
    files[ROOT / "docs" / "operations.md"] = reference.operations()
    files[ROOT / "docs" / "conformance.md"] = reference.conformance()
    return files


def stale(files: dict[Path, str]) -> list[Path]:
    """Return the files that differ from what the code says."""
    return [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]


def main() -> int:
    """Write or check; exit code 1 where a check finds a stale file."""
    files = generated()
    old = stale(files)
    if "--check" in sys.argv[1:]:
        for path in old:
            sys.stdout.write(f"stale: {path.relative_to(ROOT)} (run `make docs`)\n")
        return 1 if old else 0
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], "utf-8")
        sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
