"""Cross-validation without a model: evidence from independent sources, and the verdict it adds up to."""
