"""The engine's side of vectors: making them for records, knowing whose the index holds, and rebuilding it (STO-4).

It must not know how a model works or how an index is searched.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from satchel.engine.core import Core, Principal
from satchel.engine.index.vectors import pack_vectors
from satchel.engine.text.segmenting import SEGMENTER, pack_terms
from satchel.errors import SatchelError
from satchel.operations.models import Reindexed, ReindexRequest
from satchel.ports import Batch, Document, Embedder, IndexEntry, Unindexed
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import Status

_COLLECTION = "index"
_KEY = "made-with"
_PAGE = 256
_STEP = 16
"""Texts that are embedded between two looks whether somebody waits."""

_LIVING = RecordFilter(statuses=(Status.ACTIVE, Status.PENDING, Status.ARCHIVED))

_COPYING_SECONDS = 10.0
"""How long one call copies vectors to an external index; what is left is the next one's."""

FAILED = "embedding"
DIFFERS = "index-embedder"
SEGMENTED = "index-segmenter"


def _made_with(core: Core) -> dict[str, Any]:
    """Return what the index was made with: embedder, dimension, segmenter; empty where nothing was written yet."""
    return core.store.document(_COLLECTION, _KEY) or {}


def _record(core: Core, made_with: dict[str, Any], **changed: Any) -> None:
    core.store.apply(Batch(documents=[Document(_COLLECTION, _KEY, {"segmenter": SEGMENTER, **made_with, **changed})]))


def _ours(embedder: Embedder) -> dict[str, Any]:
    return {"embedder": embedder.name, "dimension": embedder.dimension}


def index_embedder(core: Core) -> str | None:
    """Return the name of the embedder whose vectors the store holds (for `stats` and `doctor`); None where there is none."""
    return _made_with(core).get("embedder")


def usable_dimension(core: Core) -> int:
    """Return the dimension of the store's vectors if they are of this engine's embedder, else 0: then there is no semantic lane.

    Says once where they are another's, and takes it back when they no longer are.
    """
    embedder = core.embedder
    made_with = _made_with(core)
    _compare_embedders(core, made_with.get("embedder"))
    return embedder.dimension if embedder is not None and made_with.items() >= _ours(embedder).items() else 0


def _compare_embedders(core: Core, found: str | None) -> None:
    ours = core.embedder.name if core.embedder is not None else None
    if found is None or found == ours:
        core.notes.drop(DIFFERS)
        return
    here = f"this is {ours}" if ours else "no embedder is at hand"
    core.notes.add(DIFFERS, f"the index holds vectors of {found}, and {here}; recall goes on with words alone until `reindex` is run")


def open_index(core: Core) -> None:
    """Compare the store's index with this engine's embedder and segmenter, and note once what differs. Call on opening."""
    if core.external is not None:
        core.external.open()
    made_with = _made_with(core)
    _compare_embedders(core, made_with.get("embedder"))
    if made_with.get("segmenter", SEGMENTER) != SEGMENTER:
        core.notes.add(SEGMENTED, "the index was made by another version of the segmentation; run `reindex` with everything")


def embed_contents(core: Core, contents: Sequence[str]) -> list[bytes | None]:
    """Return the stored form (little-endian float16) of each content's vector, for `Put.vector`.

    None throughout where there is no embedder, where it fails (noted once), or where the index holds another embedder's vectors:
    the record is written all the same and `reindex` brings its vector later.
    """
    embedder = core.embedder
    made_with = _made_with(core)
    if not made_with or (embedder is not None and made_with.get("embedder") is None):
        made_with = made_with | (_ours(embedder) if embedder is not None else {})
        _record(core, made_with)
    if embedder is None or not made_with.items() >= _ours(embedder).items():
        return [None] * len(contents)
    try:
        return list(_embedded(embedder, contents))
    except Exception as error:  # noqa: BLE001 - whatever a model or a network does, the record must be written
        core.notes.add(FAILED, f"the embedder {embedder.name} failed ({error}); vectors are missing until `reindex` is run")
        return [None] * len(contents)


def _embedded(embedder: Embedder, contents: Sequence[str]) -> Iterator[bytes]:
    for start in range(0, len(contents), _PAGE):
        vectors = np.asarray(embedder.embed_passages(contents[start : start + _PAGE]), np.float32)
        yield from pack_vectors(vectors)


def reindex(core: Core, principal: Principal, request: ReindexRequest) -> Reindexed:
    """Embed what has no vector, or everything anew; another embedder's vectors are cleared first. Calls in this process go first.

    Then an external index is brought up to date.

    Resumable: what is embedded stays so. With `everything`, or after a change of segmentation, the terms are made anew as well.

    Raises:
        SatchelError: the embedder or the external index failed; nothing was cleared that could not be made again by another run.
    """
    if request.resume:
        return _reindexed(core, 0, request)
    embedder = core.embedder
    made_with = _made_with(core)
    if request.everything or made_with.get("segmenter", SEGMENTER) != SEGMENTER:
        _segment_anew(core)
        _record(core, made_with, segmenter=SEGMENTER)
        core.notes.drop(SEGMENTED)
    if embedder is None:
        return _reindexed(core, 0, request)
    if request.everything or not made_with.items() >= _ours(embedder).items():
        _try(embedder, ["satchel"])
        # In this order, so that no reader takes another model's vectors for ours: nobody's, then none, then ours.
        _record(core, made_with, segmenter=SEGMENTER, embedder=None, dimension=0)
        core.store.clear_vectors()
        _record(core, made_with, segmenter=SEGMENTER, **_ours(embedder))
    embedded = embed_missing(core, embedder, limit=request.limit)
    core.notes.drop(DIFFERS)
    core.notes.drop(FAILED)
    return _reindexed(core, embedded, request)


def _reindexed(core: Core, embedded: int, request: ReindexRequest) -> Reindexed:
    embedder, uncopied, remaining = core.embedder, 0, core.store.count_unindexed()
    # Of several calls that embed, the last brings the external index up to date; one that is to be emptied is so by the first.
    due = request.everything or not remaining
    if embedder is not None and core.external is not None and due and usable_dimension(core):
        seconds = 0.0 if remaining else _COPYING_SECONDS
        uncopied = core.external.reindex(
            embedder.name, embedder.dimension, everything=request.everything, resume=request.resume, seconds=seconds
        )
    name = None if embedder is None else embedder.name
    return Reindexed(embedded=embedded, remaining=remaining, embedder=name, uncopied=uncopied)


def _try(embedder: Embedder, contents: Sequence[str]) -> list[bytes]:
    try:
        return list(_embedded(embedder, contents))
    except SatchelError:
        raise
    except Exception as error:
        raise SatchelError(f"the embedder {embedder.name} failed: {error}") from error


def embed_missing(core: Core, embedder: Embedder, *, limit: int | None = None, stop: threading.Event | None = None) -> int:
    """Embed what has no vector, at most `limit` records and until `stop` is set; return how many. Calls in this process go first.

    Raises:
        SatchelError: the embedder failed; what was embedded before stays.
    """
    embedded, asked = 0, 0
    after: tuple[str, str] | None = None
    while page := core.store.unindexed(after=after, limit=_PAGE if limit is None else min(_PAGE, limit - asked)):
        made: list[IndexEntry] = []
        try:
            for start in range(0, len(page), _STEP):
                core.activity.wait(stop)
                if stop is not None and stop.is_set():
                    break
                made += _entries(embedder, page[start : start + _STEP])
        finally:
            embedded += core.store.write_index(made) if made else 0
        asked += len(page)
        if asked == limit or (stop is not None and stop.is_set()):
            break
        after = page[-1].scope, page[-1].id
    return embedded


def _entries(embedder: Embedder, items: Sequence[Unindexed]) -> Iterator[IndexEntry]:
    for item, vector in zip(items, _try(embedder, [item.content for item in items]), strict=True):
        yield IndexEntry(item.scope, item.id, item.content_hash, vector=vector)


def _segment_anew(core: Core) -> None:
    for scope in [count.scope for count in core.store.scopes()]:
        cursor: str | None = None
        while True:
            page = core.store.scan([scope], _LIVING, cursor=cursor, limit=_PAGE)
            core.store.write_index(
                IndexEntry(record.scope, record.id, record.content_hash, terms=pack_terms(record.content)) for record in page.records
            )
            cursor = page.cursor
            if cursor is None:
                break
