"""Embedders: each module makes vectors with one kind of model and offers `open_embedder(spec)`. They know ports and errors only."""
