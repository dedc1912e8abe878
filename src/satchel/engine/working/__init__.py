"""Working memory and the sessions that it belongs to. It must not know where snapshots rest."""
