"""Runs a producer of chunks in a thread of its own, whoever takes them and from whichever thread. It must not know what they are.

A store's view of one state belongs to a thread, while a service may take each chunk from another.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

_AHEAD = 4
"""Chunks made before the first of them is taken."""


class _Failure:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def in_one_thread(produce: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    """Yield what `produce` yields, run in one thread from its start to its end; closing this generator closes that one."""
    chunks: queue.Queue[bytes | _Failure | None] = queue.Queue(_AHEAD)
    stopped = threading.Event()

    def hand_over(chunk: bytes | _Failure | None) -> None:
        while not stopped.is_set():
            try:
                chunks.put(chunk, timeout=0.1)
                break
            except queue.Full:
                continue

    def run() -> None:
        try:
            with closing(produce()) as produced:  # type: ignore[type-var]
                for chunk in produced:
                    hand_over(chunk)
                    if stopped.is_set():
                        return
            hand_over(None)
        except BaseException as error:  # noqa: BLE001 - raised again where the chunks are taken
            hand_over(_Failure(error))

    thread = threading.Thread(target=run, name="satchel-export", daemon=True)
    thread.start()
    try:
        while (chunk := chunks.get()) is not None:
            if isinstance(chunk, _Failure):
                raise chunk.error
            yield chunk
    finally:
        stopped.set()
        thread.join()
