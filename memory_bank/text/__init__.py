"""Text analysis without models: tokens, sentences, chunks, summaries, languages, and values such as dates."""
