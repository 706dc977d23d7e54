"""Export a session as an HTML report, as an SVG picture, or as GraphML."""
