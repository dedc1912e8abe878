"""The engine's side of vectors: making them for records, knowing whose the index holds, and rebuilding it (STO-4).

It must not know how a model works or how an index is searched.
"""

from __future__ import annotations

from collections.abc import Sequence

from satchel.engine.core import Core, Principal
from satchel.operations.models import Reindexed, ReindexRequest


def embed_contents(core: Core, contents: Sequence[str]) -> list[bytes | None]:
    """Return the stored form (little-endian float16) of each content's vector, for `Put.vector`.

    None throughout where there is no embedder, where it fails (noted once), or where the index holds another embedder's vectors:
    the record is written all the same and `reindex` brings its vector later.
    """
    raise NotImplementedError


def open_index(core: Core) -> None:
    """Compare the store's index with this engine's embedder and segmenter, and note once what differs. Call on opening."""
    raise NotImplementedError


def index_embedder(core: Core) -> str | None:
    """Return the name of the embedder whose vectors the store holds (for `stats` and `doctor`); None where there is none."""
    raise NotImplementedError


def reindex(core: Core, principal: Principal, request: ReindexRequest) -> Reindexed:
    """Embed what has no vector, or everything anew; another embedder's vectors are cleared first."""
    raise NotImplementedError
