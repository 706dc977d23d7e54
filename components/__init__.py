"""Components of the pages, one per file: each draws plain values as widgets. No memory logic is here."""
