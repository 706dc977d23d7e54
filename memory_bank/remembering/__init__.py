"""Long-term memory in a session: what it is given at its start, and what of it is kept (specification, section 5)."""
