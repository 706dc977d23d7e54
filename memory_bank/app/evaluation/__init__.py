"""Quality scores on data (`eval`) and performance benchmarks (`bench`)."""
