"""Write src/satchel/engine/text/hanzi.py from OpenCC's character table (pip install opencc-python-reimplemented, Apache-2.0)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/satchel/engine/text/hanzi.py"
HEAD = '''"""Which simplified character stands for each traditional one: data, made by scripts/make_hanzi.py; it knows nothing of text.

Derived from OpenCC's TSCharacters table, Copyright 2010-2017 BYVoid and contributors, by way of opencc-python-reimplemented,
Copyright 2014-2020 Yichen Huang, both under the Apache License 2.0. Changed: the first choice only, Basic Multilingual Plane only.
"""

TRADITIONAL = (
{traditional}
)
"""Characters to fold."""

SIMPLIFIED = (
{simplified}
)
"""What each folds to, place by place."""
'''


def pairs() -> Iterator[tuple[str, str]]:
    """Yield (traditional, simplified) of the characters of the Basic Multilingual Plane that differ."""
    spec = importlib.util.find_spec("opencc")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install opencc-python-reimplemented")
    table = Path(spec.origin).parent / "dictionary/TSCharacters.txt"
    for line in table.read_text(encoding="utf-8").splitlines():
        traditional, _, choices = line.partition("\t")
        simplified = choices.split(" ")[0]
        if len(traditional) == len(simplified) == 1 and max(traditional, simplified) <= "\uffff" and traditional != simplified:
            yield traditional, simplified


def literal(text: str) -> str:
    """Return the text as lines of adjoining string literals."""
    return "\n".join(f'    "{text[start : start + 60]}"' for start in range(0, len(text), 60))


def main() -> None:
    """Write the module."""
    found = sorted(pairs())
    TARGET.write_text(
        HEAD.format(traditional=literal("".join(a for a, _ in found)), simplified=literal("".join(b for _, b in found))), encoding="utf-8"
    )
    print(f"{len(found)} characters -> {TARGET}")  # noqa: T201


if __name__ == "__main__":
    main()
