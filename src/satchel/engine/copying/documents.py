"""Documents of two stores, side by side. It must not know what they are about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import islice

from satchel.ports import Batch, Document, Store

COLLECTION = "copying"
"""Where a target notes how far it is."""

_OF_THE_PLACE = {COLLECTION, "tenant"}
"""What says something of the store itself (how far a copy into it is, whose it is) and would be false in another place."""

_PAGE = 500


def copy_documents(source: Store, target: Store) -> None:
    """Make the target's documents those of the source; what is the same is not written."""
    differing = _differing(source, target)
    while some := list(islice(differing, _PAGE)):
        target.apply(Batch(documents=some))


def compare_documents(source: Store, target: Store) -> tuple[int, list[str]]:
    """Return how many documents the source has, and which differ, as `collection key`."""
    total = sum(1 for name in _collections(source) for _ in _all(source, name))
    return total, [f"{document.collection} {document.key}" for document in _differing(source, target)]


def count_documents(store: Store, collection: str) -> int:
    """Return how many documents a collection has."""
    return sum(1 for _ in _all(store, collection))


def has_documents(store: Store) -> bool:
    """Tell whether a store has documents that a copy brings over."""
    return bool(_collections(store))


def digest_of_documents(store: Store) -> str:
    """Return the sha-256 of all documents."""
    digest = hashlib.sha256()
    for name in sorted(_collections(store)):
        for document in _all(store, name):
            digest.update(json.dumps([name, document.key, document.scope, document.value], sort_keys=True).encode())
    return digest.hexdigest()


def _collections(store: Store) -> set[str]:
    return set(store.collections()) - _OF_THE_PLACE


def _differing(source: Store, target: Store) -> Iterator[Document]:
    """Yield the documents of the target that are to be written, or taken away, collection by collection."""
    for name in sorted(_collections(source) | _collections(target)):
        ours, theirs = _all(source, name), _all(target, name)
        mine, other = next(ours, None), next(theirs, None)
        while mine is not None or other is not None:
            if other is None or (mine is not None and mine.key < other.key):
                assert mine is not None
                yield mine
                mine = next(ours, None)
            elif mine is None or other.key < mine.key:
                yield Document(name, other.key, None)
                other = next(theirs, None)
            else:
                if (mine.value, mine.scope) != (other.value, other.scope):
                    yield mine
                mine, other = next(ours, None), next(theirs, None)


def _all(store: Store, collection: str) -> Iterator[Document]:
    after: str | None = None
    while page := store.documents(collection, after=after, limit=_PAGE):
        yield from page
        after = page[-1].key
