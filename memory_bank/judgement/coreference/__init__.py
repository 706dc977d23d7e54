"""Resolve follow-up questions of a conversation: detect them, and rewrite them so that they stand alone."""
