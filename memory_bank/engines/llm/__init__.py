"""The six judgements on any OpenAI-compatible server. Nothing a model says is believed before it is checked."""
