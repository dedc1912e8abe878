"""Two agents, one memory: the first writes over HTTP, the second recalls and corrects, and neither knows the other."""

import tempfile
from pathlib import Path

from satchel import open_memory
from satchel.service import serving

SCOPE = "user:alice"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, open_memory(f"sqlite:///{Path(folder) / 'shared.db'}") as store, serving(store) as url:
        with open_memory(url, agent="travel-agent") as first:
            first.remember("Alice 出差只住有健身房的酒店", scope=SCOPE, type="preference")
            booked = first.remember("Alice's flight to Suzhou leaves at 9:40", scope=SCOPE, type="fact")

        with open_memory(url, agent="calendar-agent") as second:
            hit = second.recall("什么时候飞苏州?", scope=SCOPE)[0]
            print(f"recalled: {hit.record.content} (written by {hit.record.source.agent})")
            second.correct(booked.record.id, "Alice's flight to Suzhou leaves at 11:15", scope=SCOPE, reason="the airline moved it")
            print(f"now: {second.recall('flight to Suzhou', scope=SCOPE)[0].record.content}")


if __name__ == "__main__":
    main()
