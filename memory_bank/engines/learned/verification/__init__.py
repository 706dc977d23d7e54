"""Cross-validation without a model server: who speaks to a conflict, and what their voices add up to."""
