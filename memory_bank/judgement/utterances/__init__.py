"""Rules on single utterances: what is worth remembering, and how it reads by itself."""
