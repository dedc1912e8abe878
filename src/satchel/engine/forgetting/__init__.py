"""Forgetting in two stages, and what remains of it. It must not know how a store erases."""
