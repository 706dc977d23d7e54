"""Answering without a model: the passages that answer a question, the value asked for first."""
