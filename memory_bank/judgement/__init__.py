"""Judgements about language by trained models: what a statement is, and how two of them stand to each other."""
