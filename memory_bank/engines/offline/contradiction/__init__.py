"""Whether two claims, or two documents, contradict each other."""
