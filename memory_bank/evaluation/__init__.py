"""Scores on data, and benchmarks."""
