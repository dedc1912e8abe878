"""External vector indexes, one file each. They know their engine and the port, and nothing of records, texts or models.

Each is named in `satchel.registry` and imported when it is used.
"""
