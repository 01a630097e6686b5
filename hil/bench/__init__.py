"""Benchmarks: each prints a ratio to a named reference measured in the same run."""
