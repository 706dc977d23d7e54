"""An answer without a model: the passages that answer a question, the asked value first."""
