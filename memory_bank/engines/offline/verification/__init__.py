"""Cross-validation without a model: who says what, how independent they are, and the verdict."""
