"""The agents' judgements by a language model on any OpenAI-compatible server; every reply is validated by code."""
