"""The tests, in the order of the package."""
