"""A session as something to send: a report, a picture, a graph for other programs."""
