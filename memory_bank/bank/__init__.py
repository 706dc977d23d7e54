"""The data model: the three memory layers, and the events from which they are built."""
