"""The six judgements: what goes in and what comes out."""
