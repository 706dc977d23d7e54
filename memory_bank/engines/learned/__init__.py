"""The embedded engine with trained judgement in place of patterns: chosen by OFFLINE_JUDGEMENT=learned."""
