"""Benchmarks: every figure is a ratio to an alternative or a floor measured in the same run."""
