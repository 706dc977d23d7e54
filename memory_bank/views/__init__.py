"""A session as people read it: snapshots, timeline, comparison, translations, exports."""
