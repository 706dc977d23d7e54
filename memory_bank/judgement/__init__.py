"""Judgements about language: contradiction and entailment between statements, grounding, coreference, utterances."""
