"""What is run by hand: figures, schema, the demo's brochure."""
